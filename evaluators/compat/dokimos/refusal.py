"""Where Dokimos refuses with an exception; here the run is skipped with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import ExpectedCall, ToolCall, ToolDefinition
from .java_text import is_blank

__all__ = ["NO_DEFINITIONS", "nameless"]

NO_DEFINITIONS: Final = "the trace does not record which tools were offered"


def nameless(things: Sequence[ToolCall | ExpectedCall | ToolDefinition]) -> str | None:
    """Return why the calls or tools are refused: one has a blank name. None when each has a name."""
    for position, thing in enumerate(things):
        if is_blank(thing.name):
            noun = "tool" if isinstance(thing, ToolDefinition) else "call"
            return f"{noun} {position} has a blank name"
    return None
