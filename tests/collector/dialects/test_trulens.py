from __future__ import annotations

from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import list_texts, read_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step


def step(attributes: dict[str, Any], *, name: str = "look_up", scope: str = "trulens.core.otel.instrument") -> Step:
    return read_step(agent_spans.span(1, name=name, attributes=attributes, scope_name=scope), "trulens")


def test_function_is_what_its_type_says() -> None:
    call = step(
        {
            "ai.observability.span_type": "tool",
            "ai.observability.call.kwargs.to": "Paris",
            "ai.observability.call.return": "AF007",
        }
    )
    root = step(
        {
            "ai.observability.span_type": "record_root",
            "ai.observability.record_root.input": "Hi",
            "ai.observability.record_root.output": "Hello",
            "ai.observability.conversation_id": "s1",
        }
    )

    assert (call.kind, call.tool_name, call.args, call.result) == ("tool", "look_up", {"to": "Paris"}, "AF007")
    assert (root.kind, root.input_text, root.output_text, root.session_id) == ("workflow", "Hi", "Hello", "s1")


def test_tool_of_a_server_has_keys_of_its_own() -> None:
    call = step(
        {
            "ai.observability.span_type": "MCP",
            "ai.observability.mcp.tool_name": "search",
            "ai.observability.mcp.input_arguments": '{"to": "Paris"}',
            "ai.observability.mcp.output_content": "AF007",
            "ai.observability.call.return": "<Result>",
        }
    )

    assert (call.tool_name, call.args, call.result) == ("search", {"to": "Paris"}, "AF007")


def test_cost_of_a_call_of_a_model_is_read() -> None:
    call = step(
        {
            "ai.observability.span_type": "generation",
            "ai.observability.cost.model": "gpt-4o",
            "ai.observability.cost.num_prompt_tokens": 10,
            "ai.observability.cost.num_completion_tokens": 4,
            "ai.observability.call.return": "Hello",
        }
    )

    assert (call.request_model, call.usage.input_tokens, call.usage.output_tokens) == ("gpt-4o", 10, 4)
    assert list_texts(call.output) == [("assistant", "Hello")]


def test_evaluation_is_not_a_step() -> None:
    assert dialects.read(agent_spans.span(1, attributes={"ai.observability.span_type": "eval_root"})) is None
