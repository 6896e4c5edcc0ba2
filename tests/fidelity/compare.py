"""A scenario's truth against what the public tables say of it, item by item."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tracegrade.collector.spans.values import decode_text

from .requests import answers_in_requests
from .truth import Asked, Executed, Truth

__all__ = ["COLUMNS", "Item", "Told", "compare"]

COLUMNS = (
    "executed",
    "executed_args",
    "executed_result",
    "executed_error",
    "executed_duration",
    "asked",
    "asked_args",
    "no_call_too_many",
    "definitions",
    "user_input",
    "no_result_in_requests",
    "final_response",
    "session_id",
    "agent_names",
    "tokens",
    "model",
)

_CLOSE_MS = 20.0
_CLOSE_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Told:
    """The rows of a scenario in the derived tables."""

    runs: Sequence[Mapping[str, Any]]
    models: Sequence[Mapping[str, Any]]
    calls: Sequence[Mapping[str, Any]]
    messages: Sequence[Mapping[str, Any]]
    definitions: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of the truth: did it come out?

    `value` is what was to come out, `told` what came out where a rule asks for it, `tool` whose call it is about,
    `span_id` where we say that call is recorded.
    """

    column: str
    came_out: bool
    value: Any
    tool: str | None = None
    span_id: str | None = None
    told: Any = None


def compare(truth: Truth, told: Told) -> Iterator[Item]:
    """Every item of the truth."""
    yield from _executed(truth, told)
    yield from _asked(truth, told)
    yield from _definitions(truth, told)
    yield from _about_runs(truth, told)


def _executed(truth: Truth, told: Told) -> Iterator[Item]:
    rows = [row for row in told.calls if row["status"] in {"ok", "error"}]
    left = list(rows)
    for call in truth.executed:
        row = _best(left, partial(_likeness, call=call, truth=truth))
        yield Item("executed", row is not None, call.result, call.name)
        if row is None:
            continue
        at = {"tool": call.name, "span_id": row["span_id"]}
        yield Item("executed_args", _is_any(row, call.args, truth), call.args, **at)
        yield Item("executed_error", (row["status"] == "error") == (call.error is not None), call.error, **at)
        if call.error is None:
            yield Item("executed_result", _is_result(row["result"], call.result), call.result, **at)
        if call.duration_ms is not None:
            is_close = _is_close(row["duration_ms"], call.duration_ms)
            yield Item("executed_duration", is_close, call.duration_ms, told=row["duration_ms"], **at)
    yield Item("no_call_too_many", not _surplus(left, truth), [row["name"] for row in left])


def _surplus(left: Sequence[Mapping[str, Any]], truth: Truth) -> list[Mapping[str, Any]]:
    """Rows that neither ran nor were refused by the framework: a call that was asked for and failed did not run."""
    asked = [call.name for call in truth.asked]
    ran = [call.name for call in truth.executed]
    surplus = []
    for row in left:
        refused = row["status"] == "error" and asked.count(row["name"]) > ran.count(row["name"])
        delegated = row["name"] in asked and row["name"] not in ran
        if not refused and not delegated:
            surplus.append(row)
    return surplus


def _asked(truth: Truth, told: Told) -> Iterator[Item]:
    """Calls find the row with their arguments first: one that is nowhere must not take that of another."""
    left = list(told.calls)
    exact = {id(call): _best(left, partial(_same_call, call=call)) for call in truth.asked}
    for call in truth.asked:
        row = exact[id(call)] or _best(left, partial(_same_name, call=call))
        yield Item("asked", row is not None, call.args, call.name)
        if row is not None:
            yield Item("asked_args", _is_args(row, call.args), call.args, call.name)


def _definitions(truth: Truth, told: Told) -> Iterator[Item]:
    for name, definition in truth.definitions.items():
        schema = definition.get("parameters")
        rows = [row for row in told.definitions if row["name"] == name]
        came_out = any(json.loads(row["input_schema"] or "null") == schema for row in rows)
        yield Item("definitions", came_out, {"name": name, "parameters": schema})


def _about_runs(truth: Truth, told: Told) -> Iterator[Item]:
    outer = [run for run in told.runs if run["parent_agent_trace_id"] is None]
    for text in truth.user_inputs:
        yield Item("user_input", any(_is_text(run["input"], text) for run in told.runs), text)
    for results in answers_in_requests(told.messages, told.calls, truth.user_inputs):
        yield Item("no_result_in_requests", not results, results)
    for answer in truth.final_responses:
        if answer is not None:
            yield Item("final_response", any(_is_answer(run["final_response"], answer) for run in outer), answer)
    if truth.session_id is not None:
        sessions = {run["session_id"] for run in outer}
        yield Item("session_id", sessions == {truth.session_id}, truth.session_id)
    for name in truth.agent_names:
        yield Item("agent_names", any(run["agent_name"] == name for run in told.runs), name)
    for column, wanted in (("input_tokens", truth.input_tokens), ("output_tokens", truth.output_tokens)):
        if wanted is not None:
            yield Item("tokens", sum(run[column] or 0 for run in told.runs) == wanted, wanted)
    if truth.models and told.runs:
        named = {row[column] for row in told.models for column in ("request_model", "response_model")}
        named |= {run["model"] for run in told.runs}
        yield Item("model", bool(named & truth.models), min(truth.models))


def _best(rows: list[Mapping[str, Any]], likeness: Callable[[Mapping[str, Any]], int]) -> Mapping[str, Any] | None:
    """Takes the most alike of `rows` out of them, the first of equals; None when all are unlike (0)."""
    scores = [likeness(row) for row in rows]
    return rows.pop(scores.index(max(scores))) if scores and max(scores) > 0 else None


def _same_name(row: Mapping[str, Any], *, call: Asked) -> int:
    return int(row["name"] == call.name)


def _same_call(row: Mapping[str, Any], *, call: Asked) -> int:
    return int(row["name"] == call.name and _is_args(row, call.args))


def _likeness(row: Mapping[str, Any], *, call: Executed, truth: Truth) -> int:
    if row["name"] != call.name:
        return 0
    is_same_end: bool = (row["status"] == "error") == (call.error is not None)
    is_same_args = any(_is_args(row, args) for args in call.args)
    return 1 + 4 * is_same_args + 2 * is_same_end + _is_any(row, call.args, truth)


def _is_any(row: Mapping[str, Any], spellings: Sequence[Any], truth: Truth) -> bool:
    """The arguments the function got, or those the model wrote: a framework may drop or fill in some in between."""
    written = [call.args for call in truth.asked if call.name == row["name"]]
    return any(_is_args(row, args) for args in (*spellings, *written))


def _is_args(row: Mapping[str, Any], wanted: Any) -> bool:
    if row["args_text"] is not None and row["args_text"] == wanted:
        return True
    return row["args"] is not None and bool(json.loads(row["args"]) == wanted)


def _is_result(text: str | None, wanted: Any) -> bool:
    if text is None:
        return wanted is None
    return text == wanted or decode_text(text) == wanted or (wanted is None and text in {"", "null", "None"})


def _is_close(told_ms: float | None, true_ms: float) -> bool:
    if told_ms is None or math.isnan(told_ms):
        return False
    return abs(told_ms - true_ms) <= max(_CLOSE_MS, _CLOSE_SHARE * true_ms)


def _is_text(told: str | None, wanted: str) -> bool:
    return told is not None and told.strip() == wanted.strip()


def _is_answer(told: str | None, wanted: Any) -> bool:
    if wanted == "":
        return not told
    if isinstance(wanted, str):
        return _is_text(told, wanted)
    return told is not None and decode_text(told) == wanted
