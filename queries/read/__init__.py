"""Reads runs, sessions and scores, whole or in lists, for the API and commands."""
