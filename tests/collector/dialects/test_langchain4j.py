from __future__ import annotations

from typing import Any

from tests.support import tale

from tracegrade.collector import dialects
from tracegrade.collector.span import Event
from tracegrade.collector.step import Step

SCOPE = "io.quarkus.opentelemetry"


def read(name: str, **fields: Any) -> Step | None:
    found = dialects.read(tale.span(1, name=name, scope_name=SCOPE, **fields))
    return found[1] if found else None


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
