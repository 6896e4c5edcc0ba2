"""What others write down about agents' work, read into the model: a module a format.

Input that cannot be read is refused with a ValueError that names the place; nothing is guessed.
"""

from __future__ import annotations

from typing import Final

__all__ = ["CALLS_NOT_RECORDED"]

CALLS_NOT_RECORDED: Final = "tool_calls_not_recorded"
"""The gap of a run of which nobody said what it called, which is not the same as having called nothing."""
