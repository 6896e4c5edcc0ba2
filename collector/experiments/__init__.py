"""Makes datasets of stored runs."""
