"""What the application knows and decides, without widgets, without torch and without the model."""
