"""Calls without new results: which calls ask the same, what their outcomes are, and which of them form a loop."""

from .ahead import are_polling
from .loops import CallLoop, find_loops
from .steps import Step, read_steps

__all__ = ["CallLoop", "Step", "are_polling", "find_loops", "read_steps"]
