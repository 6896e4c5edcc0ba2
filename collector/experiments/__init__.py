"""Runs experiments, makes datasets of stored runs, and checks stored scores against a gate."""

from .command_task import command_task
from .experiment import Experiment
from .model_task import model_task

__all__ = ["Experiment", "command_task", "model_task"]
