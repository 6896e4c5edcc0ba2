from __future__ import annotations

import json
from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import list_texts, read_step

from tracegrade.collector.spans.step import Step


def step(attributes: dict[str, Any], *, name: str = "look_up", scope: str = "openai") -> Step:
    return read_step(agent_spans.span(1, name=name, attributes=attributes, scope_name=scope), "judgeval")


def test_call_of_a_model_has_the_request_and_the_answer_and_all_tokens() -> None:
    answer = {"choices": [{"message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}]}
    call = step(
        {
            "judgment.span_kind": "llm",
            "gen_ai.prompt": json.dumps({"messages": [{"role": "user", "content": "Hi"}]}),
            "gen_ai.completion": json.dumps(answer),
            "judgment.llm.model": "gpt-4o",
            "judgment.usage.non_cached_input_tokens": 10,
            "judgment.usage.cache_read_input_tokens": 80,
            "judgment.usage.cache_creation_input_tokens": 5,
            "judgment.usage.output_tokens": 4,
            "judgment.usage.total_cost_usd": 0.5,
        },
        name="OPENAI_API_CALL",
    )

    assert (list_texts(call.input), list_texts(call.output)) == ([("user", "Hi")], [("assistant", "Hello")])
    assert (call.usage.input_tokens, call.usage.cached_input_tokens, call.usage.cost_usd) == (95, 80, 0.5)


def test_function_is_what_its_kind_says() -> None:
    call = step({"judgment.span_kind": "tool", "judgment.input": '{"to": "Paris"}', "judgment.output": "AF007"})
    run = step({"judgment.span_kind": "agent", "judgment.session_id": "s1", "judgment.customer_user_id": "u1"})
    own = step({"judgment.span_kind": "function", "judgment.input": '{"n": 1}'})

    assert (call.kind, call.tool_name, call.args, call.result) == ("tool", "look_up", {"to": "Paris"}, "AF007")
    assert (run.kind, run.agent_name, run.session_id, run.user_id) == ("agent", "look_up", "s1", "u1")
    assert own.kind == "workflow"
