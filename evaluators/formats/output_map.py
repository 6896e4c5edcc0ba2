"""Reads what a task of Dokimos returns: a map with `output`, and for agents `toolCalls` and `reasoningSteps`.

Source: Dokimos, AgentTrace.toOutputMap.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..model import AgentTrace
from ..text.suggestions import hint
from .tool_calls import tool_calls

__all__ = ["run_of_output"]

_OUTPUT, _CALLS, _STEPS = "output", "toolCalls", "reasoningSteps"
_KEYS: Final = (_OUTPUT, _CALLS, _STEPS)


def run_of_output(output: Mapping[str, object]) -> AgentTrace | str:
    """Return the run in an output map, or its text alone if there are no `toolCalls`, which is different from none.

    Raises ValueError that names the key that is missing, unknown or cannot be read.
    """
    for key in output:
        if key not in _KEYS:
            raise ValueError(f"there is no key {key!r} in an output map{hint(str(key), _KEYS)}")
    text, steps = output.get(_OUTPUT), output.get(_STEPS, ())
    if not isinstance(text, str):
        raise ValueError(f"{_OUTPUT} is a text, not {type(text).__name__}")  # noqa: TRY004 - one kind of error for all
    if not isinstance(steps, (list, tuple)) or not all(isinstance(step, str) for step in steps):
        raise ValueError(f"{_STEPS} is a list of texts")
    if _CALLS not in output:
        return text
    calls = tool_calls(output[_CALLS], place=_CALLS)
    return AgentTrace(final_response=text or None, tool_calls=calls, reasoning_steps=tuple(steps))
