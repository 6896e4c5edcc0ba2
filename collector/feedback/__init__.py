"""Scores that come from elsewhere: over OTLP, over the API and in files."""
