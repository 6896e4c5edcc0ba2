"""OTLP on the wire and in files: signals, services, decoding, limits."""
