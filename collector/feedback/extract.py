"""Hears the scores that others send: in log records, in span events and in attributes of spans.

Sources: the event gen_ai.evaluation.result of https://github.com/open-telemetry/semantic-conventions-genai
(model/gen-ai/events.yaml); https://github.com/Arize-ai/openinference (spec/annotations.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from .. import dialects
from ..spans.span import Span, instant
from ..spans.values import as_session_id
from .model import Feedback, Opinion, Origin, Subject
from .validate import annotations_in, is_name

__all__ = ["EVENT", "feedback_in", "is_score"]

EVENT = "gen_ai.evaluation.result"

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
    """Whether a row of `logs` is a score, and so no part of what an agent did."""
    return bool(row["event_name"] == EVENT)


def feedback_in(spans: Iterable[Mapping[str, Any]], logs: Iterable[Mapping[str, Any]]) -> list[Feedback]:
    """The feedback in rows of `spans` and `logs`, each once; without a name that can be shown it is none."""
    heard = [*_in_logs(logs), *(one for row in spans if _may_tell(row) for one in _in_span(Span.from_row(row)))]
    return list({one.score_id: one for one in heard}.values())


def _in_logs(logs: Iterable[Mapping[str, Any]]) -> Iterator[Feedback]:
    for row in logs:
        if is_score(row):
            attributes = orjson.loads(row["attributes"])
            subject = _about(row["trace_id"], row["span_id"], attributes)
            yield from _in_event(subject, attributes, row["time_ns"], "log_event", _sender(row))


def _may_tell(row: Mapping[str, Any]) -> bool:
    """Few spans carry a score: this is seen before anything of them is read."""
    attributes = row["attributes"]
    return _EVALUATION in attributes or _ANNOTATION in attributes or EVENT in row["events"]


def _in_span(span: Span) -> Iterator[Feedback]:
    at = _judged_by(span)
    sender = _sender(vars(span))
    if at.span_id != span.span_id or at.trace_id != span.trace_id:
        sender["carrier"] = f"{span.trace_id}-{span.span_id}"
    for event in span.events_named(EVENT):
        subject = _about(at.trace_id, at.span_id, event.attributes)
        yield from _in_event(subject, event.attributes, event.time_ns or span.end_ns, "span_event", sender)
    for (scope, *_), fields in annotations_in(span.attributes).items():
        about = _scoped(scope, at, span)
        if about is not None and is_name(fields.get("name")):
            yield _of_fields(about, fields, span, sender)


def _in_event(
    subject: Subject, attributes: Mapping[str, Any], time_ns: int, origin: Origin, sender: Mapping[str, str]
) -> Iterator[Feedback]:
    name = attributes.get(_NAME)
    if not is_name(name):
        return
    opinion = Opinion.of(
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
        opinion=opinion,
    )


def _of_fields(subject: Subject, fields: Mapping[str, Any], span: Span, sender: Mapping[str, str]) -> Feedback:
    """One object of OpenInference's `annotations` or `evaluations`, which mean the same."""
    told = {name: fields[name] for name in ("annotator_kind", "identifier") if name in fields}
    if "metadata" in fields:
        told["metadata"] = _object(fields["metadata"])
    opinion = Opinion.of(
        fields.get("score"),
        label=fields.get("label"),
        explanation=fields.get("explanation"),
        details={**sender, **told},
    )
    return Feedback(
        subject=subject,
        evaluator=fields["name"],
        origin="span_attributes",
        author=str(fields.get("identifier") or "") or _author(sender),
        kind="human" if fields.get("annotator_kind") == "HUMAN" else "external",
        given_at=instant(span.end_ns or span.start_ns).replace(tzinfo=None),
        opinion=opinion,
    )


def _judged_by(span: Span) -> Subject:
    """What feedback on `span` is about: the span itself or, where it records no step of an agent, the one it links to.

    A span that has ended cannot be added to, so feedback that comes later has a span of its own.
    """
    link = span.links[0] if len(span.links) == 1 else None
    if link is None or not _is_id(link["trace_id"], 32) or not _is_id(link["span_id"], 16) or _records_step(span):
        return Subject(trace_id=span.trace_id, span_id=span.span_id)
    return Subject(trace_id=link["trace_id"], span_id=link["span_id"])


def _records_step(span: Span) -> bool:
    try:
        return dialects.read(span) is not None
    except Exception:  # noqa: BLE001 - what a dialect cannot make sense of it does claim
        return True


def _about(trace_id: str | None, span_id: str | None, attributes: Mapping[str, Any]) -> Subject:
    """A response id says which model call is judged where no span is named."""
    response_id = attributes.get(_RESPONSE_ID) if span_id is None else None
    return Subject(
        trace_id=trace_id, span_id=span_id, response_id=response_id if isinstance(response_id, str) else None
    )


def _scoped(scope: str | None, at: Subject, span: Span) -> Subject | None:
    match scope:
        case "trace":
            return Subject(trace_id=at.trace_id)
        case "session":
            session_id = as_session_id(span.text(*_SESSION_IDS))
            return None if session_id is None else Subject(session_id=session_id)
    return at


def _sender(row: Mapping[str, Any]) -> dict[str, str]:
    return {name: row[name] for name in ("service_name", "scope_name") if row[name]}


def _author(sender: Mapping[str, str]) -> str:
    return sender.get("service_name") or sender.get("scope_name") or "unknown"


def _object(metadata: Any) -> Any:
    """Metadata is JSON in a text; what cannot be read, or cannot be written again for its depth, stays the text."""
    try:
        found = orjson.loads(metadata)
        orjson.dumps({"within": {"details": found}})
    except (ValueError, TypeError):
        return metadata
    return found


def _is_id(text: object, length: int) -> bool:
    return isinstance(text, str) and len(text) == length and _ID.fullmatch(text) is not None
