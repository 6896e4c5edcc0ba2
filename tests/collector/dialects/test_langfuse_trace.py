from __future__ import annotations

from typing import Any

from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step


def step(attributes: dict[str, Any], *, name: str = "look_up", scope: str = "my-app") -> Step:
    return read_step(agent_spans.span(1, name=name, attributes=attributes, scope_name=scope), "langfuse_trace")


def test_span_with_the_input_of_its_trace_is_the_workflow_around_it() -> None:
    run = step({"langfuse.trace.input": '{"question": "Hi"}', "langfuse.trace.output": "Hello", "session.id": "s1"})

    assert (run.kind, run.input_text, run.output_text, run.session_id) == ("workflow", "Hi", "Hello", "s1")


def test_span_that_says_more_stays_what_it_is() -> None:
    call = step({"langfuse.trace.input": "Hi", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"})
    other = dialects.read(
        agent_spans.span(1, attributes={"langfuse.trace.input": "Hi", "openinference.span.kind": "AGENT"})
    )

    assert (call.kind, call.tool_name) == ("tool", "search")
    assert other is not None
    assert other[0] == "openinference"
