"""Texts for users: suggestions, validation errors, durations."""
