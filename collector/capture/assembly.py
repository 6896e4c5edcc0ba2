"""Assembles the runs in the spans and log records of this process, as a server would if it had received them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from tracegrade.evaluators.model import AgentTrace

from ..assembly import assemble
from ..otlp.decode import LOG_COLUMNS, SPAN_COLUMNS, decode_logs, decode_spans
from ..otlp.limits import MOST_MESSAGES, RequestLimits
from ..spans.span import Span

if TYPE_CHECKING:
    from opentelemetry.sdk._logs import ReadableLogRecord
    from opentelemetry.sdk.trace import ReadableSpan

__all__ = ["assemble_runs"]

_LIMITS: Final = RequestLimits(body_bytes=2**30, records=MOST_MESSAGES)


def assemble_runs(spans: Sequence[ReadableSpan], logs: Sequence[ReadableLogRecord]) -> list[AgentTrace]:
    """Return the runs of all traces, in order of time."""
    records: dict[str, list[Mapping[str, Any]]] = {}
    for row in _decode_logs(logs):
        records.setdefault(row["trace_id"], []).append(row)
    traces: dict[str, list[Span]] = {trace_id: [] for trace_id in records if trace_id is not None}
    for row in _decode_spans(spans):
        traces.setdefault(row["trace_id"], []).append(Span.from_row(row))
    runs = [run for trace_id, found in traces.items() for run in assemble(found, records.get(trace_id, ()))]
    return sorted(runs, key=lambda run: (run.started_at is None, run.started_at))


def _decode_spans(spans: Sequence[ReadableSpan]) -> list[Mapping[str, Any]]:
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans  # noqa: PLC0415 - of the extra

    decoded = decode_spans(encode_spans(spans).SerializeToString(), _LIMITS)
    return [dict(zip(SPAN_COLUMNS, row, strict=True)) for row in decoded.rows]


def _decode_logs(logs: Sequence[ReadableLogRecord]) -> list[Mapping[str, Any]]:
    from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs  # noqa: PLC0415 - likewise

    decoded = decode_logs(encode_logs(logs).SerializeToString(), _LIMITS)
    return [dict(zip(LOG_COLUMNS, row, strict=True)) for row in decoded.rows]
