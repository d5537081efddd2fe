"""``voxcpm evaluate``: how well a model speaks, judged by a recogniser and a speaker embedding that run offline."""
