"""Runs one evaluator on one target."""
