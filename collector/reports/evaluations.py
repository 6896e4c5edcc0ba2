"""Evaluations in traces that cannot become scores, or become scores without a value, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ..feedback.extract import feedback_in
from ..feedback.model import Feedback
from ..feedback.validate import unheard_in_logs, unheard_in_spans
from ..otlp.decode import LOG_COLUMNS, SPAN_COLUMNS

__all__ = ["unusable_evaluations"]

Row: TypeAlias = Mapping[str, Any]


def unusable_evaluations(spans: Sequence[Row], logs: Sequence[Row]) -> Counter[str]:
    """How many evaluations in rows of `spans` and `logs` cannot be used, by what is wrong with them.

    The rows are all that there is of their traces.
    """
    unheard = unheard_in_spans(_in_order(spans, SPAN_COLUMNS)) + unheard_in_logs(_in_order(logs, LOG_COLUMNS))
    span_ids = {(row["trace_id"], row["span_id"]) for row in spans}
    faults = Counter(fault for feedback in feedback_in(spans, logs) for fault in _faults(feedback, span_ids))
    return unheard + faults


def _faults(feedback: Feedback, span_ids: set[tuple[str, str]]) -> Iterator[str]:
    if feedback.opinion.status == "skipped" and feedback.opinion.reason is not None:
        yield f"{feedback.evaluator}: {feedback.opinion.reason}"
    subject = feedback.subject
    if subject.trace_id is None:
        return
    if subject.span_id is not None and (subject.trace_id, subject.span_id) not in span_ids:
        yield f"{feedback.evaluator}: the span that it evaluates is not there"
    elif all(trace_id != subject.trace_id for trace_id, _ in span_ids):
        yield f"{feedback.evaluator}: the trace that it evaluates is not there"


def _in_order(rows: Iterable[Row], columns: Sequence[str]) -> Iterator[Sequence[Any]]:
    return ([row.get(name) for name in columns] for row in rows)
