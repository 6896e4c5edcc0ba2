"""Tools with which an agent ends its run or only notes something, and those with which it asks a person."""

from __future__ import annotations

from typing import Final

from ..model import ToolCall

__all__ = ["asks_a_person", "ends_the_run"]

_ENDS: Final = frozenset(
    {
        "attemptcompletion",
        "complete",
        "done",
        "finalanswer",
        "finaloutput",
        "finalresult",
        "finish",
        "jsontoolcall",
        "respond",
        "setmodelresponse",
        "structuredoutput",
        "structuredresponse",
        "submit",
        "taskcomplete",
    }
)
"""With these the agent gives its answer, often as structured output."""
_NOTES: Final = frozenset({"think", "todowrite", "updateplan", "writetodos"})
_QUESTIONS: Final = frozenset(
    {
        "askfollowupquestion",
        "askhuman",
        "askuser",
        "askuserquestion",
        "exitplanmode",
        "humaninput",
        "requestapproval",
        "requestuserinput",
    }
)


def ends_the_run(call: ToolCall, *, or_notes: bool = False) -> bool:
    """Return whether the agent ends its run with `call`, or with `or_notes` only notes something."""
    return _plain(call) in _ENDS or (or_notes and _plain(call) in _NOTES)


def asks_a_person(call: ToolCall) -> bool:
    """Return whether `call` puts a question to the user, or asks for an approval."""
    return _plain(call) in _QUESTIONS


def _plain(call: ToolCall) -> str:
    return call.name.casefold().replace("_", "").replace("-", "")
