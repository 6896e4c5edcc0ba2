from __future__ import annotations

import json
import math
from typing import Any, TypeVar

import pytest
from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.support.records import as_json

from tracegrade.collector.errors import Malformed, TooLarge
from tracegrade.collector.otlp.json import Converted, to_protobuf
from tracegrade.collector.otlp.signal import Signal

M = TypeVar("M", bound=Message)

TRACE_ID = "5b8efff798038103d269b633813fc60c"
SPAN_ID = "eee19b7ec3c1b174"
RESOURCE = {"attributes": [{"key": "service.name", "value": {"string_value": "helpdesk"}}]}
ANY_VALUES: list[dict[str, Any]] = [
    {"string_value": "refund ✓"},
    {"bool_value": False},
    {"int_value": -(2**63)},
    {"double_value": 0.5},
    {"bytes_value": b"\x00\xff\xfe"},
    {"array_value": {"values": [{"int_value": 0}, {}, {"array_value": {}}]}},
    {"kvlist_value": {"values": [{"key": "a", "value": {"kvlist_value": {}}}]}},
    {},
]


def message(kind: type[M], **fields: Any) -> M:
    return kind(**fields)


def traces(*spans: Any) -> bytes:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}).encode()


def span(**fields: Any) -> dict[str, Any]:
    return {"traceId": TRACE_ID, "spanId": SPAN_ID, "name": "search"} | fields


def attribute(value: Any) -> dict[str, Any]:
    return {"attributes": [{"key": "tool.result", "value": value}]}


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"stringValue": "refund"}
    for _ in range(levels):
        value = {"arrayValue": {"values": [value]}}
    return value


def convert(*spans: Any) -> tuple[list[Span], Converted]:
    converted = to_protobuf(Signal.TRACES, traces(*spans))
    request = ExportTraceServiceRequest.FromString(converted.body)
    return list(request.resource_spans[0].scope_spans[0].spans), converted


def value_of(value: Any) -> AnyValue:
    spans, converted = convert(span(**attribute(value)))
    assert converted.reasons == ()
    return spans[0].attributes[0].value


A_TRACE = message(
    ExportTraceServiceRequest,
    resource_spans=[
        {
            "resource": RESOURCE,
            "scope_spans": [
                {
                    "scope": {"name": "agents", "version": "1"},
                    "spans": [
                        {
                            "trace_id": bytes.fromhex(TRACE_ID),
                            "span_id": bytes.fromhex(SPAN_ID),
                            "parent_span_id": bytes(range(8)),
                            "flags": 0x301,
                            "name": "execute_tool search",
                            "kind": Span.SPAN_KIND_CLIENT,
                            "start_time_unix_nano": 2**64 - 1,
                            "end_time_unix_nano": 1_750_000_000_123_456_789,
                            "attributes": [{"key": str(n), "value": value} for n, value in enumerate(ANY_VALUES)],
                            "events": [{"name": "exception", "time_unix_nano": 5, "attributes": [{"key": "no value"}]}],
                            "links": [{"trace_id": bytes(range(16)), "span_id": bytes(range(8))}],
                            "status": {"code": 2, "message": "timeout"},
                            "dropped_attributes_count": 2**32 - 1,
                        }
                    ],
                }
            ],
        }
    ],
)
SOME_LOGS = message(
    ExportLogsServiceRequest,
    resource_logs=[
        {
            "resource": RESOURCE,
            "scope_logs": [
                {
                    "log_records": [
                        {
                            "time_unix_nano": 7,
                            "severity_number": 9,
                            "event_name": "gen_ai.client.inference.operation.details",
                            "body": {"kvlist_value": {"values": [{"key": "a", "value": {"int_value": 1}}]}},
                            "trace_id": bytes.fromhex(TRACE_ID),
                            "span_id": bytes.fromhex(SPAN_ID),
                        }
                    ]
                }
            ],
        }
    ],
)
POINT = {"time_unix_nano": 5, "as_int": -3, "exemplars": [{"span_id": bytes(range(8)), "as_double": 0.5}]}
SOME_METRICS = message(
    ExportMetricsServiceRequest,
    resource_metrics=[
        {
            "scope_metrics": [
                {
                    "metrics": [
                        {"name": "calls", "sum": {"data_points": [POINT], "is_monotonic": True}},
                        {"name": "tokens", "histogram": {"data_points": [{"bucket_counts": [2**63, 0], "min": -1.5}]}},
                        {
                            "name": "delay",
                            "exponential_histogram": {
                                "data_points": [{"scale": -3, "positive": {"bucket_counts": [1, 2]}}]
                            },
                        },
                    ]
                }
            ]
        }
    ],
)


