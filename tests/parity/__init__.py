"""Comparison with recorded reference data: ``python -m tests.parity FOLDER [--json]``."""
