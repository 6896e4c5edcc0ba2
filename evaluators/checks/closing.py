"""Recognises tools that end a run, that only note something, and that ask a person."""

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
"""Tools that give the answer of the agent, often as structured output."""
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
    """Return whether `call` ends the run or, with `or_notes`, only notes something."""
    return _plain(call) in _ENDS or (or_notes and _plain(call) in _NOTES)


def asks_a_person(call: ToolCall) -> bool:
    """Return whether `call` asks the user a question, or for an approval."""
    return _plain(call) in _QUESTIONS


def _plain(call: ToolCall) -> str:
    return call.name.casefold().replace("_", "").replace("-", "")
