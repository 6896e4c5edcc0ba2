"""The recorded traces of real agent frameworks in `tests/recorded`, each with its truth."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tracegrade.collector.otlp.decode import LOG_COLUMNS, SPAN_COLUMNS, decode_logs, decode_spans
from tracegrade.collector.spans.span import Span

__all__ = ["RECORDINGS", "Recording"]

_FOLDER = Path(__file__).parents[1] / "recorded"


@dataclass(frozen=True)
class Recording:
    """One scenario of one framework."""

    framework: str
    scenario: str

    def __str__(self) -> str:
        return f"{self.framework}-{self.scenario}"

    @property
    def traces_body(self) -> bytes:
        """All export requests of spans, as one."""
        return gzip.decompress(self._file("traces.pb.gz").read_bytes())

    @property
    def logs_body(self) -> bytes:
        """All export requests of log records, as one; empty when none was exported."""
        file = self._file("logs.pb.gz")
        return gzip.decompress(file.read_bytes()) if file.exists() else b""

    @cached_property
    def truth(self) -> Mapping[str, Any]:
        """What really happened, written down by the tools and the scripted model themselves."""
        found: Mapping[str, Any] = json.loads(self._file("truth.json").read_text(encoding="utf-8"))
        return found

    @cached_property
    def spans(self) -> dict[str, list[Span]]:
        """The spans by trace id, in the order they arrived."""
        rows = decode_spans(self.traces_body).rows
        return _by_trace([Span.from_row(dict(zip(SPAN_COLUMNS, row, strict=True))) for row in rows])

    @cached_property
    def logs(self) -> list[Mapping[str, Any]]:
        """The rows of `logs`, in the order they arrived."""
        return [dict(zip(LOG_COLUMNS, row, strict=True)) for row in decode_logs(self.logs_body).rows]

    def logs_of(self, trace_id: str) -> list[Mapping[str, Any]]:
        """The rows of `logs` of one trace."""
        return [row for row in self.logs if row["trace_id"] == trace_id]

    def _file(self, ending: str) -> Path:
        return _FOLDER / self.framework / f"{self.scenario}.{ending}"


def _by_trace(spans: list[Span]) -> dict[str, list[Span]]:
    by_trace: dict[str, list[Span]] = {}
    for span in spans:
        by_trace.setdefault(span.trace_id, []).append(span)
    return by_trace


RECORDINGS = tuple(
    Recording(file.parent.name, file.name.removesuffix(".truth.json"))
    for file in sorted(_FOLDER.glob("*/*.truth.json"))
)
