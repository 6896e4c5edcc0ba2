from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from tests.support import otlp
from tests.support.recordings import RECORDINGS, Recording

from tracegrade.collector.errors import Malformed
from tracegrade.collector.otlp.decode import LOG_COLUMNS, SPAN_COLUMNS, Decoded, decode_logs, decode_spans

GARBLED = b"\xff\xfe\xff\xfe"
YEAR_2500_NS = 16_725_225_600 * 10**9
LAST_NS = 2**63 - 1
NUMBERED = [otlp.span(number) for number in (1, 2, 3)]


def decoded(*spans: Span, **more: Any) -> list[dict[str, Any]]:
    found = decode_spans(otlp.traces_request(spans, **more))
    assert not found.refused
    return [dict(zip(SPAN_COLUMNS, row, strict=True)) for row in found.rows]


def only(span: Span, **more: Any) -> dict[str, Any]:
    [row] = decoded(span, **more)
    return row


def gaps(span: Span) -> list[str]:
    found: list[str] = json.loads(only(span)["attributes"]).get("tracegrade.gaps", [])
    return found


def names(found: Decoded) -> list[str]:
    return [row[SPAN_COLUMNS.index("name")] for row in found.rows]


def nested(depth: int) -> bytes:
    """An AnyValue of lists in lists, as bytes: its writer may nest deeper than any parser reads."""
    value = b"\x08\x01"
    for _ in range(depth):
        value = delimited(5, delimited(1, value))
    return value


def delimited(number: int, content: bytes) -> bytes:
    size, prefix = len(content), bytes([number << 3 | 2])
    while size > 0x7F:
        prefix += bytes([size & 0x7F | 0x80])
        size >>= 7
    return prefix + bytes([size]) + content


def test_span_becomes_a_row_in_the_order_of_the_columns() -> None:
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 20, "gen_ai.request.model": "m"}
    row = only(
        otlp.span(
            7,
            trace=9,
            parent_span_id=bytes.fromhex(otlp.span_id(3)),
            name="chat m",
            kind=Span.SPAN_KIND_CLIENT,
            status=Status(code=Status.STATUS_CODE_ERROR, message="429"),
            attributes=attributes,
            flags=0x300,
        ),
        resource={"service.name": "shop", "service.version": "2", "deployment.environment.name": "prod"},
        scope="openai",
    )
    assert (row["trace_id"], row["span_id"]) == (otlp.trace_id(9), otlp.span_id(7))
    assert row["parent_span_id"] == otlp.span_id(3)
    assert (row["kind"], row["status_code"], row["status_message"]) == ("client", "error", "429")
    assert (row["service_name"], row["service_version"], row["deployment_environment"]) == ("shop", "2", "prod")
    assert (row["operation_name"], row["request_model"], row["input_tokens"]) == ("chat", "m", 20)
    assert (row["scope_name"], row["parent_is_remote"], row["duration_ms"]) == ("openai", True, 0.5)
    assert json.loads(row["attributes"]) == attributes


@pytest.mark.parametrize(("flags", "is_remote"), [(0, None), (0x100, False), (0x300, True), (0x200, None)])
def test_parent_is_remote_only_where_the_exporter_says_so(flags: int, is_remote: bool | None) -> None:  # noqa: FBT001
    assert only(otlp.span(flags=flags))["parent_is_remote"] is is_remote


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        pytest.param({"trace_id": b""}, "its trace id is empty instead of 16 bytes", id="trace-id-empty"),
        pytest.param({"trace_id": bytes(16)}, "its trace id is all zero", id="trace-id-zero"),
        pytest.param(
            {"trace_id": b"\x01" * 8}, "its trace id is 8 bytes long instead of 16 bytes", id="trace-id-short"
        ),
        pytest.param({"span_id": b""}, "its span id is empty instead of 8 bytes", id="span-id-empty"),
        pytest.param({"span_id": bytes(8)}, "its span id is all zero", id="span-id-zero"),
        pytest.param({"span_id": b"\x01" * 16}, "its span id is 16 bytes long instead of 8 bytes", id="span-id-long"),
    ],
)
def test_span_without_valid_ids_is_refused_and_its_neighbours_are_kept(fields: dict[str, Any], reason: str) -> None:
    first, _, last = NUMBERED
    found = decode_spans(otlp.traces_request([first, otlp.span(2, **fields), last, otlp.span(4, **fields)]))
    assert names(found) == ["span 1", "span 3"]
    assert found.refused == {reason: 2}


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda body: body.replace(b"span 2", b"sp\xff\xfe 2"), id="name-is-no-utf-8"),
        pytest.param(lambda body: body.replace(b"some value", b"so\xff\xfe value"), id="attribute-is-no-utf-8"),
    ],
)
def test_span_with_invalid_text_loses_its_characters_alone(spoil: Callable[[bytes], bytes]) -> None:
    first, _, last = NUMBERED
    spoilt = otlp.span(2, attributes={"key": "some value"})
    found = decode_spans(spoil(otlp.traces_request([first, spoilt, last])))
    attributes = [row[SPAN_COLUMNS.index("attributes")] for row in found.rows]
    assert ["invalid_utf8" in text for text in attributes] == [False, True, False]
    assert not found.refused


