"""Content that was sent in log records, on the spans that it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .. import dialects
from ..span import Span, join

__all__ = ["with_contents"]

_EVALUATION = "gen_ai.evaluation."


def with_contents(spans: Iterable[Span], logs: Iterable[Mapping[str, Any]]) -> list[Span]:
    """The spans of one trace with the rows of `logs` among their events.

    Content events that name no span belong to the model call of the trace where there is only one.
    """
    logs = list(logs)
    if not any(map(_lacks_span, logs)):
        return join(spans, logs)
    spans = list(spans)
    span_id = _only_model_call(spans)
    return join(spans, [{**row, "span_id": span_id} if _lacks_span(row) else row for row in logs])


def _lacks_span(row: Mapping[str, Any]) -> bool:
    name = row["event_name"] or ""
    return row["span_id"] is None and name.startswith("gen_ai.") and not name.startswith(_EVALUATION)


def _only_model_call(spans: Sequence[Span]) -> str | None:
    model_calls = [span.span_id for span in spans if _is_model_call(span)]
    return model_calls[0] if len(model_calls) == 1 else None


def _is_model_call(span: Span) -> bool:
    try:
        reading = dialects.read(span)
    except Exception:  # noqa: BLE001 - the assembly names the span as a gap
        return False
    return reading is not None and reading[1].kind == "model"
