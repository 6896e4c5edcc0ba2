"""Spans that follow two conventions: what one of them leaves out, the other may tell."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector import dialects
from tracegrade.collector.assembly import assemble

GENAI: dict[str, Any] = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-4.1-mini",
    "gen_ai.input.messages": json.dumps([agent_spans.text_message("user", "To Paris?")]),
    "gen_ai.output.messages": json.dumps([agent_spans.text_message("assistant", "Take AF007.")]),
    "gen_ai.usage.input_tokens": 50,
}


@pytest.mark.parametrize(
    "marks",
    [
        pytest.param({"openinference.span.kind": "LLM"}, id="openinference"),
        pytest.param({"langsmith.span.kind": "llm"}, id="langsmith"),
        pytest.param({"braintrust.span_attributes": '{"type": "llm"}'}, id="braintrust"),
        pytest.param({"mlflow.spanType": '"LLM"'}, id="mlflow"),
    ],
)
def test_model_call_that_only_names_its_kind_in_one_convention_is_read_in_the_other(marks: dict[str, Any]) -> None:
    [run] = assemble([agent_spans.span(1, attributes={**GENAI, **marks})])
    assert (run.input, run.final_response, run.model) == ("To Paris?", "Take AF007.", "gpt-4.1-mini")
    assert (run.input_tokens, run.gaps) == (50, ("no_agent_span",))


def test_what_the_first_convention_tells_stays() -> None:
    own = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "To Rome?"}
    [run] = assemble([agent_spans.span(1, attributes={**GENAI, **own, "openinference.span.kind": "LLM"})])
    assert (run.input, run.final_response) == ("To Rome?", "Take AF007.")


def test_tool_call_that_only_names_its_kind_in_one_convention_is_read_in_the_other() -> None:
    ran = agent_spans.tool(
        2,
        parent=1,
        at_s=1,
        args={"to": "Paris"},
        result="AF007",
        call_id="c1",
        attributes={"openinference.span.kind": "TOOL"},
    )
    [run] = assemble([agent_spans.agent(1), ran])
    assert [(call.id, call.args, call.result) for call in run.tool_calls] == [("c1", {"to": "Paris"}, "AF007")]


def test_value_that_cannot_be_read_in_the_second_convention_is_a_gap() -> None:
    cut = {**GENAI, "gen_ai.input.messages": GENAI["gen_ai.input.messages"][:30], "openinference.span.kind": "LLM"}
    [run] = assemble([agent_spans.span(1, attributes=cut)])
    assert run.final_response == "Take AF007."
    assert set(run.gaps) & {"truncated", "unreadable_content"}


def test_failure_in_the_result_of_a_second_convention_is_the_error_of_the_call() -> None:
    result = '{"isError": true, "content": [{"type": "text", "text": "no such city"}]}'
    recorded = {"openinference.span.kind": "TOOL", "tool.name": "find", "gen_ai.tool.call.result": result}
    reading = dialects.read(agent_spans.span(1, attributes=recorded))
    assert reading is not None
    assert (reading[1].result, reading[1].error) == (result, "no such city")
