"""Inputs for which Dokimos throws an exception; here the run is skipped with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...model import ExpectedCall, ToolCall, ToolDefinition
from .java_text import is_blank

__all__ = ["NO_DEFINITIONS", "nameless"]

NO_DEFINITIONS: Final = "the trace does not record which tools were offered"


def nameless(items: Sequence[ToolCall | ExpectedCall | ToolDefinition]) -> str | None:
    """Return why the calls or tools are rejected: one has a blank name. None if each has a name."""
    for position, item in enumerate(items):
        if is_blank(item.name):
            noun = "tool" if isinstance(item, ToolDefinition) else "call"
            return f"{noun} {position} has a blank name"
    return None
