"""Writes runs as OTLP spans of the GenAI conventions, from which the same runs are assembled again."""

from .write import write_runs

__all__ = ["write_runs"]
