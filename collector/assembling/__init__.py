"""Decides which traces are assembled next, and has them assembled."""
