from __future__ import annotations

from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import list_texts, read_step

from tracegrade.collector.spans.step import Step


def step(attributes: dict[str, Any], *, name: str = "look_up", scope: str = "traceroot-sdk") -> Step:
    return read_step(agent_spans.span(1, name=name, attributes=attributes, scope_name=scope), "traceroot")


def test_function_is_what_its_type_says() -> None:
    run = step({"traceroot.span.type": "agent", "traceroot.span.input": '{"question": "Hi"}'}, name="travel")
    call = step(
        {"traceroot.span.type": "tool", "traceroot.span.input": '{"to": "Paris"}', "traceroot.span.output": "7"}
    )

    assert (run.kind, run.agent_name, run.input_text) == ("agent", "travel", "Hi")
    assert (call.kind, call.tool_name, call.args, call.result) == ("tool", "look_up", {"to": "Paris"}, "7")


def test_call_of_a_model_has_its_tokens_in_one_object() -> None:
    call = step(
        {
            "traceroot.span.type": "llm",
            "traceroot.span.input": '{"messages": [{"role": "user", "content": "Hi"}]}',
            "traceroot.span.output": "Hello",
            "traceroot.llm.model": "gpt-4o",
            "traceroot.llm.usage": '{"input_tokens": 10, "output_tokens": 4}',
            "traceroot.trace.session_id": "s1",
            "traceroot.trace.user_id": "u1",
        }
    )

    assert (list_texts(call.input), list_texts(call.output)) == ([("user", "Hi")], [("assistant", "Hello")])
    assert (call.request_model, call.usage.input_tokens, call.usage.output_tokens) == ("gpt-4o", 10, 4)
    assert (call.session_id, call.user_id) == ("s1", "u1")
