"""Runs one evaluator on one target, and lints tool definitions."""
