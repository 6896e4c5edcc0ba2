"""Adds content that was sent in log records to the spans that it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .. import dialects
from ..spans.frozen import replace
from ..spans.span import Span, join_logs
from ..spans.step import Step
from ..spans.values import GAPS

__all__ = ["with_contents"]

_EVALUATION = "gen_ai.evaluation."
_UNPLACED = "unplaced_content"


def with_contents(spans: Iterable[Span], logs: Iterable[Mapping[str, Any]]) -> list[Span]:
    """Return the spans of one trace with the rows of `logs` among their events.

    Content events that name no span belong to the model call of the trace if there is only one. If there are
    several, those that record no messages have a gap.
    """
    logs = list(logs)
    if not any(map(_lacks_span, logs)):
        return join_logs(spans, logs)
    spans = list(spans)
    calls = [(span.span_id, step) for span in spans if (step := _read_model_call(span)) is not None]
    if len(calls) == 1:
        [(span_id, _)] = calls
        return join_logs(spans, [{**row, "span_id": span_id} if _lacks_span(row) else row for row in logs])
    silent = {span_id for span_id, step in calls if step.input is None and step.output is None}
    return join_logs([_with_gap(span) if span.span_id in silent else span for span in spans], logs)


def _lacks_span(row: Mapping[str, Any]) -> bool:
    name = row["event_name"] or ""
    return row["span_id"] is None and name.startswith("gen_ai.") and not name.startswith(_EVALUATION)


def _read_model_call(span: Span) -> Step | None:
    try:
        reading = dialects.read(span)
    except Exception:  # noqa: BLE001 - the assembly reports the span as a gap
        return None
    return reading[1] if reading is not None and reading[1].kind == "model" else None


def _with_gap(span: Span) -> Span:
    recorded = span.attributes.get(GAPS)
    gaps = [*(recorded if isinstance(recorded, list) else ()), _UNPLACED]
    return replace(span, attributes={**span.attributes, GAPS: gaps})
