"""Evaluates stored runs with an evaluator that is not active yet, and stores no scores."""
