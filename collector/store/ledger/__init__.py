"""Which scores are due, deferred and stored; judge calls."""
