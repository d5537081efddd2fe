"""Marks on what leaves the studio, the one function that lets sound out, and the check of a file's marks."""
