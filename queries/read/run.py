"""Reads one run with everything in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any, Final

from ..answers.run import RunDetail
from ..catalog import report
from .missing_run import explain_missing
from .run_parts import PARTS, Part, RunParts
from .source import Read, rows_of
from .window import ANY_TIME, Window

__all__ = ["AmbiguousRun", "UnknownRun", "find_run", "read_found", "read_run"]

_AROUND: Final = timedelta(days=1)
_AT_ONCE: Final = 3
"""How many parts are read at once: each takes a few milliseconds, most of them for planning."""


class UnknownRun(LookupError):
    """No run has this id; the message says what was searched, and whether the run may still come."""


class AmbiguousRun(LookupError):
    """Several runs have an id that begins with this text: `ids`, which the message names."""

    def __init__(self, message: str, ids: Sequence[str]) -> None:
        super().__init__(message)
        self.ids = tuple(ids)


def read_run(read: Read, id_: str, *, at: datetime | None = None, parts: Collection[Part] = PARTS) -> RunDetail:
    """Return the run that `id_` names, whole or by the beginning of its id, with these parts.

    `read` is called by several threads. With `at`, a time within a day of its start, the run is found faster. Raises
    UnknownRun or AmbiguousRun.
    """
    return read_found(read, find_run(read, id_, at=at), parts=parts)


def read_found(read: Read, place: Mapping[str, Any], *, parts: Collection[Part] = PARTS) -> RunDetail:
    """Return the run of a row of `runs_named` with these parts. Raises UnknownRun if it is gone since."""
    key = {"agent_trace_id": place["agent_trace_id"], "started_at": place["started_at"]}
    rows = rows_of(read(report("whole_run"), parameters=key))
    if not rows:
        raise UnknownRun(f"the run {place['agent_trace_id']} was removed or replaced meanwhile: ask again")
    content = RunParts(read, place)
    with ThreadPoolExecutor(max_workers=_AT_ONCE, thread_name_prefix="part of run") as threads:
        values = {name: value for found in threads.map(content.read, parts) for name, value in found.items()}
    return RunDetail.model_validate({**rows[0], **values, "truncated": content.truncated})


def find_run(read: Read, id_: str, *, at: datetime | None = None) -> dict[str, Any]:
    """Return the row of `runs_named` for a run: its ids, and when what is in it began. Raises as `read_run` does."""
    text = id_.lower()
    window = Window(at - _AROUND, at + _AROUND) if at else ANY_TIME
    rows = rows_of(read(report("runs_named"), parameters={"id": text, **window.parameters}))
    outermost = [row for row in rows if row["parent_agent_trace_id"] is None]
    if rows and (rows[0]["agent_trace_id"] == text or len(rows) == 1 or len(outermost) == 1):
        return rows[0]
    if rows:
        ids = [row["agent_trace_id"] for row in outermost or rows]
        raise AmbiguousRun(f"several runs begin with {id_!r}; write one of these ids: {', '.join(ids)}", ids)
    raise UnknownRun(explain_missing(read, id_, is_bounded=at is not None))
