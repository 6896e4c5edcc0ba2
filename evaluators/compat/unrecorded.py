"""Arguments that were not recorded where a metric needs them: then there is nothing to compare, and no verdict."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from ..matching import is_comparable
from ..model import ToolCall

__all__ = ["TOO_DEEP", "unrecorded_arguments"]

TOO_DEEP: Final = "arguments are nested too deeply to be compared"


def unrecorded_arguments(calls: Iterable[ToolCall], compared: Collection[str]) -> str | None:
    """Return why the calls cannot be judged: `compared` names the tools whose arguments count. None when they can
    be."""
    for position, call in enumerate(calls):
        if call.name in compared and not is_comparable(call):
            return f"the arguments of {call.name} (call {position}) were not recorded"
    return None
