from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.step import Step

CALL = {"mcp.method.name": "tools/call"}
TOLD = {**CALL, "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "book_hotel"}
ARGS = {"city": "Paris"}


def read(attributes: Mapping[str, Any], **fields: Any) -> Step | None:
    reading = dialects.read(agent_spans.span(1, attributes=attributes, **fields))
    assert reading is None or reading[0] == "mcp"
    return reading[1] if reading else None


def step(attributes: Mapping[str, Any], **fields: Any) -> Step:
    return require_step(read(attributes, **fields))


def content(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text} for text in texts]


@pytest.mark.parametrize(
    ("attributes", "fields"),
    [
        pytest.param(TOLD, {}, id="as the conventions have it"),
        pytest.param(CALL, {"name": "tools/call book_hotel"}, id="only in the name"),
        pytest.param(CALL, {"name": "MCP send tools/call book_hotel"}, id="behind words of the SDK"),
        pytest.param(
            {"rpc.method": "tools/call", "request": json.dumps({"params": {"name": "book_hotel", "arguments": ARGS}})},
            {"scope_name": "logfire.mcp"},
            id="in a whole request",
        ),
        pytest.param(
            {
                "traceloop.span.kind": "tool",
                "traceloop.entity.name": "book_hotel",
            },
            {"scope_name": "opentelemetry.instrumentation.mcp.instrumentation"},
            id="as an entity",
        ),
    ],
)
def test_a_call_names_its_tool(attributes: Mapping[str, Any], fields: Mapping[str, Any]) -> None:
    recorded_step = step(attributes, **fields)

    assert (recorded_step.kind, recorded_step.tool_name) == ("tool", "book_hotel")


@pytest.mark.parametrize("method", ["initialize", "tools/list", "prompts/get", "resources/read", "server/discover"])
def test_any_other_request_is_no_step(method: str) -> None:
    assert read({"mcp.method.name": method, "gen_ai.tool.name": "book_hotel"}) is None


@pytest.mark.parametrize("kind", ["session", "server"])
def test_what_is_around_a_server_is_no_step(kind: str) -> None:
    attributes = {"traceloop.span.kind": kind, "traceloop.entity.name": "mcp.server"}

    assert read(attributes, scope_name="opentelemetry.instrumentation.mcp.fastmcp_instrumentation") is None


def test_arguments_and_result_are_read_where_they_were_recorded() -> None:
    recorded_step = step(
        {
            **TOLD,
            "gen_ai.tool.call.arguments": json.dumps(ARGS),
            "gen_ai.tool.call.result": json.dumps({"content": content("booked", "paid"), "isError": False}),
        }
    )

    assert (recorded_step.args, recorded_step.result, recorded_step.error) == (ARGS, "booked\npaid", None)


def test_result_that_says_it_is_an_error_stays_as_it_was_sent() -> None:
    request, response = (
        {"params": {"name": "book_hotel", "arguments": ARGS}},
        {"content": content("full"), "isError": True},
    )
    recorded_step = step(
        {"rpc.method": "tools/call", "request": json.dumps(request), "response": json.dumps(response)},
        scope_name="logfire.mcp",
    )

    assert (recorded_step.args, recorded_step.result, recorded_step.error) == (ARGS, json.dumps(response), "full")


def test_a_result_may_be_wrapped_as_an_entity() -> None:
    recorded_step = step(
        {
            "traceloop.span.kind": "tool",
            "traceloop.entity.input": json.dumps({"tool_name": "book_hotel", "arguments": ARGS}),
            "traceloop.entity.output": json.dumps({"result": "full", "is_error": True}),
        },
        scope_name="opentelemetry.instrumentation.mcp.instrumentation",
    )

    assert (recorded_step.tool_name, recorded_step.args, recorded_step.result, recorded_step.error) == (
        "book_hotel",
        ARGS,
        "full",
        "full",
    )


def test_a_server_may_write_its_content_as_parts() -> None:
    recorded_step = step(
        {
            "traceloop.span.kind": "tool",
            "traceloop.entity.name": "book_hotel",
            "traceloop.entity.output": json.dumps([{"type": "text", "content": "booked"}]),
        },
        scope_name="opentelemetry.instrumentation.mcp.fastmcp_instrumentation",
    )

    assert recorded_step.result == "booked"


def test_the_server_tells_that_the_tool_failed() -> None:
    recorded_step = step({**TOLD, "error.type": "tool_error"}, kind="server", status_code="error")

    assert recorded_step.error == "tool_error"


def test_client_and_server_of_one_call_are_one_call() -> None:
    client = agent_spans.span(
        2, parent=1, at_s=1, for_s=2, kind="client", name="MCP send tools/call book_hotel", attributes=CALL
    )
    server = agent_spans.span(3, parent=2, at_s=1.5, for_s=1, kind="server", attributes=TOLD)
    (run,) = assemble([agent_spans.agent(1), client, server])

    assert [(call.name, call.span_id, call.duration_ms) for call in run.tool_calls] == [
        ("book_hotel", client.span_id, 2000.0)
    ]
