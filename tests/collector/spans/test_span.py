from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import permutations
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as ProtoSpan
from tests.support import agent_spans, otlp

from tracegrade.collector.otlp.decode import LOG_COLUMNS, SPAN_COLUMNS, decode_logs, decode_spans
from tracegrade.collector.spans.span import Event, Span, instant, join_logs


def read(span: ProtoSpan) -> Span:
    [row] = decode_spans(otlp.traces_request([span])).rows
    return Span.from_row(dict(zip(SPAN_COLUMNS, row, strict=True)))


def log_rows(*records: Any) -> list[Mapping[str, Any]]:
    return [dict(zip(LOG_COLUMNS, row, strict=True)) for row in decode_logs(otlp.logs_request(records)).rows]


def log_record(text: str, *, number: int = 1, time_ns: int = otlp.BEGAN_NS) -> Any:
    return otlp.log(number, time_unix_nano=time_ns, body=otlp.any_value({"content": text}))


def with_attributes(**attributes: Any) -> Span:
    return agent_spans.span(1, attributes=attributes)


def test_row_becomes_a_span_with_its_events_and_links() -> None:
    event = ProtoSpan.Event(name="retry", time_unix_nano=5, attributes=otlp.key_values({"attempt": 2}))
    link = ProtoSpan.Link(trace_id=b"\x01" * 16, span_id=b"\x02" * 8)
    span = read(otlp.span(3, attributes={"a": [1, {"b": None}]}, events=[event], links=[link]))
    assert span.span_id == otlp.span_id(3)
    assert span.attributes == {"a": [1, {"b": None}]}
    assert span.events == (Event("retry", 5, {"attempt": 2}),)
    assert span.links[0]["span_id"] == "02" * 8
    assert span.resource == {"service.name": "tests"}


def test_tale_arrives_as_it_was_told() -> None:
    [told] = agent_spans.trip()[:1]
    [row] = decode_spans(agent_spans.export_request([told])).rows
    arrived = Span.from_row(dict(zip(SPAN_COLUMNS, row, strict=True)))
    assert (arrived.attributes, arrived.start_ns, arrived.parent_span_id) == (told.attributes, told.start_ns, None)


def test_first_recorded_value_counts_and_an_empty_text_is_none() -> None:
    span = with_attributes(empty="", zero=0, no=False)
    assert span.first("missing", "empty", "zero") == 0
    assert span.first("no") is False
    assert span.first("missing", "empty") is None


def test_text_is_only_what_is_text() -> None:
    assert with_attributes(a="x").text("a") == "x"
    assert with_attributes(a=5).text("a") is None


@pytest.mark.parametrize(
    ("written", "count"),
    [
        (7, 7),
        (7.0, 7),
        ("7", 7),
        (0, 0),
        (True, None),
        ("many", None),
        ("NaN", None),
        ([7], None),
        (-1, None),
        (1e300, None),
        ("9" * 100, None),
    ],
    ids=str,
)
def test_count_is_a_number_that_can_be_true(written: object, count: int | None) -> None:
    assert with_attributes(tokens=written).count("tokens") == count


def test_attributes_under_a_prefix_lose_it() -> None:
    assert agent_spans.span(1, attributes={"llm.a": 1, "llm.b.c": 2, "llmx": 3}).under("llm.") == {"a": 1, "b.c": 2}


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        pytest.param({"status_message": "said"}, "said", id="status-message"),
        pytest.param({"events": (Event("exception", 1, {"exception.message": "thrown"}),)}, "thrown", id="exception"),
        pytest.param({"attributes": {"error.type": "Timeout"}}, "Timeout", id="error-type"),
        pytest.param({}, "error", id="nothing-more"),
    ],
)
def test_error_of_a_failed_span_is_the_best_that_was_recorded(fields: dict[str, Any], error: str) -> None:
    assert agent_spans.span(1, status_code="error", **fields).error == error
    assert agent_spans.span(1, **{**fields, "status_code": "ok"}).error is None


def test_log_records_become_events_of_the_span_they_name() -> None:
    spans = [agent_spans.span(1), agent_spans.span(2)]
    first, second = join_logs(spans, log_rows(log_record("hi", number=2), log_record("elsewhere", number=9)))
    assert first is spans[0]
    [event] = second.events
    assert (event.name, event.body, event.is_log) == ("gen_ai.user.message", {"content": "hi"}, True)


def test_log_record_of_no_span_is_left_out() -> None:
    span = agent_spans.span(1)
    assert join_logs([span], log_rows(otlp.log(span_id=b""))) == [span]


def test_events_and_log_records_stand_in_order_of_time() -> None:
    span = agent_spans.span(1, events=(Event("late", otlp.BEGAN_NS + 9, {}), Event("early", otlp.BEGAN_NS, {})))
    [joined] = join_logs([span], log_rows(log_record("between", time_ns=otlp.BEGAN_NS + 5)))
    assert [event.name for event in joined.events] == ["early", "gen_ai.user.message", "late"]


def test_order_at_one_instant_does_not_depend_on_the_order_of_arrival() -> None:
    span = agent_spans.span(1, events=(Event("own", otlp.BEGAN_NS, {}),))
    orders = {
        tuple(json.dumps(event.body) for event in joined.events)
        for rows in permutations(log_rows(log_record("a"), log_record("b"), log_record("c")))
        for joined in join_logs([span], rows)
    }
    assert len(orders) == 1


def test_instant_is_utc_to_the_microsecond() -> None:
    assert instant(otlp.BEGAN_NS + 1_999) == datetime(2026, 1, 1, 0, 0, 0, 1, tzinfo=UTC)
    assert instant(2**63 - 1).year == 2262
