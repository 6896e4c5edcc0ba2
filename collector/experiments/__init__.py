"""Runs experiments, makes datasets of stored runs, and checks stored scores against a gate."""

from .command_task import command_task
from .experiment import Experiment
from .http_task import http_task
from .model_task import model_task

__all__ = ["Experiment", "command_task", "http_task", "model_task"]
