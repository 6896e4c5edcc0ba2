"""What a broken, careless or hostile exporter sends: it harms nobody else, and the server stays up."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import grpc
import httpx
import pytest
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.support import agent_spans
from tests.support.nightly import rest_at_night
from tests.support.otlp import BEGAN_NS, from_plain, key_values, span_id, trace_id, traces_request
from tests.support.protobuf_wire import encode_field
from tests.support.server import Server, new_trace

YEAR_2500_NS = 16_725_225_600_000_000_000
LIMIT_BYTES = 16 * 2**20
BOMB_BYTES = 200 * 2**20
SLACK_BYTES = 150 * 2**20


def agent(trace: int, number: int = 1, **fields: object) -> Span:
    """The span of an agent run, changed by `fields` of the protobuf message."""
    span = from_plain(agent_spans.agent(number, trace=trace))
    span.MergeFrom(Span(**fields))  # type: ignore[arg-type]  # the caller's words are those of Span
    return span


def nested(trace: int, levels: int) -> bytes:
    """A span with a list in a list in a list, written by hand: the protobuf library refuses to go so deep."""
    value = AnyValue(string_value="bottom").SerializeToString()
    for _ in range(levels):
        value = encode_field(5, encode_field(1, value))
    attribute = encode_field(1, b"deep") + encode_field(2, value)
    return agent(trace).SerializeToString() + encode_field(9, attribute)


def crowded(trace: int, attributes: int) -> Span:
    """A span with that many attributes. On the wire a message is the concatenation of its parts."""
    one = Span(attributes=key_values({"key": 1})).SerializeToString()
    return Span.FromString(agent(trace).SerializeToString() + one * attributes)


def circle(trace: int) -> list[Span]:
    """Two agents, each the other's parent."""
    ids = [bytes.fromhex(span_id(number)) for number in (1, 2)]
    return [agent(trace, 1, parent_span_id=ids[1]), agent(trace, 2, parent_span_id=ids[0])]


ODD: Mapping[str, Callable[[int], list[Span]]] = {
    "times that are 0": lambda trace: [_at(trace, 0, 0)],
    "times in the year 2500": lambda trace: [_at(trace, YEAR_2500_NS, YEAR_2500_NS + 1)],
    "an end before the start": lambda trace: [_at(trace, BEGAN_NS, BEGAN_NS - 1_000_000)],
    "an end that is 0": lambda trace: [_at(trace, BEGAN_NS, 0)],
    "one id for two spans": lambda trace: [agent(trace), agent(trace, name="another")],
    "a span that is its own parent": lambda trace: [agent(trace, parent_span_id=bytes.fromhex(span_id(1)))],
    "a circle of parents": circle,
    "a million attributes": lambda trace: [crowded(trace, 1_000_000)],
    "values nested 40 deep": lambda trace: [Span.FromString(nested(trace, 40))],
    "JSON without a bottom": lambda trace: [
        agent(trace, attributes=key_values({"gen_ai.input.messages": "[" * 99_999}))
    ],
    "unknown kind and status": lambda trace: [agent(trace, kind=77, status={"code": 99})],
    "text with NUL and half an emoji": lambda trace: [agent(trace, name="\x00\ud7ff\ufffd")],
}
"""Spans that are odd, but can be kept."""

UNREADABLE: Mapping[str, Callable[[int], bytes]] = {
    "values nested too deep": lambda trace: (
        encode_field(1, encode_field(2, encode_field(2, nested(trace, 5_000))))
        + agent_spans.export_request(agent_spans.trip(trace + 1))
    ),
    "an empty span id": lambda trace: _with_good(trace, Span(trace_id=bytes.fromhex(trace_id(trace)), name="x")),
    "a trace id of zeroes": lambda trace: _with_good(trace, Span(trace_id=bytes(16), span_id=b"12345678")),
}
"""Requests of one span that cannot be kept, beside a trip in trace + 1."""


@pytest.fixture(autouse=True)
def _ready_afterwards(server: Server) -> Iterator[None]:
    yield
    assert httpx.get(f"{server.web}/readyz", trust_env=False).json() == {"status": "ready"}
    assert not {"level=error", "Traceback"} & set(server.log().split())


@pytest.mark.parametrize("name", rest_at_night(4, ODD))
def test_odd_span_is_kept_and_its_neighbours_are_judged(server: Server, name: str) -> None:
    trace = new_trace()
    answer = server.post(traces_request([*ODD[name](trace), *map(from_plain, agent_spans.trip(trace + 1))]))
    assert (answer.status_code, answer.content) == (200, b"")
    assert server.scores(trace_id(trace + 1))["tool_error"] == 1
    ids = {span.span_id for span in ODD[name](trace)}
    assert server.one(f"select count(*) from spans where trace_id = '{trace_id(trace)}'") == len(ids)


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable_span_is_refused_alone_and_its_neighbours_are_judged(server: Server, name: str) -> None:
    trace = new_trace()
    answer = server.post(UNREADABLE[name](trace))
    assert answer.status_code == 200
    partial = ExportTraceServiceResponse.FromString(answer.content).partial_success
    assert partial.rejected_spans == 1
    assert partial.error_message
    assert server.scores(trace_id(trace + 1))["tool_error"] == 1
    assert server.one(f"select count(*) from spans where trace_id = '{trace_id(trace)}'") == 0


