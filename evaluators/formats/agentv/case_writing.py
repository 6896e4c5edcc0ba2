"""Writes items as cases of an eval file, one a line."""

from __future__ import annotations

from typing import Any

from ...model import ExpectedCall, JsonObject
from ..expectation import Expectation
from ..imported import Imported

__all__ = ["write_case"]


def write_case(entry: Imported) -> JsonObject:
    """Return the case of an item. Expected calls have to be made in order, and minimums are an evaluator of their own.

    What cases have no place for is left out: constraints, tools, and all tasks but the first.
    """
    expectation = entry.expectation or Expectation()
    evaluators = [
        *_write_evaluator("expected-calls", "in_order", "expected", _write_calls(expectation.expected_tool_calls)),
        *_write_evaluator("minimums", "any_order", "minimums", expectation.minimums),
    ]
    fields: dict[str, Any] = {
        "id": entry.id,
        "input": _write_input(entry.input),
        "criteria": expectation.tasks[0] if expectation.tasks else None,
        "expected_output": expectation.expected_response,
        "assertions": evaluators or None,
        "metadata": entry.metadata or None,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _write_input(value: str | JsonObject | None) -> Any:
    """Return an input; an object with `messages` and nothing else is these messages."""
    if isinstance(value, dict) and value.keys() == {"messages"}:
        return value["messages"]
    return value


def _write_evaluator(name: str, mode: str, key: str, value: object) -> list[JsonObject]:
    return [] if value is None else [{"name": name, "type": "tool_trajectory", "mode": mode, key: value}]


def _write_calls(calls: tuple[ExpectedCall, ...] | None) -> list[JsonObject] | None:
    if calls is None:
        return None
    return [
        {
            key: value
            for key, value in {
                "tool": call.name,
                "args": call.args,
                "max_duration_ms": call.max_duration_ms,
                "args_match": call.args_match,
            }.items()
            if value is not None
        }
        for call in calls
    ]
