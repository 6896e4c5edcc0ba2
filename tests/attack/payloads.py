"""Exports that are small on the wire and large behind it, or that no exporter would send."""

from __future__ import annotations

import gzip
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from tests.bench.traffic import run, serialized
from tests.support import otlp

__all__ = ["NASTY", "Payload", "bombs", "escaping", "flood", "mutated", "quiet_run"]

NASTY: Final = (
    "\x1b]0;owned\x07",
    "\x1b[2J\x1b[H",
    "ok\r\npass 1.000 forged line",
    "\u202egnp.exe",
    "a\u200bb\ufeff",
    "\x9b31m",
    "'; drop table spans; --",
    "<script>alert(1)</script>",
    "../../../../etc/passwd",
    "x" * 10_000,
)
"""Names that act where they are shown: on a terminal, in a page, in SQL, in a path."""

_MB: Final = 2**20
_PROTOBUF: Final = "application/x-protobuf"
_JSON: Final = "application/json"
_EMPTY_RECORDS: Final = 7_000_000
_SPAN_FIELDS: Final = {"attributes": 9, "events": 11, "links": 13}
_ID_BYTES: Final = 24


@dataclass(frozen=True, slots=True)
class Payload:
    """The body of an export over HTTP, and its headers."""

    name: str
    body: bytes
    content_type: str = _PROTOBUF
    encoding: str | None = "gzip"
    signal: str = "traces"
    headers: dict[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.headers["content-type"] = self.content_type
        if self.encoding:
            self.headers["content-encoding"] = self.encoding


@cache
def bombs() -> Sequence[Payload]:
    """A few kilobytes each, or a body that ends within the limit of one request."""
    return (
        Payload("large resource", _zipped(large_resource())),
        Payload("large resource, plain", large_resource(), encoding=None),
        Payload("empty spans", _zipped(_request(b"\x12\x00" * _EMPTY_RECORDS))),
        *(Payload(f"empty {name}", _zipped(_in_one_span(number))) for name, number in _SPAN_FIELDS.items()),
        Payload("empty spans in JSON", _zipped(_json_of_empty_spans()), content_type=_JSON),
        Payload("zeros", _zipped(bytes(256 * _MB))),
        Payload("gzip in gzip", _zipped(_zipped(bytes(64 * _MB)))),
        Payload("nested", _zipped(_nested(1_000_000)), content_type=_JSON),
        Payload("empty log records", _zipped(_request(b"\x12\x00" * _EMPTY_RECORDS)), signal="logs"),
    )


@cache
def large_resource(spans: int = 1_000) -> bytes:
    """Spans whose resource has one attribute of a megabyte, which each of their rows would have again."""
    return otlp.traces_request(
        [otlp.span(number + 1) for number in range(spans)], resource={"service.name": "x", "text": "x" * _MB}
    )


def flood(traces: int, chance: random.Random) -> Payload:
    """So many traces of one span in one request: nothing about agents in any of them."""
    span = otlp.span(name="tick", start_time_unix_nano=time.time_ns(), end_time_unix_nano=time.time_ns())
    ids = span.trace_id + b"\x12\x08" + span.span_id
    before, after = span.SerializeToString().split(ids)
    head = b"\x12" + _varint(len(before) + len(ids) + len(after)) + before
    noise = chance.randbytes(traces * _ID_BYTES)
    spans = (
        head + noise[at : at + 16] + b"\x12\x08" + noise[at + 16 : at + _ID_BYTES] + after
        for at in range(0, len(noise), _ID_BYTES)
    )
    return Payload(f"{traces:,} traces", _request(b"".join(spans)), encoding=None)


def escaping(chance: random.Random) -> Payload:
    """A run whose names, services, tools and evaluations are called what no name should be."""
    trace = chance.getrandbits(120)
    name = chance.choice(NASTY)
    agent = otlp.span(
        1,
        trace=trace,
        name=name,
        attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name, "session.id": name},
    )
    tool = otlp.span(
        2,
        trace=trace,
        parent_span_id=agent.span_id,
        attributes={"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, name: name},
    )
    event = agent.events.add(name="gen_ai.evaluation.result", time_unix_nano=agent.start_time_unix_nano)
    event.attributes.extend(
        otlp.key_values({"gen_ai.evaluation.name": name, "gen_ai.evaluation.score.value": 1.0, name: name})
    )
    resource = {"service.name": name, "service.version": name}
    body = otlp.traces_request([agent, tool], resource=resource, scope=name)
    return Payload("escape sequences", body, encoding=None)


def mutated(chance: random.Random) -> Payload:
    """An honest run with some of its bytes changed, taken out or repeated, under any content type."""
    body = bytearray(quiet_run(chance.randbytes(16)))
    for _ in range(chance.randint(1, 20)):
        at = chance.randrange(len(body))
        match chance.randrange(4):
            case 0:
                body[at] = chance.randrange(256)
            case 1:
                del body[at : at + chance.randint(1, 50)]
            case 2:
                body[at:at] = chance.randbytes(chance.randint(1, 50))
            case _:
                body[at:at] = body[at : at + chance.randint(1, 200)]
    content_type = chance.choice((_PROTOBUF, _PROTOBUF, _JSON, "text/plain"))
    encoding = chance.choice((None, None, "gzip", "deflate"))
    zipped = _zipped(bytes(body))[: chance.choice((None, -4))] if encoding == "gzip" else bytes(body)
    return Payload("mutated", zipped, content_type, encoding, chance.choice(("traces", "logs", "metrics")))


def quiet_run(trace_id: bytes) -> bytes:
    """A run of ten spans as an honest agent sends it."""
    return serialized(run(trace_id, time.time_ns(), span_bytes=2_000, filler="please refund my order " * 1_000))


def _zipped(body: bytes) -> bytes:
    return gzip.compress(body, compresslevel=6)


def _request(spans: bytes) -> bytes:
    """An export of encoded spans in one resource and scope; of log records likewise, whose numbers are the same."""
    return _field(1, _field(2, spans))


def _in_one_span(number: int) -> bytes:
    """An export of one span with millions of empty messages in a field."""
    span = otlp.span().SerializeToString() + bytes([number << 3 | 2, 0]) * _EMPTY_RECORDS
    return _request(_field(2, span))


def _json_of_empty_spans() -> bytes:
    return b'{"resourceSpans":[{"scopeSpans":[{"spans":[' + b"{}," * (_EMPTY_RECORDS // 2) + b"{}]}]}]}"


def _nested(levels: int) -> bytes:
    return b'{"resourceSpans":' + b"[" * levels + b"]" * levels + b"}"


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    return bytes(_septets(value))


def _septets(value: int) -> Iterator[int]:
    while value > 0x7F:
        yield value & 0x7F | 0x80
        value >>= 7
    yield value
