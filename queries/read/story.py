"""Reads what a page shows of a run beside its rows: the conversation of its sub-agents, spans in outline, judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias

from pydantic import NaiveDatetime

from ..answers.row import Json, Row
from ..answers.run import LlmCall, Message, SubRun
from ..answers.span import Span
from ..catalog import report
from .run_parts import MOST_ROWS
from .source import Read, rows_of

__all__ = [
    "JudgeCall",
    "Likes",
    "RunPlace",
    "SpanOutline",
    "Tree",
    "read_judge_calls",
    "read_likes",
    "read_outline",
    "read_span",
    "read_tree",
]

_MOST_RUNS: Final = 200
_MOST_JUDGE_CALLS: Final = 200

RunPlace: TypeAlias = Mapping[str, Any]
"""A row of `runs_named`: the ids of a run, and when what is in it began."""


class SpanOutline(Row):
    """A row of `spans` without its attributes."""

    span_id: str
    parent_span_id: str | None
    name: str
    start_ns: int
    end_ns: int
    duration_ms: float | None
    status_code: str
    status_message: str | None


class JudgeCall(Row):
    """A question to a judge, and its answer; of a question that was answered before, that answer."""

    judge_call_id: str
    evaluator: str
    target_id: str
    pass_id: str | None
    judge: str
    model: str
    from_cache: bool
    status: str
    error: str | None
    cost_usd: float | None
    started_at: datetime
    duration_ms: float | None
    request: Json
    response: Json


@dataclass(frozen=True, slots=True)
class Tree:
    """The messages and model calls of a run and of those below it, by agent_trace_id."""

    messages: dict[str, list[Message]]
    llm_calls: dict[str, list[LlmCall]]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Likes:
    """How many runs have the same pattern, and when the first and the last of them began."""

    runs: int
    first_started_at: NaiveDatetime
    last_started_at: NaiveDatetime


def read_tree(read: Read, place: RunPlace, sub_runs: Sequence[SubRun]) -> Tree:
    """Return the messages and model calls of a run and of those below it."""
    ids = [place["agent_trace_id"], *(each.agent_trace_id for each in sub_runs)][:_MOST_RUNS]
    asked = {"agent_trace_ids": ids, **_period(place), "limit": MOST_ROWS + 1}
    found = [read(report(name), parameters=asked) for name in ("messages_in_tree", "llm_calls_in_tree")]
    messages = [Message.model_validate(row) for row in rows_of(found[0])]
    llm_calls = [LlmCall.model_validate(row) for row in rows_of(found[1])]
    is_cut = any(result.truncated for result in found) or max(len(messages), len(llm_calls)) > MOST_ROWS
    tree = Tree({}, {}, is_cut=is_cut)
    for message in messages[:MOST_ROWS]:
        tree.messages.setdefault(message.agent_trace_id, []).append(message)
    for call in llm_calls[:MOST_ROWS]:
        tree.llm_calls.setdefault(call.agent_trace_id, []).append(call)
    return tree


def read_outline(read: Read, place: RunPlace) -> list[SpanOutline]:
    """Return the spans of the trace around a run, by start, and one more than MOST_ROWS if there are more."""
    asked = {"trace_id": place["trace_id"], **_period(place), "limit": MOST_ROWS + 1}
    return [SpanOutline.model_validate(row) for row in rows_of(read(report("span_outline"), parameters=asked))]


def read_span(read: Read, place: RunPlace, span_id: str) -> Span | None:
    """Return a span of the trace of a run; None if there is none with this id."""
    asked = {"trace_id": place["trace_id"], "id": span_id, **_period(place)}
    rows = rows_of(read(report("whole_span"), parameters=asked))
    return Span.model_validate(rows[0]) if rows else None


def read_judge_calls(read: Read, place: RunPlace, target_ids: Sequence[str]) -> list[JudgeCall]:
    """Return the questions to judges about some targets of a run, oldest first."""
    asked = {"target_ids": list(target_ids), "earliest": place["earliest"], "limit": _MOST_JUDGE_CALLS}
    return [JudgeCall.model_validate(row) for row in rows_of(read(report("judge_calls_on_runs"), parameters=asked))]


def read_likes(read: Read, pattern_id: str) -> Likes | None:
    """Return what is known of the runs with a pattern; None if there are none."""
    (row,) = rows_of(read(report("runs_of_pattern"), parameters={"id": pattern_id}))
    return Likes(**row) if row["runs"] else None


def _period(place: RunPlace) -> dict[str, Any]:
    return {"earliest": place["earliest"], "latest": place["latest"]}
