"""Reads an evaluator of AgentV's eval files that compares tool calls: its options, and what it expects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, get_args

from ...model import JsonObject, Reference
from ...text.suggestions import hint, nearest
from ..spelling import record
from ..tool_calls import expected_calls
from .modes import ArgsMatch, ArgsMatchMode, Mode

__all__ = ["TRAJECTORY_TYPES", "read_evaluator", "read_minimums"]

TRAJECTORY_TYPES: Final = {"tool_trajectory": "v2", "tool-trajectory": "v4"}
"""The era of AgentV that each spelling of the type belongs to."""

_BESIDE: Final = frozenset({"name", "description", "weight", "required", "min_score", "negate"})
_ASKED: Final = ("type", "mode", "minimums", "expected", "args_match", "strict")


def read_evaluator(block: object) -> tuple[JsonObject, Reference]:
    """Return the options of `agentv:tool_trajectory` and the reference from an evaluator's block of YAML.

    The spelling `tool-trajectory` exists only in v4 and selects its era. Raises ValueError, also where AgentV only
    warns and ignores the evaluator or one of its limits.
    """
    item = record(block, "the evaluator")
    if unknown := [key for key in item if key not in _ASKED and key not in _BESIDE]:
        raise ValueError(f"the evaluator has an unknown key {unknown[0]!r}{hint(unknown[0], _ASKED)}")
    if item.get("negate"):
        raise ValueError("negate: a score cannot be inverted here; remove it")
    options: JsonObject = {
        "era": TRAJECTORY_TYPES[_word(item, "type", tuple(TRAJECTORY_TYPES))],
        "mode": _word(item, "mode", get_args(Mode)),
    }
    if item.get("args_match") is not None:
        options["args_match"] = _args_match(item["args_match"], "args_match")
    if item.get("strict") is not None:
        options["strict"] = _truth(item["strict"], "strict")
    needed = "minimums" if options["mode"] == "any_order" else "expected"
    if item.get(needed) is None:
        raise ValueError(f"the evaluator has no {needed}; mode {options['mode']} requires {needed}")
    return options, _reference(item)


def _reference(item: JsonObject) -> Reference:
    expected, minimums = item.get("expected"), item.get("minimums")
    return Reference(
        expected_tool_calls=None if expected is None else expected_calls(expected, place="expected"),
        minimums=None if minimums is None else read_minimums(minimums),
        source="agentv",
    )


def read_minimums(value: object) -> dict[str, float]:
    """Return how often each tool has to be called, by name. Raises ValueError that names the tool."""
    minimums = record(value, "minimums")
    for tool, count in minimums.items():
        if isinstance(count, bool) or not isinstance(count, (int, float)) or not 0 <= count < math.inf:
            raise ValueError(f"minimums.{tool} is not a count; write 0, 1, 2 and so on")
    return minimums


def _args_match(value: object, place: str) -> ArgsMatch:
    if value in get_args(ArgsMatchMode):
        return value  # type: ignore[return-value]  # it is one of the literals
    if isinstance(value, (list, tuple)) and all(isinstance(path, str) and path for path in value):
        return tuple(value)
    raise ValueError(f"{place}: write {', '.join(get_args(ArgsMatchMode))}, or a list of dotted paths")


def _truth(value: object, place: str) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError(f"{place}: write true or false")


def _word(item: JsonObject, key: str, known: Sequence[str]) -> str:
    word = item.get(key)
    if isinstance(word, str) and word in known:
        return word
    raise ValueError(f"{key}: {word!r} is not one of {', '.join(known)}{nearest(str(word), known)}")
