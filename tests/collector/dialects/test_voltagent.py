from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector import dialects
from tracegrade.collector.assembly.assemble import assemble
from tracegrade.collector.spans.span import Span
from tracegrade.collector.spans.step import Step


def span(number: int, kind: str | None, *, parent: int | None = None, **attributes: Any) -> Span:
    span_attributes = {"entity.type": "agent", "entity.name": "travel"} | ({} if kind is None else {"span.type": kind})
    span_attributes |= {key.replace("__", "."): value for key, value in attributes.items()}
    return agent_spans.span(
        number, parent=parent, attributes=span_attributes, scope_name="@voltagent/core", for_s=20 - number
    )


def read(kind: str | None, **attributes: Any) -> Step | None:
    reading = dialects.read(span(1, kind, **attributes))
    assert reading is None or reading[0] == "voltagent"
    return reading[1] if reading else None


@pytest.mark.parametrize("kind", ["memory", "scorer", "workflow-step", "new_kind"])
def test_other_types_give_structure(kind: str) -> None:
    assert read(kind) is None


def test_tokens_are_those_of_the_agent_and_not_of_its_last_step() -> None:
    (run,) = assemble(
        [
            span(1, None, usage__prompt_tokens=900, usage__completion_tokens=90, output="Done"),
            span(2, "llm", parent=1, llm__model="gpt-4.1-mini", llm__usage__prompt_tokens=500),
        ]
    )

    assert (run.input_tokens, run.output_tokens, run.final_response) == (900, 90, "Done")


def test_model_call_without_an_agent_has_its_own_tokens() -> None:
    call = read("llm", llm__model="m", llm__usage__prompt_tokens=500, llm__usage__completion_tokens=5)

    assert call is not None
    assert (call.usage.input_tokens, call.usage.output_tokens) == (500, 5)


def test_sub_agent_has_its_own_name() -> None:
    runs = assemble(
        [
            span(1, None),
            span(2, "tool", parent=1, tool__name="delegate_task", input='{"task": "x"}', output="done"),
            span(3, None, parent=2, subagent__name="hotel", input="Book"),
        ]
    )

    assert [(run.agent_name, run.parent_agent_trace_id is not None) for run in runs] == [
        ("travel", False),
        ("hotel", True),
    ]


def test_parameters_that_are_not_json_schema_are_no_schema() -> None:
    snapshot = {"tools": [{"name": "search", "description": "Finds", "parameters": {"def": {"type": "object"}}}]}
    agent = read(None, agent__stateSnapshot=json.dumps(snapshot))

    assert agent is not None
    assert [(tool.name, tool.description, tool.input_schema) for tool in agent.definitions or ()] == [
        ("search", "Finds", None)
    ]


@pytest.mark.parametrize("value", [7, ["x"], '{"tools": [{'], ids=["number", "list", "cut off"])
def test_odd_content_makes_no_exception(value: Any) -> None:
    assert read(None, input=value, output=value, agent__stateSnapshot=value) is not None


def test_call_of_a_model_is_known_by_its_messages_in_any_scope() -> None:
    turns = json.dumps([{"role": "user", "content": "Hi"}])
    read = dialects.read(agent_spans.span(1, attributes={"span.type": "llm", "llm.messages": turns, "output": "Hello"}))

    assert read is not None
    assert (read[0], read[1].kind, [message.text for message in read[1].input or ()]) == ("voltagent", "model", ["Hi"])


@pytest.mark.parametrize(
    ("needs_approval", "reason", "interrupt", "answer"),
    [
        pytest.param(True, "tool-calls", "refund", None, id="waits for an approval"),
        pytest.param(False, "tool-calls", None, None, id="stopped with calls"),
        pytest.param(True, "stop", None, "", id="answered with nothing"),
    ],
)
def test_reason_tells_what_an_empty_output_means(
    needs_approval: bool,  # noqa: FBT001
    reason: str,
    interrupt: str | None,
    answer: str | None,
) -> None:
    state = json.dumps({"tools": [{"name": "refund", "needsApproval": needs_approval}, {"id": "nameless"}]})
    run = read(None, output="", ai__response__finish_reason=reason, agent__stateSnapshot=state)
    assert run is not None
    assert (run.interrupt, run.output_text) == (interrupt, answer)


def test_tool_of_a_named_agent_alone_is_its_run() -> None:
    (run,) = assemble([span(2, "tool", parent=1, tool__name="look", tool__call__id="c1", output="x")])
    assert (run.agent_name, run.completeness, len(run.tool_calls)) == ("travel", "partial", 1)
