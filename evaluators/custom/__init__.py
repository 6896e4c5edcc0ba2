"""Evaluators that users write: Python, commands, combinations."""