@pytest.mark.parametrize("keep_names", [False, True], ids=["camelCase", "snake_case"])
@pytest.mark.parametrize(
    ("signal", "request_"),
    [(Signal.TRACES, A_TRACE), (Signal.LOGS, SOME_LOGS), (Signal.METRICS, SOME_METRICS)],
    ids=["traces", "logs", "metrics"],
)
def test_conversion_gives_back_the_protobuf_that_was_written_as_json(
    signal: Signal, request_: Message, *, keep_names: bool
) -> None:
    converted = to_protobuf(signal, as_json(request_, keep_names=keep_names))
    assert type(request_).FromString(converted.body) == request_
    assert (converted.refused, converted.reasons) == (0, ())


def test_ids_are_hexadecimal_in_either_case() -> None:
    spans, _ = convert(span(traceId=TRACE_ID.upper(), spanId=SPAN_ID))
    assert (spans[0].trace_id.hex(), spans[0].span_id.hex()) == (TRACE_ID, SPAN_ID)


@pytest.mark.parametrize("bad", ["W47/95gDgQPSabYzgT/GDA==", "xyz", "abc", 12, []], ids=str)
def test_span_with_an_id_that_is_no_hexadecimal_stays_with_an_empty_one(bad: Any) -> None:
    spans, converted = convert(span(traceId=bad), span(spanId=bad))
    assert (spans[0].trace_id, spans[1].span_id) == (b"", b"")
    assert converted.refused == 0


def test_span_with_an_unreadable_parent_is_left_out_rather_than_made_a_root() -> None:
    _, converted = convert(span(parentSpanId="root"))
    assert converted.reasons == ("span 1: parentSpanId: not hexadecimal",)


@pytest.mark.parametrize(
    ("written", "start_ns"),
    [("1750000000123456789", 1750000000123456789), (1750000000123456789, 1750000000123456789), (2e18, 2 * 10**18)],
    ids=["text", "number", "exponent"],
)
def test_times_are_text_or_numbers(written: Any, start_ns: int) -> None:
    spans, _ = convert(span(startTimeUnixNano=written))
    assert spans[0].start_time_unix_nano == start_ns


@pytest.mark.parametrize("written", [3, "SPAN_KIND_CLIENT", "3"], ids=["number", "name", "number in text"])
def test_enums_are_numbers_or_names(written: Any) -> None:
    spans, _ = convert(span(kind=written))
    assert spans[0].kind == Span.SPAN_KIND_CLIENT


@pytest.mark.parametrize("written", ["+_8=", "-_8", "+/8"], ids=["mixed", "url without padding", "standard"])
def test_bytes_are_base64_of_either_alphabet(written: str) -> None:
    assert value_of({"bytesValue": written}).bytes_value == b"\xfb\xff"


@pytest.mark.parametrize("written", ["NaN", "Infinity", "-Infinity", 1, "2.5"], ids=str)
def test_doubles_may_be_text(written: Any) -> None:
    read = value_of({"doubleValue": written}).double_value
    assert read == float(written) or (math.isnan(read) and written == "NaN")


def test_unknown_fields_and_nulls_are_ignored() -> None:
    spans, converted = convert(span(favouriteColour={"a": [1]}, attributes=None, status=None))
    assert [each.name for each in spans] == ["search"]
    assert converted.refused == 0


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        pytest.param(span(startTimeUnixNano="soon"), "startTimeUnixNano: not a number", id="time in words"),
        pytest.param(span(startTimeUnixNano=1.5), "startTimeUnixNano: not a whole number", id="half a nanosecond"),
        pytest.param(span(startTimeUnixNano=True), "startTimeUnixNano: not a number", id="time true"),
        pytest.param(span(startTimeUnixNano=-1), "startTimeUnixNano: out of range", id="negative time"),
        pytest.param(span(startTimeUnixNano="9" * 30), "startTimeUnixNano: out of range", id="huge time"),
        pytest.param(span(startTimeUnixNano="9" * 5000), "startTimeUnixNano: not a number", id="endless time"),
        pytest.param(span(name=7), "name: not a string", id="name a number"),
        pytest.param(span(kind="SPAN_KIND_GUESS"), "kind: not a SpanKind", id="unknown kind"),
        pytest.param(span(attributes={}), "attributes: not a list", id="attributes an object"),
        pytest.param(span(attributes=[None]), "attributes: 0: not an object", id="attribute null"),
        pytest.param(span(status=[]), "status: not an object", id="status a list"),
        pytest.param(
            span(**attribute({"boolValue": "yes"})), "attributes: 0: value: boolValue: not true or false", id="bool"
        ),
        pytest.param(
            span(**attribute({"doubleValue": "big"})), "attributes: 0: value: doubleValue: not a number", id="double"
        ),
        pytest.param(
            span(**attribute({"bytesValue": "%"})), "attributes: 0: value: bytesValue: not base64", id="bytes"
        ),
        pytest.param(span(links=[{"traceId": "xyz"}]), "links: 0: traceId: not hexadecimal", id="link id"),
        pytest.param([], "not an object", id="span a list"),
        pytest.param(None, "not an object", id="span null"),
    ],
)
def test_bad_span_is_left_out_with_its_reason_and_its_neighbours_stay(bad: Any, reason: str) -> None:
    spans, converted = convert(span(name="before"), bad, span(name="after"))
    assert [each.name for each in spans] == ["before", "after"]
    assert (converted.refused, converted.reasons) == (1, (f"span 2: {reason}",))


