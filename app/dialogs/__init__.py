"""Windows beside the main one; none of them is modal."""
