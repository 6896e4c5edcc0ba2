from __future__ import annotations

import json
from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import list_texts, read_step

from tracegrade.collector.spans.step import Step


def step(attributes: dict[str, Any], *, name: str = "look_up", scope: str = "traceai_openai_agents") -> Step:
    return read_step(agent_spans.span(1, name=name, attributes=attributes, scope_name=scope), "trace_ai")


def test_call_of_a_model_is_read_as_openinference_is() -> None:
    call = step(
        {
            "gen_ai.span.kind": "LLM",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": "gpt-4o",
            "gen_ai.input.messages.0.message.role": "user",
            "gen_ai.input.messages.0.message.content": "To Paris?",
            "gen_ai.output.messages.0.message.role": "assistant",
            "gen_ai.output.messages.0.message.tool_calls.0.tool_call.id": "c1",
            "gen_ai.output.messages.0.message.tool_calls.0.tool_call.function.name": "search",
            "gen_ai.output.messages.0.message.tool_calls.0.tool_call.function.arguments": '{"to": "Paris"}',
            "gen_ai.tool.definitions.0.tool.json_schema": '{"type": "function", "function": {"name": "search"}}',
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.input_tokens.cache_read": 8,
            "gen_ai.usage.output_tokens": 4,
            "gen_ai.usage.output_tokens.reasoning": 2,
            "gen_ai.conversation.id": "s1",
        }
    )

    assert (list_texts(call.input), call.session_id) == ([("user", "To Paris?")], "s1")
    assert [(c.id, c.name, c.arguments) for m in call.output or () for c in m.tool_calls] == [
        ("c1", "search", {"to": "Paris"})
    ]
    assert [tool.name for tool in call.definitions or ()] == ["search"]
    assert (call.provider_name, call.request_model) == ("openai", "gpt-4o")
    usage = call.usage
    assert (usage.input_tokens, usage.cached_input_tokens, usage.output_tokens, usage.reasoning_tokens) == (10, 8, 4, 2)


def test_tool_and_agent_are_read() -> None:
    call = step(
        {
            "gen_ai.span.kind": "TOOL",
            "gen_ai.tool.name": "search",
            "input.value": '{"to": "Paris"}',
            "output.value": "AF007",
        }
    )
    run = step({"gen_ai.span.kind": "AGENT", "input.value": "Hi", "output.value": "Hello", "session.id": "s1"})

    assert (call.tool_name, call.args, call.result) == ("search", {"to": "Paris"}, "AF007")
    assert (run.kind, run.input_text, run.output_text, run.session_id) == ("agent", "Hi", "Hello", "s1")


def test_messages_may_be_one_attribute() -> None:
    turns = '[{"message.role": "user", "message.content": "Hi"}]'
    call = step({"gen_ai.span.kind": "LLM", "gen_ai.input.messages": turns}, scope="traceai_langchain")

    assert list_texts(call.input) == [("user", "Hi")]


def test_earlier_versions_name_the_kind_by_a_key_of_their_own() -> None:
    call = step({"fi.span.kind": "LLM", "llm.model_name": "gpt-4o", "llm.token_count.prompt": 10}, scope="my-app")

    assert (call.kind, call.request_model, call.usage.input_tokens) == ("model", "gpt-4o", 10)


def test_printed_state_of_a_graph_gives_only_results() -> None:
    printed = ["content='Hi' additional_kwargs={}", "content='x' name='look_up' tool_call_id='c1'"]
    run = step({"gen_ai.span.kind": "CHAIN", "output.value": json.dumps({"messages": printed})}, name="desk")
    assert run.output_text is None
    assert [(turn.role, turn.parts[0].id, turn.parts[0].response) for turn in run.output or ()] == [("tool", "c1", "x")]  # type: ignore[union-attr]


def test_printed_result_of_a_tool_is_its_content() -> None:
    printed = json.dumps({"output": "content='x' name='look_up' tool_call_id='c1'"})
    call = step({"gen_ai.span.kind": "TOOL", "gen_ai.tool.name": "look_up", "output.value": printed})
    assert (call.result, call.call_id) == ("x", "c1")


def test_graph_that_was_interrupted_waits() -> None:
    assert step({"gen_ai.span.kind": "CHAIN", "langgraph.interrupt": True}, name="desk").interrupt == ""
