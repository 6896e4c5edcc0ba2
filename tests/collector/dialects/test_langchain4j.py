from __future__ import annotations

from typing import Any

from tests.support import agent_spans

from tracegrade.collector import dialects
from tracegrade.collector.spans.span import Event
from tracegrade.collector.spans.step import Step

SCOPE = "io.quarkus.opentelemetry"


def read(name: str, **fields: Any) -> Step | None:
    reading = dialects.read(agent_spans.span(1, name=name, scope_name=SCOPE, **fields))
    return reading[1] if reading else None


def test_span_of_the_web_server_is_no_step() -> None:
    assert read("POST /chat", attributes={"http.request.method": "POST"}) is None


def test_ai_service_is_an_agent_of_its_name() -> None:
    service = read("langchain4j.aiservices.TravelAgent.chat")

    assert service is not None
    assert (service.kind, service.agent_name) == ("agent", "TravelAgent")


def test_exception_without_a_status_is_an_error() -> None:
    thrown = Event("exception", 1, {"exception.type": "Refused", "exception.message": "no rooms"})
    tool = read("langchain4j.tools.book_hotel", events=(thrown,))

    assert tool is not None
    assert (tool.tool_name, tool.error) == ("book_hotel", "no rooms")


def test_arguments_and_result_of_a_tool_are_read() -> None:
    span_attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "book_hotel",
        "gen_ai.tool.call.id": "call_1",
        "gen_ai.tool.call.arguments": '{"nights": 2}',
        "gen_ai.tool.call.result": "booked",
    }
    tool = read("langchain4j.tools.book_hotel", attributes=span_attributes)

    assert tool is not None
    assert (tool.call_id, tool.args, tool.result, tool.error) == ("call_1", {"nights": 2}, "booked", None)


def test_exception_of_a_listener_is_no_error_of_a_tool_that_gave_a_result() -> None:
    thrown = Event("exception", 1, {"exception.type": "ListenerFailed"})
    tool = read("langchain4j.tools.book_hotel", attributes={"gen_ai.tool.call.result": "booked"}, events=(thrown,))

    assert tool is not None
    assert (tool.result, tool.error) == ("booked", None)
