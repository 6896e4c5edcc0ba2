"""What really happened in a recorded scenario, as the tools, the driver and the scripted model noted it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Asked", "Executed", "Truth", "read"]


@dataclass(frozen=True, slots=True)
class Executed:
    """A tool function that ran. `args` are all spellings of what it got: with defaults filled in, and without."""

    name: str
    args: tuple[Any, ...]
    result: Any
    error: Any
    duration_ms: float | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A tool call in an answer of the model. `args` is the text it wrote, parsed where it is JSON."""

    name: str
    args: Any


@dataclass(frozen=True, slots=True)
class Truth:
    executed: tuple[Executed, ...]
    asked: tuple[Asked, ...]
    definitions: Mapping[str, Mapping[str, Any]]
    user_inputs: tuple[str, ...]
    final_responses: tuple[Any, ...]
    session_id: str | None
    agent_names: tuple[str, ...]
    models: frozenset[str]
    input_tokens: int | None
    output_tokens: int | None


def read(file: Path) -> Truth:
    """The truth in a `*.truth.json`."""
    told = json.loads(file.read_text(encoding="utf-8"))
    calls = told.get("llm_calls") or []
    answers = [call.get("response") or {} for call in calls]
    return Truth(
        executed=tuple(_executed(call) for call in told["tool_calls"]),
        asked=tuple(_asked(call) for call in _asked_calls(told, answers)),
        definitions=dict(_definition(each) for each in told.get("tool_definitions") or ()),
        user_inputs=tuple(told["user_inputs"]),
        final_responses=tuple(told.get("final_responses") or [told["final_response"]]),
        session_id=told.get("session_id"),
        agent_names=tuple(told.get("agent_names") or ()),
        models=frozenset(model for model in (told.get("model"), told.get("response_model")) if model),
        input_tokens=_sum(answer.get("input_tokens") for answer in answers),
        output_tokens=_sum(answer.get("output_tokens") for answer in answers),
    )


def _executed(call: Mapping[str, Any]) -> Executed:
    spellings = [call["args"], call.get("args_bound_without_defaults", call["args"])]
    return Executed(call["name"], tuple(spellings), call.get("result"), call.get("error"), call.get("duration_ms"))


def _asked_calls(told: Mapping[str, Any], answers: Sequence[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    turns = told.get("llm_tool_calls")
    if turns is None:
        turns = [answer.get("tool_calls") or [] for answer in answers]
    return (call for turn in turns for call in turn)


def _asked(call: Mapping[str, Any]) -> Asked:
    args = call.get("arguments")
    try:
        return Asked(call["name"], json.loads(args) if isinstance(args, str) else args)
    except ValueError:
        return Asked(call["name"], args)


def _definition(each: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    inner = each.get("function", each)
    return inner["name"], inner


def _sum(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
