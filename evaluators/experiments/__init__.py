"""Datasets of inputs with the behaviour that is expected; results of experiments; gates."""
