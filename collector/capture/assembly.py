"""Assembles the runs in spans and log records, as a server does that receives them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from tracegrade.evaluators.model import AgentTrace

from ..assembly import assemble
from ..otlp.decode import LOG_COLUMNS, SPAN_COLUMNS, Decoded, decode_logs, decode_spans
from ..otlp.limits import MOST_MESSAGES, RequestLimits
from ..otlp.signal import Signal
from ..spans.span import Span

if TYPE_CHECKING:
    from opentelemetry.sdk._logs import ReadableLogRecord
    from opentelemetry.sdk.trace import ReadableSpan

__all__ = ["assemble_exported_runs", "assemble_runs", "encode"]

_LIMITS: Final = RequestLimits(body_bytes=2**30, records=MOST_MESSAGES)


def assemble_runs(spans: Sequence[ReadableSpan], logs: Sequence[ReadableLogRecord]) -> list[AgentTrace]:
    """Return the runs of all traces of this process, in order of time."""
    (_, traces), (_, records) = encode(spans, logs)
    return assemble_exported_runs([traces], [records])


def encode(spans: Sequence[ReadableSpan], logs: Sequence[ReadableLogRecord]) -> list[tuple[Signal, bytes]]:
    """Return the export request of the spans and that of the log records, in protobuf."""
    from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs  # noqa: PLC0415 - of the extra
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans  # noqa: PLC0415 - likewise

    return [
        (Signal.TRACES, encode_spans(spans).SerializeToString()),
        (Signal.LOGS, encode_logs(logs).SerializeToString()),
    ]


def assemble_exported_runs(traces: Iterable[bytes], logs: Iterable[bytes]) -> list[AgentTrace]:
    """Return the runs of all traces in export requests, in protobuf; in order of time."""
    records: dict[str, list[Mapping[str, Any]]] = {}
    for row in _rows(LOG_COLUMNS, (decode_logs(body, _LIMITS) for body in logs)):
        records.setdefault(row["trace_id"], []).append(row)
    spans: dict[str, list[Span]] = {trace_id: [] for trace_id in records if trace_id is not None}
    for row in _rows(SPAN_COLUMNS, (decode_spans(body, _LIMITS) for body in traces)):
        spans.setdefault(row["trace_id"], []).append(Span.from_row(row))
    runs = [run for trace_id, found in spans.items() for run in assemble(found, records.get(trace_id, ()))]
    return sorted(runs, key=lambda run: (run.started_at is None, run.started_at))


def _rows(columns: Sequence[str], decoded: Iterable[Decoded]) -> Iterator[Mapping[str, Any]]:
    for part in decoded:
        for row in part.rows:
            yield dict(zip(columns, row, strict=True))
