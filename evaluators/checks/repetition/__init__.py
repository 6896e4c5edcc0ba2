"""Calls that bring nothing new: which calls are the same, what each brought, and when that is a loop."""

from .ahead import are_polling
from .loops import Loop, find_loops
from .steps import Step, read_steps

__all__ = ["Loop", "Step", "are_polling", "find_loops", "read_steps"]
