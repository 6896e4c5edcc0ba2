"""Spans and log records in, and what assembly reads of them."""
