"""Finds the sub-agents that calls of `spawn_agent` started: their results name the thread, or the path, of each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from ...model import ToolCall

__all__ = ["find_spawned"]

_TOOL: Final = "spawn_agent"
_NAMES: Final = ("agent_id", "thread_id", "task_name")
_MOST_CHARACTERS: Final = 10_000


def find_spawned(calls: Iterable[ToolCall]) -> Iterator[str]:
    """Yield the names of the sub-agents, each once."""
    seen: set[str] = set()
    for call in calls:
        if not call.name.endswith(_TOOL) or call.result is None or len(call.result) > _MOST_CHARACTERS:
            continue
        result = _parse(call.result)
        name = next((result[key] for key in _NAMES if isinstance(result.get(key), str) and result[key]), None)
        if name is not None and name not in seen:
            seen.add(name)
            yield name


def _parse(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
