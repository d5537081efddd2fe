"""VoxCPM Studio: the desktop application and the command line around the voxcpm library."""