def test_span_nested_deeper_than_protobuf_reads_is_refused_and_its_neighbours_are_kept() -> None:
    first, middle, last = (one.SerializeToString() for one in NUMBERED)
    bottomless = middle + delimited(9, delimited(1, b"key") + delimited(2, nested(500)))
    scope = b"".join(delimited(2, one) for one in (first, bottomless, last))
    found = decode_spans(delimited(1, delimited(2, scope)))
    assert names(found) == ["span 1", "span 3"]
    assert found.refused.total() == 1


def test_span_nested_as_deep_as_protobuf_reads_is_kept() -> None:
    value: Any = "bottom"
    for _ in range(40):
        value = [value]
    row = only(otlp.span(attributes={"key": value}))
    assert json.loads(row["attributes"])["key"] == value


def test_broken_characters_of_a_resource_are_replaced() -> None:
    spoilt = otlp.traces_request([otlp.span(1), otlp.span(2)], resource={"service.name": "SPOILT"})
    sound = otlp.traces_request([otlp.span(3)])
    found = decode_spans(spoilt.replace(b"SPOILT", GARBLED + b"LT") + sound)
    assert names(found) == ["span 1", "span 2", "span 3"]
    assert {row[SPAN_COLUMNS.index("service_name")] for row in found.rows[:2]} == {"\ufffd\ufffd\ufffd\ufffdLT"}


def test_neighbours_of_a_refused_span_keep_their_origin() -> None:
    body = otlp.traces_request(
        [otlp.span(1), otlp.span(2, name="SPOILT")], resource={"service.name": "shop"}, scope="s"
    )
    row, _ = decode_spans(body.replace(b"SPOILT", GARBLED + b"LT")).rows
    assert row[SPAN_COLUMNS.index("service_name")] == "shop"
    assert row[SPAN_COLUMNS.index("scope_name")] == "s"


def test_very_many_attributes_are_bounded_and_the_gap_is_named() -> None:
    few = [KeyValue(key=f"key {number}", value=otlp.any_value(number)) for number in range(1_000)]
    span = otlp.span(attributes={})
    for _ in range(400):
        span.attributes.extend(few)
    assert gaps(span) == ["too_many_attributes"]
    assert len(json.loads(only(span)["attributes"])) == 1_001


def test_attributes_of_a_log_record_are_bounded_too() -> None:
    record = otlp.log(attributes={f"key {number}": number for number in range(20_000)})
    [row] = decode_logs(otlp.logs_request([record])).rows
    kept = json.loads(row[LOG_COLUMNS.index("attributes")])
    assert len(kept) == 16_385
    assert kept["tracegrade.gaps"] == ["too_many_attributes"]


