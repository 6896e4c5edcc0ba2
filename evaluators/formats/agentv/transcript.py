"""Reads AgentV's transcripts: one message a line, with the totals of its transcript repeated on each.

    {"schema_version": "agentv.transcript.v1", "test_id": "t1", "target": "copilot", "message_index": 0, "role": "user",
     "content": "…", "transcript_token_usage": {…}, "source": {"provider": "copilot", "session_id": "s1"}}

Source: https://github.com/EntityProcess/agentv, packages/core/src/import/types.ts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from ...model import AgentTrace, JsonObject
from ..field_values import count_at, object_at, text_at, time_at
from ..imported import Imported, RecordFault
from ..record import Record
from ..spelling import amount, record
from .result_row import find_user_text
from .run import read_messages

__all__ = ["SCHEMA", "Transcripts", "is_row"]

SCHEMA: Final = "agentv.transcript.v1"
_SOURCE: Final = {"session_id": "session_id", "provider_name": "provider", "model": "model", "agent_version": "version"}
_PER_MESSAGE: Final = ("role", "name", "content", "tool_calls", "start_time", "end_time", "duration_ms", "token_usage")


def is_row(value: object) -> bool:
    """Return whether this is a line of a transcript; early ones have no `schema_version`."""
    if not isinstance(value, dict):
        return False
    return value.get("schema_version") == SCHEMA or {"message_index", "test_id", "role"} <= value.keys()


@dataclass
class Transcripts:
    """Joins the lines of a transcript, which follow each other, to one run."""

    _rows: list[tuple[str, JsonObject]] = field(default_factory=list)
    _key: tuple[object, ...] | None = None

    def add(self, row: Record) -> Iterator[Imported | RecordFault]:
        """Add a line. Yield the transcript before it if the line belongs to another one."""
        key = _identify(row.value)
        if key != self._key:
            yield from self.flush()
            self._key = key
        try:
            read_messages([_message_of(row.value)], "the line")
        except ValueError as error:
            yield RecordFault(row.place, str(error).replace("the line[0].", "").replace("the line[0]", "the line"))
            return
        self._rows.append((row.place, row.value))

    def flush(self) -> Iterator[Imported | RecordFault]:
        """Yield the transcript so far."""
        rows, self._rows, self._key = self._rows, [], None
        if not rows:
            return
        place, first_row = rows[0]
        try:
            yield _join(place, first_row, [_message_of(row) for _, row in rows])
        except ValueError as error:
            yield RecordFault(place, str(error))


def _identify(row: JsonObject) -> tuple[object, ...]:
    source = row.get("source")
    session = source.get("session_id") if isinstance(source, dict) else None
    return repr(row.get("test_id")), repr(row.get("target")), repr(session)


def _message_of(row: JsonObject) -> JsonObject:
    return {key: row[key] for key in _PER_MESSAGE if row.get(key) is not None}


def _join(place: str, row: JsonObject, messages: list[JsonObject]) -> Imported:
    source = object_at(row, "source") or {}
    run = read_messages(messages, "messages")
    request = find_user_text(run.messages)
    metadata = {key: row[key] for key in ("target", "capture", "source") if row.get(key) is not None}
    return Imported(
        place,
        id=text_at(row, "test_id"),
        run=run.model_copy(update={"input": request, **_read_totals(row, run), **_read_source(source)}),
        input=request,
        metadata=metadata,
    )


def _read_totals(row: JsonObject, run: AgentTrace) -> JsonObject:
    """Return the totals of the transcript; sums of its messages where it has none."""
    tokens = record(row.get("transcript_token_usage") or {}, "transcript_token_usage")
    totals = {
        "input_tokens": count_at(tokens, "input", "transcript_token_usage"),
        "output_tokens": count_at(tokens, "output", "transcript_token_usage"),
        "cached_input_tokens": count_at(tokens, "cached", "transcript_token_usage"),
        "duration_ms": amount(row, "transcript_duration_ms"),
        "cost_usd": amount(row, "transcript_cost_usd"),
    }
    return {name: getattr(run, name) if value is None else value for name, value in totals.items()}


def _read_source(source: JsonObject) -> JsonObject:
    return {
        "started_at": time_at(source, "timestamp", "source"),
        **{name: text_at(source, key, "source") for name, key in _SOURCE.items()},
    }
