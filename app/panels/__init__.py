"""The panels of the window, one file each."""