@pytest.mark.parametrize(
    ("start_ns", "end_ns", "kept_ns", "gap"),
    [
        pytest.param(0, otlp.BEGAN_NS, (0, otlp.BEGAN_NS), "time_not_recorded", id="start-0"),
        pytest.param(otlp.BEGAN_NS, 0, (otlp.BEGAN_NS, 0), "time_not_recorded", id="end-0"),
        pytest.param(0, 0, (0, 0), "time_not_recorded", id="both-0"),
        pytest.param(otlp.BEGAN_NS, YEAR_2500_NS, (otlp.BEGAN_NS, LAST_NS), "time_out_of_range", id="end-in-2500"),
        pytest.param(YEAR_2500_NS, YEAR_2500_NS, (LAST_NS, LAST_NS), "time_out_of_range", id="both-in-2500"),
        pytest.param(2**64 - 1, 2**64 - 1, (LAST_NS, LAST_NS), "time_out_of_range", id="largest-number"),
        pytest.param(otlp.BEGAN_NS, 5, (otlp.BEGAN_NS, 5), "end_before_start", id="end-before-start"),
    ],
)
def test_span_at_an_odd_time_is_kept_without_a_duration_and_the_gap_is_named(
    start_ns: int, end_ns: int, kept_ns: tuple[int, int], gap: str
) -> None:
    span = otlp.span(start_time_unix_nano=start_ns, end_time_unix_nano=end_ns)
    row = only(span)
    assert (row["start_ns"], row["end_ns"]) == kept_ns
    assert row["duration_ms"] is None
    assert gaps(span) == [gap]


def test_span_that_took_no_time_has_a_duration_of_zero() -> None:
    span = otlp.span(start_time_unix_nano=otlp.BEGAN_NS, end_time_unix_nano=otlp.BEGAN_NS)
    assert only(span)["duration_ms"] == 0
    assert gaps(span) == []


def test_span_that_says_that_its_duration_is_not_recorded_has_none() -> None:
    stated = {"tracegrade.gaps": ["duration_not_recorded"]}
    assert only(otlp.span(attributes=stated))["duration_ms"] is None
    span = otlp.span(attributes=stated, parent_span_id=b"\x01")
    assert gaps(span) == ["duration_not_recorded", "invalid_parent_id"]


def test_parent_id_of_the_wrong_length_is_dropped_and_the_gap_is_named() -> None:
    span = otlp.span(parent_span_id=b"\x01\x02\x03")
    assert only(span)["parent_span_id"] is None
    assert gaps(span) == ["invalid_parent_id"]


@pytest.mark.parametrize("raw", [b"", bytes(8), bytes(3)], ids=["empty", "all-zero", "short-and-zero"])
def test_parent_id_of_nothing_is_no_parent_and_no_gap(raw: bytes) -> None:
    span = otlp.span(parent_span_id=raw)
    assert only(span)["parent_span_id"] is None
    assert gaps(span) == []


def test_what_the_exporter_dropped_is_a_gap() -> None:
    assert gaps(otlp.span(dropped_attributes_count=3)) == ["dropped_by_exporter"]


@pytest.mark.parametrize("kind", [0, 99, -1], ids="kind {}".format)
def test_unknown_kind_is_not_recorded(kind: int) -> None:
    assert only(otlp.span(kind=kind))["kind"] is None


def test_unknown_status_is_unset() -> None:
    assert only(otlp.span(status=Status(code=77)))["status_code"] == "unset"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("written", "count"), [(7, 7), (7.0, 7), (7.5, None), ("7", None), (True, None), (1e300, None)], ids=repr
)
def test_promoted_count_is_a_whole_number_or_not_recorded(written: object, count: int | None) -> None:
    assert only(otlp.span(attributes={"gen_ai.usage.input_tokens": written}))["input_tokens"] == count


def test_promoted_text_comes_from_the_first_key_that_is_recorded() -> None:
    row = only(otlp.span(attributes={"gen_ai.conversation.id": "second", "session.id": "first", "agent.name": 5}))
    assert row["session_id"] == "first"
    assert row["agent_name"] == "5"


def test_events_and_links_are_kept_as_json() -> None:
    event = Span.Event(name="exception", time_unix_nano=5, attributes=otlp.key_values({"exception.message": "no"}))
    link = Span.Link(trace_id=b"\x01" * 16, span_id=b"\x02" * 8)
    row = only(otlp.span(events=[event], links=[link]))
    assert json.loads(row["events"]) == [{"name": "exception", "time_ns": 5, "attributes": {"exception.message": "no"}}]
    assert json.loads(row["links"]) == [{"trace_id": "01" * 16, "span_id": "02" * 8, "attributes": {}}]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"no protobuf at all", id="words"),
        pytest.param(b"\x0a\x05\xff\xff\xff\xff\xff", id="garbage-within-a-sound-frame"),
        pytest.param(otlp.traces_request(NUMBERED)[:-5], id="truncated"),
        pytest.param(b"\x1f\x8b\x08\x00" + bytes(20), id="still-compressed"),
        pytest.param(b'{"resourceSpans": []}', id="json"),
    ],
)
@pytest.mark.parametrize("decode", [decode_spans, decode_logs], ids=["spans", "logs"])
def test_body_that_is_no_export_request_is_malformed(decode: Callable[[bytes], Decoded], body: bytes) -> None:
    with pytest.raises(Malformed, match="not an OTLP export request"):
        decode(body)


