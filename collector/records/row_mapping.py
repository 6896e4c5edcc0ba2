"""AgentTraces and scores as rows of their tables, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel

from tracegrade.evaluators.conversation import ConversationTrajectory
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.model import AgentTrace, LlmCall, Message, Reference, ToolCall, ToolDefinition

__all__ = [
    "DERIVED",
    "MEMBERS",
    "REFERENCES",
    "SESSIONS",
    "TOOLS",
    "conversations_of",
    "read_scores",
    "reference_row",
    "rows_of",
    "score_row",
    "tools_of",
    "traces_of",
]

Row = dict[str, Any]
T = TypeVar("T")

DERIVED = ("agent_traces", "tool_calls", "messages", "llm_calls", "tool_definitions")
"""The tables that are rebuilt from spans, the parent first."""

TOOLS = "offered_tools"
"""The table of distinct tool definitions."""

REFERENCES = "expectations"
"""What some runs were expected to do, beside them on the way to whoever judges them; never a table of the store."""

SESSIONS, MEMBERS = "sessions", "members"
"""Targets that are sessions, by target_id; and which run is a turn of which. Only on the way to whoever judges."""

_JSON = frozenset({"args", "metadata", "parts", "finish_reasons", "input_schema", "gaps", "reasoning_steps", "details"})
_VERDICT = tuple(field.name for field in fields(ScoreRecord))
_TIMES = frozenset({"started_at", "ended_at", "time", "target_time", "scored_at"})
_NOT_IN_MODEL = {
    "agent_trace_id",
    "trace_id",
    "position",
    "content",
    "definition_hash",
    "tool_call_count",
    "llm_call_count",
    "error_count",
    "assembled_at",
    "assembled_seq",
    "rows_hash",
}
_KEPT_ELSEWHERE = {"messages", "tool_calls", "llm_calls", "tool_definitions", "reference"}


def _written_columns(names: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(_JSON.intersection(names)), tuple(_TIMES.intersection(names))


_WRITTEN: Mapping[type[Any], tuple[tuple[str, ...], tuple[str, ...]]] = {
    ScoreRecord: _written_columns(_VERDICT),
    **{
        model: _written_columns(model.model_fields)
        for model in (AgentTrace, ToolCall, Message, LlmCall, ToolDefinition)
    },
}
"""Which of the columns for a model hold JSON, and which times."""


def rows_of(trace: AgentTrace) -> dict[str, list[Row]]:
    """The rows of one AgentTrace by table; revision, assembled_at and assembled_seq are the store's to give.

    `rows_hash` is the same for the same rows: whether stored ones are up to date shows without reading them.
    """
    ids = {"agent_trace_id": trace.agent_trace_id, "trace_id": trace.trace_id}
    rows = {
        "agent_traces": [_trace_row(trace)],
        "tool_calls": _children(ids, trace.tool_calls, _tool_call),
        "messages": _children(ids, trace.messages, _message),
        "llm_calls": _children(ids, trace.llm_calls, _fields),
        "tool_definitions": _children(ids, trace.tool_definitions or (), _definition),
    }
    rows["agent_traces"][0]["rows_hash"] = _hash(rows)
    return rows


def reference_row(agent_trace_id: str, reference: Reference) -> Row:
    """A row of REFERENCES."""
    return {"agent_trace_id": agent_trace_id, "reference": reference.model_dump_json()}


def traces_of(tables: Mapping[str, Iterable[Row]]) -> list[AgentTrace]:
    """The AgentTraces that rows of the derived tables hold, in the order of `agent_traces`.

    Rows of REFERENCES may be beside them.
    """
    references = {
        row["agent_trace_id"]: Reference.model_validate_json(row["reference"]) for row in tables.get(REFERENCES, ())
    }
    children: dict[str, dict[str, list[Row]]] = {}
    for table in DERIVED[1:]:
        for row in sorted(tables[table], key=lambda row: int(row["position"])):
            children.setdefault(row["agent_trace_id"], {}).setdefault(table, []).append(row)
    return [
        _trace(row, children.get(row["agent_trace_id"], {}), references.get(row["agent_trace_id"]))
        for row in tables["agent_traces"]
    ]


def conversations_of(tables: Mapping[str, Iterable[Row]]) -> list[ConversationTrajectory]:
    """The conversations of SESSIONS, each of the runs that MEMBERS says are its turns."""
    runs = {run.agent_trace_id: run for run in traces_of(tables)}
    turns: dict[str, list[AgentTrace]] = {}
    for row in tables[MEMBERS]:
        turns.setdefault(row["target_id"], []).append(runs[row["agent_trace_id"]])
    return [ConversationTrajectory.of(turns.get(row["target_id"], ())) for row in tables[SESSIONS]]


def tools_of(tables: Mapping[str, Iterable[Row]]) -> list[ToolDefinition]:
    """The tool definitions that rows of `offered_tools` hold."""
    known = ToolDefinition.model_fields
    return [
        ToolDefinition(**{name: _value(name, value) for name, value in row.items() if name in known})
        for row in tables[TOOLS]
    ]


def score_row(score: ScoreRecord) -> Row:
    """A row of `scores`."""
    return _written({name: getattr(score, name) for name in _VERDICT}, ScoreRecord)


def read_scores(tables: Mapping[str, Iterable[Row]]) -> list[ScoreRecord]:
    """The scores that rows of `scores` hold."""
    known = ScoreRecord.__dataclass_fields__
    return [
        ScoreRecord(**{name: _value(name, value) for name, value in row.items() if name in known})
        for row in tables["scores"]
    ]


def _trace_row(trace: AgentTrace) -> Row:
    row = _fields(trace, {})
    for name in _KEPT_ELSEWHERE:
        del row[name]
    errors = [*(call.error for call in trace.trajectory), *(call.error for call in trace.llm_calls)]
    row["tool_call_count"] = len(trace.trajectory)
    row["llm_call_count"] = len(trace.llm_calls)
    row["error_count"] = sum(error is not None for error in errors)
    return row


def _hash(rows: Mapping[str, Sequence[Row]]) -> str:
    return hashlib.sha256(orjson.dumps(rows)).hexdigest()[:32]


def _children(ids: Row, values: Iterable[T], row_of: Callable[[T, Row], Row]) -> list[Row]:
    return [row_of(value, {**ids, "position": position}) for position, value in enumerate(values)]


def _tool_call(call: ToolCall, place: Row) -> Row:
    row = _fields(call, place)
    row["tool_call_id"] = row.pop("id")
    if call.span_id is None:
        row["metadata"] = None
    return row


def _message(message: Message, place: Row) -> Row:
    row = _fields(message, place)
    row["content"] = message.text
    return row


def _definition(definition: ToolDefinition, place: Row) -> Row:
    row = _fields(definition, place)
    row["definition_hash"] = definition.hash
    return row


def _fields(value: AgentTrace | ToolCall | Message | LlmCall | ToolDefinition, place: Row) -> Row:
    """The fields of `value` behind those that say where it belongs."""
    return _written({**place, **vars(value)}, type(value))


def _written(fields: Row, model: type[Any]) -> Row:
    """Fields of `model` as columns hold them: JSON as text, times as UTC without a zone."""
    json_columns, time_columns = _WRITTEN[model]
    for name in json_columns:
        value = fields.get(name)
        if value is not None:
            fields[name] = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=_plain).decode()
    for name in time_columns:
        time = fields[name]
        if time is not None and time.tzinfo is not None:
            fields[name] = (time if time.tzinfo is UTC else time.astimezone(UTC)).replace(tzinfo=None)
    return fields


def _plain(value: object) -> object:
    """A part of a message as its fields; anything else that JSON has no word for as text."""
    return vars(value) if isinstance(value, BaseModel) else str(value)


def _trace(row: Row, children: Mapping[str, Sequence[Row]], reference: Reference | None) -> AgentTrace:
    fields = _read(row)
    for name in ("gaps", "reasoning_steps"):
        fields[name] = tuple(fields.get(name) or ())
    definitions = children.get("tool_definitions")
    return AgentTrace(
        **fields,
        agent_trace_id=row["agent_trace_id"],
        trace_id=row["trace_id"],
        tool_calls=tuple(map(_call, children.get("tool_calls", ()))),
        messages=tuple(Message(**_read(message)) for message in children.get("messages", ())),
        llm_calls=tuple(LlmCall(**_read(call)) for call in children.get("llm_calls", ())),
        tool_definitions=None if definitions is None else tuple(ToolDefinition(**_read(one)) for one in definitions),
        reference=reference,
    )


def _call(row: Row) -> ToolCall:
    fields = _read(row, tool_call_id="id")
    return ToolCall(**{**fields, "metadata": fields.get("metadata") or {}})


def _read(row: Row, **renamed: str) -> Row:
    """A row as the model's fields."""
    return {renamed.get(name, name): _value(name, value) for name, value in row.items() if name not in _NOT_IN_MODEL}


def _value(name: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC)
    if name in _JSON and value is not None:
        return orjson.loads(value)
    return value
