"""The HTTP port: listeners, health, and the exposition of metrics."""
