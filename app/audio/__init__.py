"""Playing sound: the device, the buffer that it reads from, and the player."""
