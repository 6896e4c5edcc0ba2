"""Spans as dialects read them, the steps that they record, and the values in them."""
