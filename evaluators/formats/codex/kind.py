"""Files of Codex: the rollout of a session, and the output of `codex exec --json`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from ..imported import Imported, RecordFault
from ..kind import NO_CLAIM, Claim, Kind, OpenSubAgent
from ..record import Record
from .exec_json import ExecReader, is_event
from .line import BESIDE_RUNS, KNOWN
from .rollout import KIND_NAME, read_rollout

__all__ = ["KIND"]

_ITEMS: Final = frozenset({"function_call", "function_call_output", "local_shell_call", "reasoning"})


def claim(record: Record) -> Claim:
    """Claim the lines of a rollout, of whichever version, and the events of `codex exec --json`."""
    value = record.value
    if record.is_csv or not isinstance(value, dict):
        return NO_CLAIM
    sort = value.get("type")
    if isinstance(sort, str) and "payload" in value and sort in KNOWN | BESIDE_RUNS:
        return Claim(3, f"type {sort}, payload")
    if is_event(value):
        return Claim(3, f"type {sort}")
    if "record_type" in value or ({"id", "timestamp", "instructions"} <= value.keys() and sort is None):
        return Claim(2, "id, timestamp, instructions")
    is_item = isinstance(sort, str) and (sort in _ITEMS or (sort == "message" and "role" in value))
    return Claim(1, f"type {sort}") if is_item else NO_CLAIM


def read(records: Iterable[Record], open_sub_agent: OpenSubAgent | None = None) -> Iterator[Imported | RecordFault]:
    """Read the runs of a session, of whichever form."""
    lines = iter(records)
    for line in lines:
        if line.fault is None:
            rest = chain([line], lines)
            yield from _read_events(rest) if is_event(line.value) else read_rollout(rest, open_sub_agent)
            return
        yield RecordFault(line.place, line.fault)


def _read_events(lines: Iterable[Record]) -> Iterator[Imported | RecordFault]:
    reader = ExecReader()
    for line in lines:
        if line.fault is not None:
            yield RecordFault(line.place, line.fault)
        else:
            yield from reader.add(line)
    yield from reader.flush()


KIND: Final = Kind(KIND_NAME, "sessions of Codex, also codex exec --json", claim, read, read_with=read)
