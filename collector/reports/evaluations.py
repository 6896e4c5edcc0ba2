"""Counts evaluations in traces that cannot become scores, or become scores without a value, by cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ..feedback.extract import extract_feedback
from ..feedback.model import Feedback
from ..feedback.validate import count_faults_in_logs, count_faults_in_spans
from ..otlp.decode import LOG_COLUMNS, SPAN_COLUMNS

__all__ = ["count_unusable_evaluations"]

Row: TypeAlias = Mapping[str, Any]


def count_unusable_evaluations(spans: Sequence[Row], logs: Sequence[Row]) -> Counter[str]:
    """Count the evaluations in rows of `spans` and `logs` that cannot be used, by fault.

    The rows are all rows of their traces.
    """
    unheard = count_faults_in_spans(_order_columns(spans, SPAN_COLUMNS)) + count_faults_in_logs(
        _order_columns(logs, LOG_COLUMNS)
    )
    span_ids = {(row["trace_id"], row["span_id"]) for row in spans}
    faults = Counter(fault for feedback in extract_feedback(spans, logs) for fault in _find_faults(feedback, span_ids))
    return unheard + faults


def _find_faults(feedback: Feedback, span_ids: set[tuple[str, str]]) -> Iterator[str]:
    if feedback.content.status == "skipped" and feedback.content.reason is not None:
        yield f"{feedback.evaluator}: {feedback.content.reason}"
    subject = feedback.subject
    if subject.trace_id is None:
        return
    if subject.span_id is not None and (subject.trace_id, subject.span_id) not in span_ids:
        yield f"{feedback.evaluator}: the span that it evaluates is not there"
    elif all(trace_id != subject.trace_id for trace_id, _ in span_ids):
        yield f"{feedback.evaluator}: the trace that it evaluates is not there"


def _order_columns(rows: Iterable[Row], columns: Sequence[str]) -> Iterator[Sequence[Any]]:
    return ([row.get(name) for name in columns] for row in rows)
