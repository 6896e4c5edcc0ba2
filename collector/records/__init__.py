"""Runs and scores as rows and Arrow batches, on their way between server, store and worker."""
