"""Proof that killing the program at any moment loses nothing that it had acknowledged: ``python -m tests.kill``."""
