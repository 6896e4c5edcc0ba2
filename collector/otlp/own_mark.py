"""Recognises our own records when they come back, by a mark that only this store can write.

Exported records may reach this server again, through a Collector that copies everything. If they were evaluated, they
would be exported again. A scope or service name is not sufficient, since any sender can use it to avoid evaluation.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import orjson

from ..system.log import log
from ..system.private_file import create_private_file, read_own
from .decode import LOG_COLUMNS, SPAN_COLUMNS, Row
from .signal import Signal

__all__ = ["MARK", "OWN_SCOPE", "Mark", "mark_of"]

OWN_SCOPE: Final = "tracegrade"
"""The instrumentation scope of the records that we send."""

MARK: Final = "tracegrade.mark"
"""The attribute that has the mark."""

_KEY_BYTES: Final = 32
_CHARACTERS: Final = 32
_COLUMNS: Final = {Signal.TRACES: SPAN_COLUMNS, Signal.LOGS: LOG_COLUMNS}
_TIMES: Final = {Signal.TRACES: "start_ns", Signal.LOGS: "time_ns"}


class Mark:
    """Marks records with a key and recognises them by it; without a key no record counts as ours.

    A mark covers the signal, the ids and the time of its record, so that it is not valid on another one.
    """

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key

    def attributes(self, signal: Signal, trace_id: str | None, span_id: str | None, time_ns: int) -> dict[str, str]:
        """Return the attributes that mark a record as ours, by its ids in hex and its time (of a span, its start)."""
        return {} if self._key is None else {MARK: self._over(self._key, signal, trace_id, span_id, time_ns)}

    def without_own(self, signal: Signal, rows: list[Row]) -> list[Row]:
        """Return decoded rows of `spans` or `logs` without those that we sent."""
        scope = _COLUMNS[signal].index("scope_name")
        if self._key is None or all(row[scope] != OWN_SCOPE for row in rows):
            return rows
        return [row for row in rows if row[scope] != OWN_SCOPE or not self._is_on(self._key, signal, row)]

    def _is_on(self, key: bytes, signal: Signal, row: Sequence[Any]) -> bool:
        record = dict(zip(_COLUMNS[signal], row, strict=True))
        mark = orjson.loads(record["attributes"]).get(MARK)
        ours = self._over(key, signal, record["trace_id"], record["span_id"], record[_TIMES[signal]])
        return isinstance(mark, str) and hmac.compare_digest(mark.encode(), ours.encode())

    def _over(self, key: bytes, signal: Signal, trace_id: str | None, span_id: str | None, time_ns: int) -> str:
        record = f"{signal.value} {trace_id or ''} {span_id or ''} {time_ns}"
        return hmac.new(key, record.encode(), hashlib.sha256).hexdigest()[:_CHARACTERS]


def mark_of(file: Path, *, is_sending: bool) -> Mark:
    """Return the mark of a store, by the key in `file`, which outlives the process, as records may come back later.

    The key is created if the store sends records and has none. It is not in the store itself, where any SELECT could
    read it. If it cannot be written, it holds for this process only.
    """
    key = read_own(file, limit_bytes=_KEY_BYTES, is_secret=True)
    if key is not None and len(key) < _KEY_BYTES:  # truncated on a full disk
        key = None
    if key is None and is_sending:
        key = secrets.token_bytes(_KEY_BYTES)
        try:
            with create_private_file(file) as writing:
                writing.write(key)
        except OSError as error:
            log.warning("what is sent on is not known again after a restart", file=str(file), cause=str(error))
    return Mark(key)