def test_bad_log_record_and_bad_data_point_are_left_out_likewise() -> None:
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"traceId": "xyz"}, {"severityText": "INFO"}]}]}]}
    points = {"dataPoints": [{"asInt": "many"}, {"asInt": "3"}]}
    metrics = {"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "calls", "gauge": points}]}]}]}
    assert to_protobuf(Signal.LOGS, json.dumps(logs).encode()).reasons == ("log record 1: traceId: not hexadecimal",)
    assert to_protobuf(Signal.METRICS, json.dumps(metrics).encode()).reasons == ("data point 1: asInt: not a number",)


def test_only_the_first_reasons_are_told_but_all_are_counted() -> None:
    _, converted = convert(*[span(name=7)] * 20)
    assert converted.refused == 20
    assert len(converted.reasons) == 5


def test_spans_are_counted_through_the_whole_request() -> None:
    group = {"scopeSpans": [{"spans": [span(), span()]}, {"spans": [span(name=7)]}]}
    body = json.dumps({"resourceSpans": [group, group]}).encode()
    assert to_protobuf(Signal.TRACES, body).reasons == ("span 3: name: not a string", "span 6: name: not a string")


def test_deepest_value_that_protobuf_can_read_is_taken_and_the_next_one_refused() -> None:
    spans, converted = convert(span(**attribute(nested(47))), span(**attribute(nested(48))))
    assert len(spans) == 1
    assert converted.reasons[0].endswith("nested more than 99 messages deep")


def test_body_that_would_swell_to_many_times_its_size_is_too_large() -> None:
    with pytest.raises(TooLarge, match="more than 1048576 objects"):
        to_protobuf(Signal.TRACES, b'{"resourceSpans": [' + b"{}," * 2**20 + b"{}]}")


def test_half_an_emoji_is_replaced_not_refused() -> None:
    body = traces(span(name="cut")).replace(b'"cut"', rb'"caf\u00e9 \ud83d"')
    request = ExportTraceServiceRequest.FromString(to_protobuf(Signal.TRACES, body).body)
    assert request.resource_spans[0].scope_spans[0].spans[0].name == "café \N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(b"", "not JSON", id="empty"),
        pytest.param(b"\x0a\x00\xff", "not JSON", id="protobuf"),
        pytest.param(b'{"resourceSpans": [', "not JSON", id="cut off"),
        pytest.param(b"[" * 1_000_000, "not JSON", id="deeply nested list"),
        pytest.param(b'{"a":' * 1_000_000, "not JSON", id="deeply nested object"),
        pytest.param(b"[]", "export: not an object", id="list on top"),
        pytest.param(b"7", "export: not an object", id="number on top"),
        pytest.param(b'{"resourceSpans": 3}', "resourceSpans: not a list", id="resource spans a number"),
        pytest.param(b'{"resourceSpans": ["a"]}', "resourceSpans: 0: not an object", id="resource span a text"),
        pytest.param(
            b'{"resourceSpans": [{"resource": {"attributes": [{"key": 1}]}}]}',
            "resourceSpans: 0: resource: attributes: 0: key: not a string",
            id="bad resource",
        ),
    ],
)
def test_body_that_is_no_export_is_malformed(body: bytes, message: str) -> None:
    with pytest.raises(Malformed, match=message):
        to_protobuf(Signal.TRACES, body)


def test_empty_object_is_an_empty_request() -> None:
    assert to_protobuf(Signal.TRACES, b"{}") == Converted(b"")
