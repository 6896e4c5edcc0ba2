"""Metrics of the program about itself."""
