"""Qt item models over what the core knows."""
