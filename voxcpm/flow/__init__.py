"""Flow matching: sampling (solver) and training loss (cfm)."""
