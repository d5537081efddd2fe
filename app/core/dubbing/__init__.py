"""Dubbing: cues with their takes, from subtitles or a script to a mix that fits. No Qt, no torch."""
