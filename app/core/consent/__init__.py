"""Consent: the record that allows the use of a voice, how it is made, and how it is verified."""
