"""Runs experiments, makes datasets of stored runs, and checks stored scores against a gate."""

from .experiment import Experiment

__all__ = ["Experiment"]
