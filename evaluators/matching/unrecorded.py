"""Finds arguments that a metric needs to compare and that were not recorded."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from ..model import ToolCall
from .equality import is_comparable

__all__ = ["TOO_DEEP", "unrecorded_arguments"]

TOO_DEEP: Final = "arguments are nested too deeply to be compared"


def unrecorded_arguments(calls: Iterable[ToolCall], compared: Collection[str]) -> str | None:
    """Return why the calls cannot be compared; None if they can be. `compared` are the tools whose arguments count."""
    for position, call in enumerate(calls):
        if call.name in compared and not is_comparable(call):
            return f"the arguments of {call.name} (call {position}) were not recorded"
    return None
