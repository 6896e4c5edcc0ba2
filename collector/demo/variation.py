"""Varies recorded runs: other ids, times, texts, tokens and resources; who called what stays as it was recorded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from hashlib import blake2b
from typing import Any, Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

__all__ = ["Variation", "derive_id", "vary"]

_TOKEN_KEYS: Final = re.compile(r"gen_ai\.usage\.|llm\.token_count\.|ai\.usage\.")
_MILLISECONDS_KEYS: Final = re.compile(r"\.msTo[A-Z]")
_ID_PREFIX: Final = r"\b(?:adk-call-|call_|chatcmpl-)(?!id\b)"
_ENVIRONMENT_KEYS: Final = ("deployment.environment.name", "deployment.environment")
_SECOND_NS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """How a copy of a recording differs from it. The same `id_seed` gives the same ids.

    All durations are multiplied by `stretch`, token counts by `token_factor`. `texts` are replaced in all values, also
    where they are inside JSON. Every span gets `attributes`, every resource `resource`. Calls of `slow_tool` take
    `slower_s` seconds more.
    """

    id_seed: str
    began: datetime
    stretch: float = 1.0
    token_factor: float = 1.0
    texts: Mapping[str, str] = field(default_factory=dict)
    resource: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)
    slow_tool: str | None = None
    slower_s: float = 0.0


def derive_id(id_seed: str, recorded: bytes) -> bytes:
    """Derive the id that replaces a recorded one, of the same length; an empty one stays empty."""
    return blake2b(id_seed.encode() + recorded, digest_size=len(recorded)).digest() if recorded else recorded


def vary(recording: ExportTraceServiceRequest, variation: Variation) -> ExportTraceServiceRequest:
    """Return a copy of the recording with these differences."""
    copy = ExportTraceServiceRequest()
    copy.CopyFrom(recording)
    clock, texts = _Clock(recording, variation), _Texts(variation)
    for of_resource in copy.resource_spans:
        _set_attributes(of_resource.resource.attributes, variation.resource, without=_ENVIRONMENT_KEYS)
    for span in _spans(copy):
        _vary_span(span, variation, clock.move_ns, texts)
    return copy


def _spans(request: ExportTraceServiceRequest) -> Iterator[Span]:
    for of_resource in request.resource_spans:
        for of_scope in of_resource.scope_spans:
            yield from of_scope.spans


class _Clock:
    """Moves and stretches recorded times."""

    def __init__(self, recording: ExportTraceServiceRequest, variation: Variation) -> None:
        self._recorded_ns = min(span.start_time_unix_nano for span in _spans(recording))
        self._began_ns = int(variation.began.replace(tzinfo=UTC).timestamp()) * _SECOND_NS
        self._stretch = variation.stretch
        self._slower_ns = round(variation.slower_s * _SECOND_NS)
        self._slow_calls = [
            (span.start_time_unix_nano, span.end_time_unix_nano)
            for span in _spans(recording)
            if span.name == variation.slow_tool
        ]

    def move_ns(self, recorded_ns: int) -> int:
        """Return the new time. What happens during a slow call, or after it, is later by the share that has passed."""
        moved_ns = self._began_ns + round((recorded_ns - self._recorded_ns) * self._stretch)
        for start_ns, end_ns in self._slow_calls:
            share = (recorded_ns - start_ns) / max(end_ns - start_ns, 1)
            moved_ns += round(min(max(share, 0.0), 1.0) * self._slower_ns)
        return moved_ns


class _Texts:
    """Replaces texts in one go, so that no replacement is replaced again; and makes ids of calls and answers unique."""

    def __init__(self, variation: Variation) -> None:
        self._new = dict(_escaped(variation.texts))
        self._id_part = derive_id(variation.id_seed, b"\0" * 4).hex()

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest_first = sorted(self._new, key=len, reverse=True)
        return re.compile("|".join((*map(re.escape, longest_first), _ID_PREFIX)))

    def replace(self, text: str) -> str:
        return self._pattern.sub(lambda match: self._new.get(match[0], f"{match[0]}{self._id_part}-"), text)


def _escaped(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each text and its replacement as they are, and as they are in JSON and in JSON within JSON."""
    for old, new in texts.items():
        forms = old, new
        for _ in range(3):
            yield forms
            forms = json.dumps(forms[0])[1:-1], json.dumps(forms[1], ensure_ascii=False)[1:-1]


def _vary_span(span: Span, variation: Variation, move_ns: Callable[[int], int], texts: _Texts) -> None:
    span.trace_id = derive_id(variation.id_seed, span.trace_id)
    span.span_id = derive_id(variation.id_seed, span.span_id)
    span.parent_span_id = derive_id(variation.id_seed, span.parent_span_id)
    span.name = texts.replace(span.name)
    span.status.message = texts.replace(span.status.message)
    span.start_time_unix_nano = move_ns(span.start_time_unix_nano)
    span.end_time_unix_nano = move_ns(span.end_time_unix_nano)
    for event in span.events:
        event.time_unix_nano = move_ns(event.time_unix_nano)
        _vary_attributes(event.attributes, variation, texts)
    _vary_attributes(span.attributes, variation, texts)
    _set_attributes(span.attributes, variation.attributes)


def _vary_attributes(attributes: Any, variation: Variation, texts: _Texts) -> None:
    for attribute in attributes:
        value = attribute.value
        if value.WhichOneof("value") == "int_value" and _TOKEN_KEYS.match(attribute.key):
            value.int_value = round(value.int_value * variation.token_factor)
        elif value.WhichOneof("value") == "double_value" and _MILLISECONDS_KEYS.search(attribute.key):
            value.double_value *= variation.stretch
        else:
            _vary_texts(value, texts)


def _vary_texts(value: Any, texts: _Texts) -> None:
    kind = value.WhichOneof("value")
    if kind == "string_value":
        value.string_value = texts.replace(value.string_value)
    elif kind == "array_value":
        for element in value.array_value.values:
            _vary_texts(element, texts)
    elif kind == "kvlist_value":
        for pair in value.kvlist_value.values:
            _vary_texts(pair.value, texts)


def _set_attributes(attributes: Any, values: Mapping[str, str], *, without: tuple[str, ...] = ()) -> None:
    """Replace the attributes in `values`, and remove those in `without`."""
    kept = [attribute for attribute in attributes if attribute.key not in values and attribute.key not in without]
    del attributes[:]
    attributes.extend(kept)
    for key, value in values.items():
        attributes.add(key=key).value.string_value = value
