from __future__ import annotations

from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import list_texts, read_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step


def step(attributes: dict[str, Any], *, name: str = "look_up", scope: str = "my-app") -> Step:
    return read_step(agent_spans.span(1, name=name, attributes=attributes, scope_name=scope), "deepeval")


def test_span_is_what_its_type_says() -> None:
    run = step(
        {
            "confident.span.type": "agent",
            "confident.agent.name": "travel",
            "confident.trace.thread_id": "t1",
            "confident.trace.user_id": "u1",
            "confident.span.input": "Hi",
            "confident.span.output": "Hello",
        }
    )
    call = step(
        {
            "confident.span.type": "tool",
            "confident.tool.name": "search",
            "confident.span.input": '{"to": "Paris"}',
            "confident.span.output": "AF007",
        }
    )

    assert (run.kind, run.agent_name, run.session_id, run.user_id) == ("agent", "travel", "t1", "u1")
    assert (run.input_text, run.output_text) == ("Hi", "Hello")
    assert (call.tool_name, call.args, call.result) == ("search", {"to": "Paris"}, "AF007")


def test_call_of_a_model_is_read() -> None:
    call = step(
        {
            "confident.span.type": "llm",
            "confident.llm.model": "gpt-4o",
            "confident.llm.input_token_count": 10,
            "confident.llm.output_token_count": 4,
            "confident.span.input": '[{"role": "user", "content": "Hi"}]',
            "confident.span.output": "Hello",
        }
    )

    assert (list_texts(call.input), list_texts(call.output)) == ([("user", "Hi")], [("assistant", "Hello")])
    assert (call.request_model, call.usage.input_tokens, call.usage.output_tokens) == ("gpt-4o", 10, 4)


def test_span_of_another_convention_stays_what_it_is() -> None:
    read = dialects.read(
        agent_spans.span(
            1, attributes={"openinference.span.kind": "TOOL", "tool.name": "search", "confident.span.input": "x"}
        )
    )

    assert read is not None
    assert (read[0], read[1].tool_name) == ("openinference", "search")