def test_span_with_invalid_text_is_kept_with_a_gap(server: Server) -> None:
    trace = new_trace()
    assert server.post(_spoilt(trace, agent(trace, name="PLACEHOLDER"))).content == b""
    assert server.scores(trace_id(trace + 1))["tool_error"] == 1
    kept = server.rows(f"select attributes from spans where trace_id = '{trace_id(trace)}'")
    assert len(kept) == 1
    assert "invalid_utf8" in str(kept)


def test_first_of_two_contents_under_one_id_stays_and_the_other_is_counted(server: Server) -> None:
    trace = server.add_run()
    conflicts = server.figure("tracegrade_conflicting_spans_total")
    other = agent(trace)
    other.name = "another"
    others = [other, *map(from_plain, agent_spans.trip(trace + 1))]
    assert server.post(traces_request(others, scope="elsewhere")).content == b""
    server.scores(trace_id(trace + 1))
    assert server.figure("tracegrade_conflicting_spans_total") == conflicts + 1
    names = server.rows(f"select name from spans where trace_id = '{trace_id(trace)}' and span_id = '{span_id(1)}'")
    assert names == [["invoke_agent"]]


@pytest.mark.parametrize(
    ("body", "headers", "status", "words"),
    [
        pytest.param(b"\xff\xff no protobuf", {}, 400, "protobuf", id="not protobuf"),
        pytest.param(b"{", {"content_type": "application/json"}, 400, "JSON", id="not JSON"),
        pytest.param(b"[" * 100_000, {"content_type": "application/json"}, 400, "JSON", id="bottomless JSON"),
        pytest.param(b"", {"content_type": "text/plain"}, 415, "text/plain", id="another content type"),
        pytest.param(b"", {"content_encoding": "br"}, 415, "br", id="another encoding"),
        pytest.param(b"no gzip", {"content_encoding": "gzip"}, 400, "gzip", id="not gzip"),
        pytest.param(bytes(LIMIT_BYTES + 1), {}, 413, "max_request_bytes", id="over the limit"),
    ],
)
def test_request_that_cannot_be_read_is_refused_for_good(
    server: Server, body: bytes, headers: dict[str, str], status: int, words: str
) -> None:
    answer = server.post(body, **headers)
    assert answer.status_code == status
    assert "retry-after" not in answer.headers
    told = answer.text if "json" in answer.headers["content-type"] else Status.FromString(answer.content).message
    assert words in told


def test_gzip_bomb_over_http_is_refused_and_takes_no_memory(server: Server) -> None:
    before = _memory_bytes(server)
    assert server.post(gzip.compress(bytes(BOMB_BYTES)), content_encoding="gzip").status_code == 413
    assert _memory_bytes(server) - before < SLACK_BYTES


def test_gzip_bomb_over_grpc_is_refused_and_takes_no_memory(server: Server) -> None:
    before = _memory_bytes(server)
    refusal = server.call(bytes(BOMB_BYTES), compression=grpc.Compression.Gzip)
    assert refusal is not None
    assert refusal.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert _memory_bytes(server) - before < SLACK_BYTES


def test_what_is_no_request_is_refused_over_grpc(server: Server) -> None:
    refusal = server.call(b"\xff\xff no protobuf")
    assert refusal is not None
    assert refusal.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_span_with_invalid_text_is_kept_over_grpc(server: Server) -> None:
    trace = new_trace()
    assert server.call(_spoilt(trace, agent(trace, name="PLACEHOLDER"))) is None
    assert server.scores(trace_id(trace + 1))["tool_error"] == 1
    assert server.one(f"select count(*) from spans where trace_id = '{trace_id(trace)}'") == 1


def _at(trace: int, start_ns: int, end_ns: int) -> Span:
    span = agent(trace)
    span.start_time_unix_nano, span.end_time_unix_nano = start_ns, end_ns
    return span


def _with_good(trace: int, odd: Span) -> bytes:
    return traces_request([odd, *map(from_plain, agent_spans.trip(trace + 1))])


def _spoilt(trace: int, odd: Span) -> bytes:
    return _with_good(trace, odd).replace(b"PLACEHOLDER", b"PLACE\xff\xfeLDER")


def _memory_bytes(server: Server) -> int:
    """The most that the server has held so far."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return 1024 * int(status.partition("VmHWM:")[2].split()[0])
