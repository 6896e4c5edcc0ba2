"""Selects the traces to assemble next, and updates their runs in the store."""
