"""AgentTraces and verdicts as rows of their tables, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import orjson
from pydantic import BaseModel

from tracegrade.evaluators.conversation import ConversationTrajectory
from tracegrade.evaluators.model import (
    AgentTrace,
    LlmCall,
    Message,
    Reference,
    ToolCall,
    ToolDefinition,
)
from tracegrade.evaluators.verdict import Verdict

__all__ = [
    "DERIVED",
    "MEMBERS",
    "REFERENCES",
    "SESSIONS",
    "TOOLS",
    "conversations_of",
    "reference_row",
    "rows_of",
    "tools_of",
    "traces_of",
    "verdict_row",
    "verdicts_of",
]

Row = dict[str, Any]

DERIVED = ("agent_traces", "tool_calls", "messages", "llm_calls", "tool_definitions")
"""The tables that are rebuilt from spans, the parent first."""

TOOLS = "offered_tools"
"""The table of distinct tool definitions."""

REFERENCES = "expectations"
"""What some runs were expected to do, beside them on the way to whoever judges them; never a table of the store."""

SESSIONS, MEMBERS = "sessions", "members"
"""Targets that are sessions, by target_id; and which run is a turn of which. Only on the way to whoever judges."""

_JSON = frozenset({"args", "metadata", "parts", "finish_reasons", "input_schema", "gaps", "reasoning_steps", "details"})
_VERDICT = tuple(field.name for field in fields(Verdict))
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


def rows_of(trace: AgentTrace) -> dict[str, list[Row]]:
    """The rows of one AgentTrace by table; revision, assembled_at and assembled_seq are the store's to give.

    `rows_hash` is the same for the same rows: whether stored ones are up to date shows without reading them.
    """
    ids = {"agent_trace_id": trace.agent_trace_id, "trace_id": trace.trace_id}
    rows = {
        "agent_traces": [_trace_row(trace)],
        "tool_calls": _children(ids, (_tool_call(call) for call in trace.tool_calls)),
        "messages": _children(ids, (_message(message) for message in trace.messages)),
        "llm_calls": _children(ids, (_fields(call) for call in trace.llm_calls)),
        "tool_definitions": _children(ids, (_definition(one) for one in trace.tool_definitions or ())),
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


def verdict_row(verdict: Verdict) -> Row:
    """A row of `scores`."""
    return _written({name: getattr(verdict, name) for name in _VERDICT})


def verdicts_of(tables: Mapping[str, Iterable[Row]]) -> list[Verdict]:
    """The verdicts that rows of `scores` hold."""
    known = Verdict.__dataclass_fields__
    return [
        Verdict(**{name: _value(name, value) for name, value in row.items() if name in known})
        for row in tables["scores"]
    ]


def _trace_row(trace: AgentTrace) -> Row:
    row = _fields(trace, without=_KEPT_ELSEWHERE)
    errors = [*(call.error for call in trace.trajectory), *(call.error for call in trace.llm_calls)]
    return {
        **row,
        "tool_call_count": len(trace.trajectory),
        "llm_call_count": len(trace.llm_calls),
        "error_count": sum(error is not None for error in errors),
    }


def _hash(rows: Mapping[str, Sequence[Row]]) -> str:
    return hashlib.sha256(orjson.dumps(rows)).hexdigest()[:32]


def _children(ids: Row, rows: Iterable[Row]) -> list[Row]:
    return [{**ids, "position": position, **row} for position, row in enumerate(rows)]


def _tool_call(call: ToolCall) -> Row:
    row = _fields(call, without={"id"})
    metadata = row["metadata"] if call.span_id is not None else None
    return {**row, "tool_call_id": call.id, "metadata": metadata}


def _message(message: Message) -> Row:
    return {**_fields(message), "content": message.text}


def _definition(definition: ToolDefinition) -> Row:
    return {**_fields(definition), "definition_hash": definition.hash}


def _fields(value: AgentTrace | ToolCall | Message | LlmCall | ToolDefinition, without: Iterable[str] = ()) -> Row:
    fields = {**vars(value)}
    for name in without:
        del fields[name]
    return _written(fields)


def _written(fields: Row) -> Row:
    """Fields as columns hold them: JSON as text, times as UTC without a zone."""
    json_columns, time_columns = _written_columns(tuple(fields))
    for name in json_columns:
        if fields[name] is not None:
            fields[name] = orjson.dumps(fields[name], option=orjson.OPT_NON_STR_KEYS, default=_plain).decode()
    for name in time_columns:
        time = fields[name]
        if time is not None and time.tzinfo is not None:
            fields[name] = (time if time.tzinfo is UTC else time.astimezone(UTC)).replace(tzinfo=None)
    return fields


@lru_cache(maxsize=64)
def _written_columns(columns: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """Which of the columns of a table hold JSON, and which times."""
    return _JSON.intersection(columns), _TIMES.intersection(columns)


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
