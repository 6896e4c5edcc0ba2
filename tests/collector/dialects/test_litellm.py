from __future__ import annotations

import json
from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector import dialects
from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import ToolCallPart, ToolCallResponsePart

COST = "gen_ai.cost.total_cost"
REQUEST = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-4.1-mini",
    "gen_ai.usage.input_tokens": 10,
    COST: 0.5,
}


def span(number: int, *, name: str = "litellm_request", **more: Any) -> Span:
    return agent_spans.span(number, name=name, scope_name="litellm", **more)


def step(attributes: dict[str, Any], *, name: str = "litellm_request") -> Step:
    return read_step(span(1, name=name, attributes=attributes), "litellm")


def test_calls_are_beside_the_answer_that_asks_for_them() -> None:
    answer = json.dumps([{"role": "assistant", "parts": [], "finish_reason": "tool_calls"}])
    call = step(
        {
            **REQUEST,
            "gen_ai.output.messages": answer,
            "gen_ai.completion.0.function_call.name": "search",
            "gen_ai.completion.0.function_call.arguments": '{"q": 1}',
            "gen_ai.completion.1.function_call.name": "now",
        }
    )

    assert call.output is not None
    assert call.output[0].tool_calls == (
        ToolCallPart(id=None, name="search", arguments={"q": 1}),
        ToolCallPart(id=None, name="now", arguments=None),
    )


def test_history_has_calls_and_results_beside_texts() -> None:
    request = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    history = [
        {"role": "assistant", "parts": [{"type": "text", "content": "Wait"}], "tool_calls": [request]},
        {"role": "tool", "parts": [{"type": "text", "content": "AF007"}], "tool_call_id": "c1"},
    ]
    turns = step({**REQUEST, "gen_ai.input.messages": json.dumps(history)}).input

    assert turns is not None
    assert [part.type for part in turns[0].parts] == ["text", "tool_call"]
    assert turns[1].parts == (ToolCallResponsePart(id="c1", response="AF007"),)


def test_request_as_it_was_sent_is_the_same_call_with_ids() -> None:
    raw = {
        "llm.openai.messages": "[{'role': 'user', 'content': 'Hi'}]",
        "llm.openai.choices": "[{'finish_reason': 'tool_calls', 'message': {'role': 'assistant', 'tool_calls': "
        "[{'id': 'c1', 'function': {'name': 'search', 'arguments': '{}'}}]}}]",
        "llm.openai.model": "gpt-4.1-mini-2025-04-14",
        "llm.openai.usage": "{'prompt_tokens': 10, 'completion_tokens': 2}",
    }
    request = span(1, attributes={**REQUEST, "gen_ai.completion.0.function_call.name": "search"})
    sent = span(2, parent=1, name="raw_gen_ai_request", attributes=raw)
    [run] = assemble([request, sent])

    assert [(call.id, call.name) for call in run.tool_calls] == [("c1", "search")]
    assert [(call.request_model, call.finish_reasons) for call in run.llm_calls] == [("gpt-4.1-mini", ("tool_calls",))]
    assert (run.input_tokens, run.output_tokens, run.cost_usd) == (10, 2, 0.5)


def test_answer_of_anthropic_is_a_list_of_blocks() -> None:
    raw = {
        "llm.anthropic.messages": "[{'role': 'user', 'content': 'Hi'}]",
        "llm.anthropic.content": "[{'type': 'tool_use', 'id': 't1', 'name': 'search', 'input': {'q': 1}}]",
        "llm.anthropic.stop_reason": "tool_use",
    }
    call = step(raw, name="raw_gen_ai_request")

    assert call.output is not None
    assert call.output[0].tool_calls == (ToolCallPart(id="t1", name="search", arguments={"q": 1}),)
    assert call.finish_reasons == ("tool_use",)


def test_request_without_messages_is_not_a_call() -> None:
    assert dialects.read(span(1, name="raw_gen_ai_request", attributes={"llm.openai.stream": "True"})) is None
