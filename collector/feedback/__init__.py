"""External scores: over OTLP, over the API and in files."""
