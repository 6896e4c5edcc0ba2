"""An export request that is small to send and large to take in: it is refused for good, and harms no other sender."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic
from typing import Any

import grpc
import pytest
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.support import agent_spans, otlp
from tests.support.protobuf_wire import encode_field
from tests.support.server import Server, new_trace, running

from tracegrade.collector.errors import TooLarge
from tracegrade.collector.otlp.decode import decode_logs, decode_spans
from tracegrade.collector.otlp.json import to_protobuf
from tracegrade.collector.otlp.limits import RequestLimits
from tracegrade.collector.otlp.signal import Signal

BODY_BYTES = 16 * 2**20 - 1000
MEMORY_BYTES = 500 * 2**20
WITHIN_S = 10.0
"""Far more than a refusal takes, far less than what it refuses did."""

MANY = 3_000_000


def request(*in_scope: bytes) -> bytes:
    """One resource with one scope."""
    return encode_field(1, encode_field(2, b"".join(in_scope)))


def in_span(*parts: bytes) -> bytes:
    """One span with ids."""
    return request(encode_field(2, encode_field(1, b"\x01" * 16) + encode_field(2, b"\x02" * 8) + b"".join(parts)))


SWELLING: Mapping[str, Callable[[int], bytes]] = {
    "spans": lambda many: request(encode_field(2, b"") * many),
    "spans of an unusual tag": lambda many: request(b"\x92\x80\x00\x00" * many),
    "spans behind a group": lambda many: request(b"\x0b\x0c" + encode_field(2, b"") * many),
    "spans, the last of them unreadable": lambda many: request(
        encode_field(2, b"") * many, encode_field(2, encode_field(5, b"\xff"))
    ),
    "events": lambda many: in_span(encode_field(11, b"") * many),
    "links": lambda many: in_span(encode_field(13, b"") * many),
    "attributes": lambda many: in_span(encode_field(9, b"") * many),
    "attributes of an event": lambda many: in_span(encode_field(11, encode_field(3, b"") * many)),
    "items of a list": lambda many: in_span(
        encode_field(9, encode_field(2, encode_field(5, encode_field(1, b"") * many)))
    ),
    "attributes of a resource": lambda many: encode_field(
        1, encode_field(1, encode_field(1, b"") * many) + encode_field(2, encode_field(2, b""))
    ),
    "scopes": lambda many: encode_field(1, encode_field(2, b"") * many),
    "resources": lambda many: encode_field(1, b"") * many,
}
"""Requests of so many messages with nothing in them."""


def with_wide_resource(spans: int) -> bytes:
    """A megabyte that each span repeats in its row."""
    trace = new_trace()
    return otlp.traces_request(
        [otlp.span(number + 1, trace=trace) for number in range(spans)], resource={"wide": "x" * 2**20}
    )


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("server") / "store.duckdb") as one:
        yield one


@pytest.mark.parametrize("what", SWELLING)
def test_request_of_very_many_messages_is_refused_for_good_at_once(server: Server, what: str) -> None:
    body = SWELLING[what](MANY)
    assert len(body) < BODY_BYTES
    before_bytes, began = peak_bytes(server), monotonic()
    answer = server.post(gzip.compress(body, 1), content_encoding="gzip")
    assert monotonic() - began < WITHIN_S
    assert (answer.status_code, "retry-after" in answer.headers) == (413, False)
    assert "send fewer" in Status.FromString(answer.content).message
    assert peak_bytes(server) - before_bytes < MEMORY_BYTES


@pytest.mark.parametrize("what", SWELLING)
def test_request_of_as_many_messages_as_fit_in_what_is_not_counted_takes_little_time(server: Server, what: str) -> None:
    began = monotonic()
    answer = server.post(SWELLING[what](500_000))
    assert monotonic() - began < WITHIN_S
    assert answer.status_code in {200, 413}


@pytest.mark.parametrize("part", ["resource", "scope"])
def test_what_each_row_would_repeat_is_counted_and_refused_for_good(server: Server, part: str) -> None:
    wide = "x" * 2**20
    spans = [otlp.span(number + 1, trace=new_trace()) for number in range(1_000)]
    body = otlp.traces_request(spans, **({"resource": {"wide": wide}} if part == "resource" else {"scope": wide}))
    before_bytes, began = peak_bytes(server), monotonic()
    answer = server.post(gzip.compress(body), content_encoding="gzip")
    assert monotonic() - began < WITHIN_S
    assert (answer.status_code, "retry-after" in answer.headers) == (413, False)
    assert "each record is kept with its resource" in Status.FromString(answer.content).message
    assert peak_bytes(server) - before_bytes < MEMORY_BYTES


def test_grpc_says_for_good_too(server: Server) -> None:
    refusal = server.call(with_wide_resource(1_000), compression=grpc.Compression.Gzip)
    assert refusal is not None
    assert refusal.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert not Status.FromString(dict(refusal.trailing_metadata())["grpc-status-details-bin"]).details


@pytest.mark.nightly
def test_quiet_senders_are_served_while_others_send_what_swells(server: Server) -> None:
    bodies = [gzip.compress(body, 1) for body in (with_wide_resource(1_000), SWELLING["events"](MANY))]
    done = threading.Event()

    def attack(body: bytes) -> set[int]:
        found = set()
        while not done.is_set():
            found.add(server.post(body, content_encoding="gzip").status_code)
        return found

    with ThreadPoolExecutor() as pool:
        attacks = [pool.submit(attack, body) for body in bodies]
        try:
            quiet = [server.post(agent_spans.export_request(agent_spans.trip(new_trace()))) for _ in range(20)]
        finally:
            done.set()
        assert [(answer.status_code, answer.content) for answer in quiet] == [(200, b"")] * 20
        assert [one.result() for one in attacks] == [{413}, {413}]


def test_resource_that_fits_is_kept_with_each_span(server: Server) -> None:
    assert server.post(with_wide_resource(30)).status_code == 200


def test_limit_of_records_is_exact_and_its_setting_named() -> None:
    limits = RequestLimits(records=3)
    spans, logs = [otlp.span(number + 1) for number in range(4)], [otlp.log(number + 1) for number in range(4)]
    assert len(decode_spans(otlp.traces_request(spans[:3]), limits).rows) == 3
    assert len(decode_logs(otlp.logs_request(logs[:3]), limits).rows) == 3
    for decode, body in ((decode_spans, otlp.traces_request(spans)), (decode_logs, otlp.logs_request(logs))):
        with pytest.raises(TooLarge, match=r"more than 3 records.*ingest\.max_request_records"):
            decode(body, limits)


def test_records_of_a_request_that_must_be_taken_apart_are_counted_too() -> None:
    body = otlp.traces_request([otlp.span(number + 1, name="SPOILT") for number in range(4)])
    assert len(decode_spans(body.replace(b"SPOILT", b"\xff\xfeOILT"), RequestLimits(records=4)).rows) == 4
    with pytest.raises(TooLarge):
        decode_spans(body.replace(b"SPOILT", b"\xff\xfeOILT"), RequestLimits(records=3))


@pytest.mark.parametrize(
    ("fields", "gap"),
    [
        pytest.param({"events": [Span.Event()] * 20_000}, "too_many_events", id="events"),
        pytest.param({"links": [Span.Link()] * 20_000}, "too_many_links", id="links"),
    ],
)
def test_parts_of_a_span_beyond_any_sane_number_are_left_out_and_said_to_be(
    server: Server, fields: dict[str, Any], gap: str
) -> None:
    trace = new_trace()
    assert server.post(otlp.traces_request([otlp.span(1, trace=trace, **fields)])).status_code == 200
    [[kept, gaps]] = server.rows(
        f"select json_array_length({next(iter(fields))}), attributes->'$.\"tracegrade.gaps\"' "
        f"from spans where trace_id = '{otlp.trace_id(trace)}'"
    )
    assert kept == 16_384
    assert gap in gaps


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b'{"resourceSpans": [' + b"{}," * MANY + b"{}]}", id="objects"),
        pytest.param(b'{"resourceSpans": [' + b"[]," * MANY + b"[]]}", id="lists"),
        pytest.param(
            b'{"resourceSpans": [{"scopeSpans": [{"spans": [' + b"{}," * 100_000 + b"{}]}]}]}",
            id="more than 50,000 spans",
        ),
    ],
)
def test_json_of_very_many_objects_is_refused_for_good(server: Server, body: bytes) -> None:
    before_bytes, began = peak_bytes(server), monotonic()
    answer = server.post(gzip.compress(body, 1), content_encoding="gzip", content_type="application/json")
    assert monotonic() - began < WITHIN_S
    assert answer.status_code == 413
    assert "send fewer" in answer.json()["message"]
    assert peak_bytes(server) - before_bytes < MEMORY_BYTES


def test_braces_in_texts_are_not_objects() -> None:
    text = '{[\\"\\\\' * 2**20
    body = f'{{"resourceSpans": [{{"scopeSpans": [{{"spans": [{{"name": "{text}"}}]}}]}}]}}'.encode()
    converted = to_protobuf(Signal.TRACES, body)
    [of_resource] = ExportTraceServiceRequest.FromString(converted.body).resource_spans
    assert len(of_resource.scope_spans[0].spans[0].name) == 4 * 2**20


def peak_bytes(server: Server) -> int:
    """The most that the server has held so far."""
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])