@pytest.mark.parametrize("decode", [decode_spans, decode_logs], ids=["spans", "logs"])
def test_empty_body_is_an_export_of_nothing(decode: Callable[[bytes], Decoded]) -> None:
    assert decode(b"") == Decoded()


@given(st.binary(max_size=200))
def test_random_body_is_decoded_or_malformed(body: bytes) -> None:
    for decode in (decode_spans, decode_logs):
        try:
            found = decode(body)
        except Malformed:
            continue
        assert all(len(row[0]) == 32 for row in found.rows if row[0] is not None)


@given(st.data())
def test_spoilt_bytes_never_take_more_than_malformed(data: st.DataObject) -> None:
    body = bytearray(otlp.traces_request([otlp.span(n, attributes={"a": ["b", {"c": 1.5}]}) for n in (1, 2, 3)]))
    for at in data.draw(st.lists(st.integers(0, len(body) - 1), min_size=1, max_size=4)):
        body[at] = data.draw(st.integers(0, 255))
    try:
        found = decode_spans(bytes(body))
    except Malformed:
        return
    assert all(json.loads(row[SPAN_COLUMNS.index("attributes")]) is not None for row in found.rows)


def test_log_record_becomes_a_row() -> None:
    record = otlp.log(4, trace=2, body=otlp.any_value({"content": "hi"}), severity_text="INFO", attributes={"a": 1})
    [row] = decode_logs(otlp.logs_request([record])).rows
    assert dict(zip(LOG_COLUMNS, row, strict=True)) == {
        "trace_id": otlp.trace_id(2),
        "span_id": otlp.span_id(4),
        "event_name": "gen_ai.user.message",
        "time_ns": otlp.BEGAN_NS + 4_000_000,
        "severity": "INFO",
        "service_name": "tests",
        "scope_name": "tests",
        "body": '{"content":"hi"}',
        "attributes": '{"a":1}',
        "resource": '{"service.name":"tests"}',
    }


def test_log_record_of_no_span_is_kept() -> None:
    [row] = decode_logs(otlp.logs_request([otlp.log(trace_id=b"", span_id=b"\x01")])).rows
    assert row[:2] == (None, None)


def test_log_record_without_a_time_takes_the_time_it_was_observed() -> None:
    [row] = decode_logs(otlp.logs_request([otlp.log(time_unix_nano=0, observed_time_unix_nano=5)])).rows
    assert row[LOG_COLUMNS.index("time_ns")] == 5


@pytest.mark.parametrize("key", ["event.name", "otel.event.name"])
def test_name_of_an_event_is_read_from_an_attribute_where_its_field_is_empty(key: str) -> None:
    [row] = decode_logs(otlp.logs_request([otlp.log(event_name="", attributes={key: "page.view"})])).rows
    assert row[LOG_COLUMNS.index("event_name")] == "page.view"
    assert row[LOG_COLUMNS.index("body")] is None


def test_log_record_with_invalid_text_loses_its_characters_alone() -> None:
    body = otlp.logs_request([otlp.log(1), otlp.log(2, event_name="SPOILT"), otlp.log(3)])
    found = decode_logs(body.replace(b"SPOILT", GARBLED + b"LT"))
    assert [row[LOG_COLUMNS.index("event_name")] for row in found.rows][1] == "\ufffd\ufffd\ufffd\ufffdLT"
    assert "invalid_utf8" in found.rows[1][LOG_COLUMNS.index("attributes")]
    assert not found.refused


@pytest.mark.parametrize("recording", RECORDINGS, ids=str)
def test_recorded_export_is_decoded_whole(recording: Recording) -> None:
    request = ExportTraceServiceRequest.FromString(recording.traces_body)
    sent = sum(len(scope.spans) for of in request.resource_spans for scope in of.scope_spans)
    found = decode_spans(recording.traces_body)
    assert len(found.rows) == sent > 0
    assert not found.refused
