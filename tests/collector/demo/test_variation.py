"""A varied recording: other ids, times and texts, but the same calls in the same order."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from tracegrade.collector.demo.history import read_recording
from tracegrade.collector.demo.variation import Variation, vary

BEGAN = datetime(2026, 3, 1, 12)  # noqa: DTZ001 - as the store keeps it
AS_RECORDED = Variation(id_seed="1:", began=BEGAN)
WEATHER = read_recording("langgraph-weather-refused")


def spans(request: ExportTraceServiceRequest) -> list[Span]:
    return [span for resource in request.resource_spans for scope in resource.scope_spans for span in scope.spans]


def duration(span: Span) -> timedelta:
    return timedelta(microseconds=(span.end_time_unix_nano - span.start_time_unix_nano) / 1000)


def find(request: ExportTraceServiceRequest, name: str) -> Span:
    return next(span for span in spans(request) if span.name == name)


def value(span: Span, key: str) -> str:
    return next(attribute.value.string_value for attribute in span.attributes if attribute.key == key)


def test_ids_depend_on_the_seed_alone_and_parents_stay_parents() -> None:
    varied = spans(vary(WEATHER, AS_RECORDED))
    assert [span.span_id for span in varied] == [span.span_id for span in spans(vary(WEATHER, AS_RECORDED))]
    others = spans(vary(WEATHER, replace(AS_RECORDED, id_seed="2:")))
    assert {span.span_id for span in varied}.isdisjoint(span.span_id for span in others)
    recorded_parents = [span.parent_span_id for span in spans(WEATHER)]
    positions = {span.span_id: position for position, span in enumerate(spans(WEATHER))}
    for span, parent in zip(varied, recorded_parents, strict=True):
        assert span.parent_span_id == (varied[positions[parent]].span_id if parent else b"")


def test_run_begins_at_the_given_time_and_is_stretched() -> None:
    varied = vary(WEATHER, replace(AS_RECORDED, stretch=3.0))
    assert (
        min(span.start_time_unix_nano for span in spans(varied)) == int(BEGAN.replace(tzinfo=UTC).timestamp()) * 10**9
    )
    recorded, moved = find(WEATHER, "travel_agent"), find(varied, "travel_agent")
    assert abs(duration(moved) - 3 * duration(recorded)) < timedelta(milliseconds=1)


def test_faulty_tool_takes_longer_with_all_around_it_and_what_follows_begins_later() -> None:
    usual = vary(WEATHER, AS_RECORDED)
    slow = vary(WEATHER, replace(AS_RECORDED, faulty_tool="get_weather", slower_s=5.0, tool_error="HTTP 429"))
    for name in ("get_weather", "travel_agent"):
        assert abs(duration(find(slow, name)) - duration(find(usual, name)) - timedelta(seconds=5)) < timedelta(
            seconds=0.1
        )
    assert duration(find(slow, "get_notes")) == duration(find(usual, "get_notes"))
    assert find(slow, "get_notes").start_time_unix_nano > find(slow, "get_weather").end_time_unix_nano
    status = find(slow, "get_weather").status
    assert (status.code, status.message) == (Status.STATUS_CODE_ERROR, "HTTP 429")


def test_texts_are_replaced_in_json_within_json_and_never_twice() -> None:
    texts = {
        "Paris": "Rome",
        "Rome": "Oslo",
        '{"error": "weather service quota exceeded", "code": 429}': '{"sky": "é"}',
    }
    varied = vary(WEATHER, replace(AS_RECORDED, texts=texts))
    assert "What is the weather in Rome" in value(find(varied, "travel_agent"), "input.value")
    result = value(find(varied, "get_weather"), "output.value")
    assert r"{\"sky\": \"é\"}" in result
    for span in spans(varied):
        assert not re.search("Paris|Oslo|quota exceeded", str([attribute.value for attribute in span.attributes]))


def test_every_span_and_resource_gets_the_given_attributes_once() -> None:
    given = replace(AS_RECORDED, attributes={"session.id": "s-1"}, resource={"deployment.environment.name": "staging"})
    varied = vary(vary(WEATHER, given), given)
    for span in spans(varied):
        assert [attribute.value.string_value for attribute in span.attributes if attribute.key == "session.id"] == [
            "s-1"
        ]
    for of_resource in varied.resource_spans:
        keys = [attribute.key for attribute in of_resource.resource.attributes]
        assert keys.count("deployment.environment.name") == 1


def test_ids_of_tool_calls_differ_between_runs_and_agree_within_one() -> None:
    def call_ids(id_seed: str) -> set[str]:
        varied = vary(WEATHER, replace(AS_RECORDED, id_seed=id_seed))
        text = str([attribute.value for span in spans(varied) for attribute in span.attributes])
        return set(re.findall(r"call_[\w-]+s2b_\d_\d", text))

    assert len(call_ids("1:")) == 2
    assert call_ids("1:").isdisjoint(call_ids("2:"))
