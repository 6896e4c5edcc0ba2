"""Evaluations that arrive and cannot become scores, so that their sender learns it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import orjson

from .decode import LOG_COLUMNS, SPAN_COLUMNS

__all__ = ["annotations_in", "unheard_in_logs", "unheard_in_spans"]

_EVENT: Final = "gen_ai.evaluation.result"
_NAME: Final = "gen_ai.evaluation.name"
_TRACE_ID, _EVENT_NAME, _ATTRIBUTES = map(LOG_COLUMNS.index, ("trace_id", "event_name", "attributes"))
_EVENTS, _SPAN_ATTRIBUTES = map(SPAN_COLUMNS.index, ("events", "attributes"))

_ANNOTATION = re.compile(
    r"(?:(trace|session)\.)?(?:annotations\.(\d+)\.annotation|evaluations\.(\d+)\.evaluation)"
    r"\.(name|score|label|explanation|annotator_kind|identifier|metadata)"
)
_ANNOTATION_MARK: Final = ".annotation."
_EVALUATION_MARK: Final = ".evaluation."

_NO_TRACE: Final = "a trace id, so that it is not known what was evaluated"
_NO_NAME: Final = "gen_ai.evaluation.name, so that it is not known what the score means"
_NO_ANNOTATION_NAME: Final = "the name of an annotation, so that it is not known what the score means"

Annotation = tuple[str | None, ...]


def annotations_in(attributes: Mapping[str, Any]) -> dict[Annotation, dict[str, Any]]:
    """The fields of each object of OpenInference's `annotations` or `evaluations` in the attributes of a span.

    The first part of a key is what it is about: `trace`, `session` or None, the span.
    """
    fields: dict[Annotation, dict[str, Any]] = {}
    for key, value in attributes.items():
        if match := _ANNOTATION.fullmatch(key):
            fields.setdefault(match.groups()[:3], {})[match[4]] = value
    return fields


def unheard_in_logs(logs: Iterable[Sequence[Any]]) -> Counter[str]:
    """How many rows of `logs` are evaluations that cannot become scores, by what they lack."""
    return Counter(lack for row in logs if row[_EVENT_NAME] == _EVENT for lack in _lacks_of_log(row))


def unheard_in_spans(spans: Iterable[Sequence[Any]]) -> Counter[str]:
    """How many evaluations in rows of `spans` cannot become scores, by what they lack."""
    marked = ((row[_EVENTS], row[_SPAN_ATTRIBUTES]) for row in spans if _is_marked(row))
    return Counter(lack for events, attributes in marked for lack in _lacks_of_span(events, attributes))


def _is_marked(row: Sequence[Any]) -> bool:
    """Whether a span may carry an evaluation: few do, and this is seen before anything of them is read."""
    events, attributes = row[_EVENTS], row[_SPAN_ATTRIBUTES]
    return _EVENT in events or _ANNOTATION_MARK in attributes or _EVALUATION_MARK in attributes


def _lacks_of_log(row: Sequence[Any]) -> Iterator[str]:
    if row[_TRACE_ID] is None:
        yield _NO_TRACE
    elif not _is_name(orjson.loads(row[_ATTRIBUTES]).get(_NAME)):
        yield _NO_NAME


def _lacks_of_span(events: str, attributes: str) -> Iterator[str]:
    for event in orjson.loads(events):
        if event["name"] == _EVENT and not _is_name(event["attributes"].get(_NAME)):
            yield _NO_NAME
    for fields in annotations_in(orjson.loads(attributes)).values():
        if not _is_name(fields.get("name")):
            yield _NO_ANNOTATION_NAME


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value != ""
