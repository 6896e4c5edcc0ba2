"""Calls that bring nothing new: which calls are the same, what each brought, and when that is a loop."""

from .ahead import are_polling
from .loops import CallLoop, find_loops
from .steps import Step, read_steps

__all__ = ["CallLoop", "Step", "are_polling", "find_loops", "read_steps"]
