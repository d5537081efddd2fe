"""Proof that faults of the disk and hostile input lose nothing: ``errors``, ``databases``, ``fuzz``, ``canaries``."""
