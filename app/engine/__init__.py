"""Where the model works: the engine's thread and the engines that can run in it."""
