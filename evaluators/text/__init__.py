"""Texts for people: suggestions, validation errors, durations."""
