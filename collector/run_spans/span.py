"""Builds one span of a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from ..otlp.attribute_values import encode_attributes, encode_text
from ..spans.failure import build_failure_text
from ..spans.values import GAPS, NO_DURATION
from .json_text import json_text
from .run_ids import RunId
from .times import Period

__all__ = ["build_span"]

_IS_REMOTE: Final = 0x300
"""The flags of a span whose parent belongs to another process: nobody waits for that one."""

_TYPED: Final = re.compile(r"([A-Z]\w*): ")
_OTHER: Final = "_OTHER"
"""The type of an error that the conventions give to one without a type."""
_INTERRUPT: Final = "GraphInterrupt"
"""LangGraph's exception by which a run stops for a person: the conventions have no name for it."""


def build_span(  # noqa: PLR0913 - what a span has
    name: str,
    span_id: RunId,
    *,
    period: Period,
    attributes: Mapping[str, Any],
    parent: str | None = None,
    is_remote: bool = False,
    kind: Span.SpanKind.ValueType = Span.SPAN_KIND_INTERNAL,
    error: str | None = None,
    interrupt: str | None = None,
    gaps: Iterable[str] = (),
) -> Span:
    """Return a span; an `error` is its status, and an `interrupt` ("" without a question) an exception on it."""
    stated = dict.fromkeys([*gaps, *((NO_DURATION,) if period.end_ns and not period.is_measured else ())])
    message, error_type = (None, None) if error is None else _describe_error(error)
    return Span(
        trace_id=bytes.fromhex(span_id.trace_id),
        span_id=bytes.fromhex(span_id.span_id),
        parent_span_id=bytes.fromhex(parent or ""),
        flags=_IS_REMOTE if is_remote else 0,
        name=encode_text(name),
        kind=kind,
        start_time_unix_nano=period.start_ns,
        end_time_unix_nano=period.end_ns,
        attributes=encode_attributes({**attributes, "error.type": error_type, GAPS: list(stated) or None}),
        events=[] if interrupt is None else [_build_interrupt(interrupt, period.start_ns)],
        status=None if message is None else Status(code=Status.STATUS_CODE_ERROR, message=encode_text(message)),
    )


def _describe_error(error: str) -> tuple[str, str | None]:
    """Return the message of a status and the type of an error, from which the same text is read.

    A text that is taken for an envelope, such as the repr of an exception, is put into another one.
    """
    match = _TYPED.match(error)
    error_type = match[1] if match else _OTHER
    forms = [(message, kind) for message in (error, json_text({"message": error})) for kind in (error_type, None)]
    return next((form for form in forms if build_failure_text(form[0], error_type=form[1]) == error), forms[0])


def _build_interrupt(question: str, time_ns: int) -> Span.Event:
    attributes = {"exception.type": _INTERRUPT}
    if question:
        attributes["exception.message"] = f"(Interrupt(value='{question}', id='0'),)"
    return Span.Event(name="exception", time_unix_nano=time_ns, attributes=encode_attributes(attributes))
