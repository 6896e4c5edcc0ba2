"""What is told of a commit: to those who assemble traces, and to those who sent what was stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..feedback.validate import count_faults_in_logs, count_faults_in_spans
from ..otlp.decode import LOG_COLUMNS, SPAN_COLUMNS, Decoded, Row
from ..otlp.signal import Signal
from ..receiver import ExportOutcome
from ..system.log import log

__all__ = ["Arrived", "make_outcome"]

_ATTRIBUTES, _EVENTS = SPAN_COLUMNS.index("attributes"), SPAN_COLUMNS.index("events")
_BODY = LOG_COLUMNS.index("body")
_SERVICE, _LOG_SERVICE = SPAN_COLUMNS.index("service_name"), LOG_COLUMNS.index("service_name")


@dataclass(frozen=True, slots=True)
class Arrived:
    """A commit, as the assembler needs it: for each trace that it adds to, the bytes that arrived and the service.

    A trace of several services has any one of them in `services`; None or no entry if it is not known.
    """

    batch_seq: int
    trace_bytes: Mapping[str, int]
    services: Mapping[str, str | None] = field(default_factory=dict)

    @classmethod
    def of(cls, batch_seq: int, spans: Sequence[Row], logs: Sequence[Row]) -> Arrived:
        """Describe the commit of rows of spans and of log records."""
        return cls(batch_seq, _measure_traces(spans, logs), _find_services(spans, logs))


def _measure_traces(spans: Sequence[Row], logs: Sequence[Row]) -> dict[str, int]:
    """Return the size of the content that arrived, by trace id. The first column of a row is the trace id."""
    sizes: dict[str, int] = {}
    for row in spans:
        sizes[row[0]] = sizes.get(row[0], 0) + len(row[_ATTRIBUTES]) + len(row[_EVENTS])
    for row in logs:
        if row[0] is not None:
            sizes[row[0]] = sizes.get(row[0], 0) + len(row[_BODY] or "")
    return sizes


def _find_services(spans: Sequence[Row], logs: Sequence[Row]) -> dict[str, str | None]:
    """Return the service of each trace; spans take precedence over log records, which other services may send."""
    of_logs = {row[0]: row[_LOG_SERVICE] for row in logs if row[0] is not None}
    return of_logs | {row[0]: row[_SERVICE] for row in spans}


def make_outcome(signal: Signal, decoded: Decoded) -> ExportOutcome:
    """Return what the sender of a request is told once it is stored."""
    refused: Counter[str] = decoded.refused
    what = "span" if signal is Signal.TRACES else "log record"
    reasons = "; ".join(f"{count} {what}{'s' if count > 1 else ''}: {reason}" for reason, count in refused.items())
    not_kept = [f"not kept: {reasons}. Sending the same again cannot help."] if refused else []
    return ExportOutcome(
        accepted=len(decoded.rows),
        rejected=refused.total(),
        message=" ".join([*not_kept, *_describe_faults(signal, decoded.rows)]),
    )


def _describe_faults(signal: Signal, rows: Sequence[Row]) -> list[str]:
    """Describe the evaluations that are stored as they arrived, but cannot become scores."""
    count_faults = count_faults_in_spans if signal is Signal.TRACES else count_faults_in_logs
    faults = count_faults(rows)
    for fault, count in faults.items():
        log.warning("evaluations were sent that cannot be used", fault=fault, count=count)
    return [f"kept, but not a score: {count} evaluation{'s' * (count > 1)} {fault}." for fault, count in faults.items()]
