from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.span import Event
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import ToolCallPart


def read(attributes: dict[str, Any], **span: Any) -> Step | None:
    """The step of a span whose every attribute is JSON, as MLflow writes them."""
    span_attributes = {key: json.dumps(value) for key, value in attributes.items()}
    reading = dialects.read(
        agent_spans.span(1, attributes=span_attributes, **{"scope_name": "mlflow.tracing.provider", **span})
    )
    assert reading is None or reading[0] == "mlflow"
    return reading[1] if reading else None


def step(kind: str, *, inputs: Any = None, outputs: Any = None, **more: Any) -> Step:
    return require_step(
        read({"mlflow.spanType": kind, "mlflow.spanInputs": inputs, "mlflow.spanOutputs": outputs}, **more)
    )


@pytest.mark.parametrize("kind", ["PARSER", "EMBEDDING", "our_own"])
def test_span_of_another_type_is_no_step(kind: str) -> None:
    assert read({"mlflow.spanType": kind}) is None


@pytest.mark.parametrize(
    ("returned", "result"),
    [("Sunny", "Sunny"), ('{"a": 1}', '{"a": 1}'), ({"a": 1}, '{"a": 1}'), (5, "5"), (None, "null")],
    ids=["text", "text that is JSON", "object", "number", "nothing"],
)
def test_result_is_what_the_function_returned(returned: object, result: str) -> None:
    assert step("TOOL", inputs={"city": "Paris"}, outputs=returned, name="get_weather").result == result


def test_translated_result_is_out_of_its_quotes() -> None:
    span_attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather"}
    span = agent_spans.span(
        1, attributes={**span_attributes, "gen_ai.tool.call.result": '"Sunny"'}, scope_name="mlflow.tracing.provider"
    )
    reading = dialects.read(span)

    assert reading is not None
    assert reading[1].result == "Sunny"


def test_calls_of_tools_are_put_together_from_the_chunks_of_a_stream() -> None:
    parts = [
        {"index": 0, "id": "call_1", "function": {"name": "book_hotel", "arguments": '{"city": '}},
        {"index": 0, "function": {"arguments": '"Paris"}'}},
    ]
    events = tuple(
        Event(
            f"mlflow.chunk.item.{at}",
            at,
            {"mlflow.chunk.value": json.dumps({"choices": [{"delta": {"tool_calls": [part]}}]})},
        )
        for at, part in enumerate(parts)
    )
    call = step("CHAT_MODEL", outputs={"choices": [{"message": {"role": "assistant", "content": ""}}]}, events=events)

    assert call.output is not None
    assert call.output[0].tool_calls == (ToolCallPart(id="call_1", name="book_hotel", arguments={"city": "Paris"}),)


def test_whole_request_is_told_message_by_message() -> None:
    request = {
        "model": "gpt-4.1",
        "instructions": "Be brief.",
        "input": [
            {"role": "user", "content": "a hotel"},
            {"type": "function_call", "call_id": "call_1", "name": "book", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call_1", "output": "HTL-PAR-5"},
        ],
    }
    call = step("CHAT_MODEL", inputs=request)

    assert call.input is not None
    assert [(message.role, message.text) for message in call.input] == [
        ("system", "Be brief."),
        ("user", "a hotel"),
        ("assistant", None),
        ("tool", None),
    ]


def test_session_and_user_are_those_of_the_trace() -> None:
    run = read({"mlflow.spanType": "AGENT", "mlflow.trace.session": "s-1", "mlflow.trace.user": "u-1"})

    assert run is not None
    assert (run.session_id, run.user_id) == ("s-1", "u-1")
