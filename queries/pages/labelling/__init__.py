"""Runs that are worth a label by a person, one at a time."""
