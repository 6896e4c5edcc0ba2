from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support import otlp

from tracegrade.collector.otlp.wire import BrokenWire, fields


def read(message: bytes) -> list[tuple[int, bytes]]:
    return [(number, bytes(content)) for number, content in fields(message)]


def test_length_delimited_fields_are_given_in_order() -> None:
    assert read(b"\x0a\x02hi\x12\x00\x0a\x01!") == [(1, b"hi"), (2, b""), (1, b"!")]


def test_other_fields_are_stepped_over() -> None:
    varint, fixed64, fixed32 = b"\x08\x96\x01", b"\x09" + bytes(8), b"\x0d" + bytes(4)
    assert read(varint + fixed64 + fixed32 + b"\x0a\x01x") == [(1, b"x")]


def test_large_field_number_is_read() -> None:
    assert read(b"\x82\x7d\x01x") == [(2000, b"x")]


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(b"\x0a\x05hi", id="content-cut-off"),
        pytest.param(b"\x0a", id="length-missing"),
        pytest.param(b"\x0a\xff", id="length-cut-off"),
        pytest.param(b"\xff" * 11, id="endless-number"),
        pytest.param(b"\x09" + bytes(7), id="fixed64-cut-off"),
        pytest.param(b"\x0d" + bytes(3), id="fixed32-cut-off"),
        pytest.param(b"\x0b\x0c", id="group"),
        pytest.param(b"\x0f", id="wire-type-7"),
        pytest.param(b"\x02\x00", id="field-number-0"),
    ],
)
def test_what_is_no_protobuf_is_broken(message: bytes) -> None:
    with pytest.raises(BrokenWire):
        read(message)


@given(st.binary(max_size=300))
@example(b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")
def test_random_bytes_are_read_or_broken(message: bytes) -> None:
    try:
        found = read(message)
    except BrokenWire:
        return
    assert sum(len(content) for _, content in found) <= len(message)


@given(st.lists(st.integers(1, 5), max_size=5))
def test_walk_finds_what_the_parser_finds(counts: list[int]) -> None:
    bodies = [otlp.traces_request([otlp.span(number) for number in range(count)]) for count in counts]
    parsed = ExportTraceServiceRequest.FromString(b"".join(bodies))
    walked = [content for number, content in read(b"".join(bodies)) if number == 1]
    assert walked == [one.SerializeToString() for one in parsed.resource_spans]
