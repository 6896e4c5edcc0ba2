"""Extracts external scores from log records, span events and attributes of spans.

Sources: the event gen_ai.evaluation.result of https://github.com/open-telemetry/semantic-conventions-genai
(model/gen-ai/events.yaml); https://github.com/Arize-ai/openinference (spec/annotations.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from .. import dialects
from ..otlp.evaluation_event import EVALUATION_EVENT
from ..spans.span import Span, instant
from ..spans.values import as_session_id
from .model import Feedback, Origin, ScoreContent, Subject
from .validate import collect_annotations, is_name

__all__ = ["extract_feedback", "is_score"]

_NAME, _ERROR = "gen_ai.evaluation.name", "error.type"
_VALUE, _LABEL, _EXPLANATION = (
    "gen_ai.evaluation.score.value",
    "gen_ai.evaluation.score.label",
    "gen_ai.evaluation.explanation",
)
_RESPONSE_ID = "gen_ai.response.id"
_SESSION_IDS = ("session.id", "gen_ai.conversation.id")
_ANNOTATION, _EVALUATION = '.annotation.name":', '.evaluation.name":'
_ID = re.compile(r"[0-9a-f]+")


def is_score(row: Mapping[str, Any]) -> bool:
    """Return whether a row of `logs` is a score, and so not part of an agent's work."""
    return bool(row["event_name"] == EVALUATION_EVENT)


def extract_feedback(spans: Iterable[Mapping[str, Any]], logs: Iterable[Mapping[str, Any]]) -> list[Feedback]:
    """Return the feedback in rows of `spans` and `logs`, each once. Feedback without a displayable name is left out."""
    in_spans = (item for row in spans if _may_have_score(row) for item in _extract_from_span(Span.from_row(row)))
    return list({item.score_id: item for item in (*_extract_from_logs(logs), *in_spans)}.values())


def _extract_from_logs(logs: Iterable[Mapping[str, Any]]) -> Iterator[Feedback]:
    for row in logs:
        if is_score(row):
            attributes = orjson.loads(row["attributes"])
            subject = _subject_of_event(row["trace_id"], row["span_id"], attributes)
            yield from _extract_from_event(subject, attributes, row["time_ns"], "log_event", _sender(row))


def _may_have_score(row: Mapping[str, Any]) -> bool:
    """Return whether a span may have a score. Few do, so this is checked before the span is parsed."""
    attributes = row["attributes"]
    return _EVALUATION in attributes or _ANNOTATION in attributes or EVALUATION_EVENT in row["events"]


def _extract_from_span(span: Span) -> Iterator[Feedback]:
    target = _find_subject(span)
    sender = _sender(vars(span))
    if target.span_id != span.span_id or target.trace_id != span.trace_id:
        sender["carrier"] = f"{span.trace_id}-{span.span_id}"
    for event in span.events_named(EVALUATION_EVENT):
        subject = _subject_of_event(target.trace_id, target.span_id, event.attributes)
        yield from _extract_from_event(subject, event.attributes, event.time_ns or span.end_ns, "span_event", sender)
    for (scope, *_), fields in collect_annotations(span.attributes).items():
        annotated = _scope_subject(scope, target, span)
        if annotated is not None and is_name(fields.get("name")):
            yield _build_feedback(annotated, fields, span, sender)


def _extract_from_event(
    subject: Subject, attributes: Mapping[str, Any], time_ns: int, origin: Origin, sender: Mapping[str, str]
) -> Iterator[Feedback]:
    name = attributes.get(_NAME)
    if not is_name(name):
        return
    content = ScoreContent.of(
        attributes.get(_VALUE),
        label=attributes.get(_LABEL),
        explanation=attributes.get(_EXPLANATION),
        error=attributes.get(_ERROR),
        details=sender,
    )
    yield Feedback(
        subject=subject,
        evaluator=name,
        origin=origin,
        author=_author(sender),
        given_at=instant(time_ns).replace(tzinfo=None),
        content=content,
    )


def _build_feedback(subject: Subject, fields: Mapping[str, Any], span: Span, sender: Mapping[str, str]) -> Feedback:
    """Build the feedback from one object of OpenInference's `annotations` or `evaluations`, which are equivalent."""
    annotator = {name: fields[name] for name in ("annotator_kind", "identifier") if name in fields}
    if "metadata" in fields:
        annotator["metadata"] = _decode_metadata(fields["metadata"])
    content = ScoreContent.of(
        fields.get("score"),
        label=fields.get("label"),
        explanation=fields.get("explanation"),
        details={**sender, **annotator},
    )
    return Feedback(
        subject=subject,
        evaluator=fields["name"],
        origin="span_attributes",
        author=str(fields.get("identifier") or "") or _author(sender),
        kind="human" if fields.get("annotator_kind") == "HUMAN" else "external",
        given_at=instant(span.end_ns or span.start_ns).replace(tzinfo=None),
        content=content,
    )


def _find_subject(span: Span) -> Subject:
    """Return the subject of feedback on `span`: the span or, if it records no step of an agent, the one it links to.

    A span that has ended cannot be changed, so that later feedback is sent in a span of its own.
    """
    link = span.links[0] if len(span.links) == 1 else None
    if link is None or not _is_id(link["trace_id"], 32) or not _is_id(link["span_id"], 16) or _records_step(span):
        return Subject(trace_id=span.trace_id, span_id=span.span_id)
    return Subject(trace_id=link["trace_id"], span_id=link["span_id"])


def _records_step(span: Span) -> bool:
    try:
        return dialects.read(span) is not None
    except Exception:  # noqa: BLE001 - a span that a dialect cannot read is claimed by it
        return True


def _subject_of_event(trace_id: str | None, span_id: str | None, attributes: Mapping[str, Any]) -> Subject:
    """Return the subject of an event; a response id names the model call if the span is that of the evaluation."""
    response_id = attributes.get(_RESPONSE_ID)
    return Subject(
        trace_id=trace_id, span_id=span_id, response_id=response_id if isinstance(response_id, str) else None
    )


def _scope_subject(scope: str | None, target: Subject, span: Span) -> Subject | None:
    match scope:
        case "trace":
            return Subject(trace_id=target.trace_id)
        case "session":
            session_id = as_session_id(span.text(*_SESSION_IDS))
            return None if session_id is None else Subject(session_id=session_id)
    return target


def _sender(row: Mapping[str, Any]) -> dict[str, str]:
    return {name: row[name] for name in ("service_name", "scope_name") if row[name]}


def _author(sender: Mapping[str, str]) -> str:
    return sender.get("service_name") or sender.get("scope_name") or "unknown"


def _decode_metadata(metadata: Any) -> Any:
    """Decode metadata from JSON. A text that is not JSON, or is too deep to be encoded again, stays as it is."""
    try:
        decoded = orjson.loads(metadata)
        orjson.dumps({"within": {"details": decoded}})
    except (ValueError, TypeError):
        return metadata
    return decoded


def _is_id(text: object, length: int) -> bool:
    return isinstance(text, str) and len(text) == length and _ID.fullmatch(text) is not None
