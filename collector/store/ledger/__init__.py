"""Targets that are due or deferred, scores, and judge calls in the store."""
