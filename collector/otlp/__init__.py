"""OTLP as it is on the wire and in files: signals, services, decoding, limits."""
