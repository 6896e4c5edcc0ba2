"""Mappings between the columns of tables and the fields of models."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC
from typing import Any, Final

import orjson
from pydantic import BaseModel

from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.model import AgentTrace, LlmCall, Message, ToolCall, ToolDefinition

__all__ = ["TABLES", "Row", "TableMapping"]

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TableMapping:
    """The columns of one table, each with the field that it holds. Other columns of the table hold no field.

    Columns in `json` hold JSON as text, those in `times` UTC without a zone. The same name may differ between tables.
    """

    fields: Mapping[str, str]
    json: frozenset[str]
    times: frozenset[str]
    _renamed: Sequence[tuple[str, str]] = field(init=False)

    def __post_init__(self) -> None:
        # Found once, since rows are written by the million.
        renamed = tuple((column, name) for column, name in self.fields.items() if column != name)
        object.__setattr__(self, "_renamed", renamed)

    def write(self, values: Row) -> Row:
        """Convert `values`, a new dict of fields and of columns that hold no field, to a row, in place; return it."""
        for column, name in self._renamed:
            values[column] = values.pop(name)
        for column in self.json:
            if (value := values.get(column)) is not None:
                values[column] = orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=_plain).decode()
        for column in self.times:
            time = values[column]
            if time is not None and time.tzinfo is not None:
                values[column] = (time if time.tzinfo is UTC else time.astimezone(UTC)).replace(tzinfo=None)
        return values

    def read(self, row: Row) -> Row:
        """Return the fields that a row holds, by their names."""
        return {field: self._value(column, row[column]) for column, field in self.fields.items() if column in row}

    def _value(self, column: str, value: Any) -> Any:
        if value is None:
            return None
        if column in self.json:
            return orjson.loads(value)
        return value.replace(tzinfo=UTC) if column in self.times else value


def _mapping(
    names: Iterable[str],
    *,
    json: Collection[str] = (),
    times: Collection[str] = (),
    renamed: Mapping[str, str] | None = None,
    elsewhere: Collection[str] = (),
) -> TableMapping:
    """Map each field, except those `elsewhere`, to the column of its name, or of the name in `renamed`."""
    columns = renamed or {}
    held = {columns.get(name, name): name for name in names if name not in elsewhere}
    return TableMapping(held, frozenset(json), frozenset(times))


def _plain(value: object) -> object:
    """Convert a part of a message to its fields, and any other value that JSON cannot represent to text."""
    return vars(value) if isinstance(value, BaseModel) else str(value)


TABLES: Final[Mapping[str, TableMapping]] = {
    "agent_traces": _mapping(
        AgentTrace.model_fields,
        json=("gaps", "guardrails", "reasoning_steps"),
        times=("started_at", "ended_at"),
        elsewhere=("messages", "tool_calls", "llm_calls", "tool_definitions", "reference"),
    ),
    "tool_calls": _mapping(
        ToolCall.model_fields, json=("args", "metadata"), times=("started_at",), renamed={"id": "tool_call_id"}
    ),
    "messages": _mapping(Message.model_fields, json=("parts",), times=("time",)),
    "llm_calls": _mapping(LlmCall.model_fields, json=("finish_reasons",), times=("started_at",)),
    "tool_definitions": _mapping(ToolDefinition.model_fields, json=("input_schema",)),
    "offered_tools": _mapping(ToolDefinition.model_fields, json=("input_schema",)),
    "scores": _mapping(
        (field.name for field in fields(ScoreRecord)), json=("details",), times=("target_time", "scored_at")
    ),
}
"""The mappings by table of the store."""
