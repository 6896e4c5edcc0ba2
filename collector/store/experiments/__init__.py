"""Datasets and experiments in the store."""
