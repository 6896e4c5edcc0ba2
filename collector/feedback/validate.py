"""Finds evaluations that cannot become scores, so that the answer to their sender can name the fault."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeGuard

import orjson

from tracegrade.queries.foreign_text import is_shown_whole

from ..otlp.decode import LOG_COLUMNS, SPAN_COLUMNS
from ..otlp.evaluation_event import EVALUATION_EVENT
from ..spans.values import LONGEST_NAME

__all__ = ["collect_annotations", "count_faults_in_logs", "count_faults_in_spans", "is_name"]

_NAME: Final = "gen_ai.evaluation.name"
_TRACE_ID, _EVENT_NAME, _ATTRIBUTES = map(LOG_COLUMNS.index, ("trace_id", "event_name", "attributes"))
_EVENTS, _SPAN_ATTRIBUTES = map(SPAN_COLUMNS.index, ("events", "attributes"))

_ANNOTATION = re.compile(
    r"(?:(trace|session)\.)?(?:annotations\.(\d+)\.annotation|evaluations\.(\d+)\.evaluation)"
    r"\.(name|score|label|explanation|annotator_kind|identifier|metadata)"
)
_ANNOTATION_MARK: Final = ".annotation."
_EVALUATION_MARK: Final = ".evaluation."

_NO_TRACE: Final = "without a trace id, so that it is not known what was evaluated"
_NO_NAME: Final = "without gen_ai.evaluation.name, so that it is not known what the score means"
_NO_ANNOTATION_NAME: Final = "without the name of an annotation, so that it is not known what the score means"
_HIDING_NAME: Final = "with a name that holds control, bidirectional or zero-width characters: take these out"
_LONG_NAME: Final = f"with a name of more than {LONGEST_NAME} characters: shorten it"

Annotation = tuple[str | None, ...]


def collect_annotations(attributes: Mapping[str, Any]) -> dict[Annotation, dict[str, Any]]:
    """Collect the fields of each object of OpenInference's `annotations` or `evaluations` in a span's attributes.

    The first part of a key is the subject: `trace`, `session`, or None for the span.
    """
    fields: dict[Annotation, dict[str, Any]] = {}
    for key, value in attributes.items():
        if match := _ANNOTATION.fullmatch(key):
            fields.setdefault(match.groups()[:3], {})[match[4]] = value
    return fields


def is_name(value: object) -> TypeGuard[str]:
    """Return whether `value` can name an evaluation: a text without invisible characters."""
    return _find_fault_of_name(value, missing="") is None


def count_faults_in_logs(logs: Iterable[Sequence[Any]]) -> Counter[str]:
    """Count the rows of `logs` with evaluations that cannot become scores, by fault."""
    return Counter(fault for row in logs if row[_EVENT_NAME] == EVALUATION_EVENT for fault in _find_faults_of_log(row))


def count_faults_in_spans(spans: Iterable[Sequence[Any]]) -> Counter[str]:
    """Count the evaluations in rows of `spans` that cannot become scores, by fault."""
    marked = ((row[_EVENTS], row[_SPAN_ATTRIBUTES]) for row in spans if _may_have_evaluation(row))
    return Counter(fault for events, attributes in marked for fault in _find_faults_of_span(events, attributes))


def _may_have_evaluation(row: Sequence[Any]) -> bool:
    """Return whether a span may have an evaluation. Few do, so this is checked before the span is parsed."""
    events, attributes = row[_EVENTS], row[_SPAN_ATTRIBUTES]
    return EVALUATION_EVENT in events or _ANNOTATION_MARK in attributes or _EVALUATION_MARK in attributes


def _find_faults_of_log(row: Sequence[Any]) -> Iterator[str]:
    if row[_TRACE_ID] is None:
        yield _NO_TRACE
    elif fault := _find_fault_of_name(orjson.loads(row[_ATTRIBUTES]).get(_NAME), missing=_NO_NAME):
        yield fault


def _find_faults_of_span(events: str, attributes: str) -> Iterator[str]:
    for event in orjson.loads(events):
        if event["name"] == EVALUATION_EVENT and (
            fault := _find_fault_of_name(event["attributes"].get(_NAME), missing=_NO_NAME)
        ):
            yield fault
    for fields in collect_annotations(orjson.loads(attributes)).values():
        if fault := _find_fault_of_name(fields.get("name"), missing=_NO_ANNOTATION_NAME):
            yield fault


def _find_fault_of_name(name: object, *, missing: str) -> str | None:
    """Return the fault of an evaluation's name, `missing` if there is no name; None without a fault."""
    if not isinstance(name, str) or not name:
        return missing
    if len(name) > LONGEST_NAME:
        return _LONG_NAME
    return None if is_shown_whole(name) else _HIDING_NAME
