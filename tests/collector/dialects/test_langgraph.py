"""What LangChain tells of a graph in the spans of two instrumentations: which of them is an agent's."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector import dialects
from tracegrade.collector.assembly import assemble
from tracegrade.collector.dialects.shared import langchain

STATE = {"messages": [{"lc": 1, "type": "constructor", "kwargs": {"type": "ai", "content": "Booked."}}]}
PROPERTY = "traceloop.association.properties."


def openinference(kind: str, name: str, **metadata: Any) -> tuple[str | None, str | None]:
    attributes = {"openinference.span.kind": kind, "metadata": json.dumps(metadata)}
    scope = "openinference.instrumentation.langchain"
    return _read(agent_spans.span(1, name=name, attributes=attributes, scope_name=scope))


def openllmetry(kind: str, name: str, **attributes: Any) -> tuple[str | None, str | None]:
    span_attributes = {"traceloop.span.kind": kind, "traceloop.entity.name": name, **attributes}
    return _read(agent_spans.span(1, name=f"{name}.{kind}", attributes=span_attributes))


def _read(span: Any) -> tuple[str | None, str | None]:
    reading = dialects.read(span)
    return (reading[1].kind, reading[1].agent_name) if reading else (None, None)


def test_openinference_calls_a_named_graph_by_its_name_and_an_unnamed_one_not() -> None:
    assert openinference("CHAIN", "supervisor", ls_integration="langgraph") == ("agent", "supervisor")
    assert openinference("CHAIN", "LangGraph", ls_integration="langgraph") == ("agent", None)


def test_openinference_takes_no_node_of_a_graph_for_an_agent() -> None:
    node = {"ls_integration": "langgraph", "langgraph_node": "tools"}

    assert openinference("CHAIN", "tools", **node) == ("workflow", None)
    assert openinference("AGENT", "agent", **{**node, "langgraph_node": "agent"}) == ("workflow", None)
    assert openinference("AGENT", "hotel_agent", **{**node, "langgraph_node": "hotel_agent"})[0] == "agent"


@pytest.mark.parametrize("kind", ["workflow", "task"])
def test_openllmetry_takes_a_chain_for_the_agent_that_langchain_says_it_is(kind: str) -> None:
    assert openllmetry(kind, "hotel", **{PROPERTY + "lc_agent_name": "hotel"}) == ("agent", "hotel")


def test_openllmetry_takes_a_step_of_an_agent_for_no_agent() -> None:
    assert openllmetry("task", "model", **{PROPERTY + "lc_agent_name": "hotel"}) == (None, None)
    operation = {"gen_ai.operation.name": "execute_task", PROPERTY + "lc_agent_name": "hotel"}
    assert openllmetry("task", "hotel", **operation) == (None, None)


@pytest.mark.parametrize(
    "told",
    [{PROPERTY + "ls_integration": "langgraph"}, {"traceloop.entity.output": json.dumps({"outputs": STATE})}],
    ids=["as LangGraph says", "as its state shows"],
)
def test_openllmetry_takes_the_outermost_run_of_a_graph_for_an_agent(told: dict[str, Any]) -> None:
    assert openllmetry("workflow", "team", **told) == ("agent", "team")
    assert openllmetry("workflow", "LangGraph", **told) == ("agent", None)


def test_openllmetry_takes_a_chain_or_function_for_a_workflow() -> None:
    answer = {"outputs": {"text": "Booked."}}
    for output in (answer, STATE):
        assert openllmetry("workflow", "chain", **{"traceloop.entity.output": json.dumps(output)})[0] == "workflow"


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(lambda name, fields: {"type": name, **fields}, id="class as type"),
        pytest.param(
            lambda name, fields: {
                "lc": 1,
                "type": "constructor",
                "id": ["langchain_core", "messages", name],
                "kwargs": fields,
            },
            id="constructor",
        ),
    ],
)
def test_state_of_a_graph_is_a_run_where_nothing_else_is_recorded(
    form: Callable[[str, dict[str, Any]], dict[str, Any]],
) -> None:
    question = form("HumanMessage", {"content": "To Paris?"})
    call = {"name": "search", "args": {"to": "Paris"}, "id": "call_1"}
    messages = [
        question,
        form("AIMessage", {"content": "", "tool_calls": [call]}),
        form("ToolMessage", {"content": "AF007", "tool_call_id": "call_1"}),
        form("AIMessage", {"content": "Take AF007."}),
    ]
    attributes = {
        "openinference.span.kind": "CHAIN",
        "input.value": json.dumps({"messages": [question]}),
        "output.value": json.dumps({"messages": messages}),
    }

    [run] = assemble(
        [
            agent_spans.span(
                1, name="booking", attributes=attributes, scope_name="openinference.instrumentation.langchain"
            )
        ]
    )

    assert (run.input, run.final_response) == ("To Paris?", "Take AF007.")
    assert [(call.name, call.args, call.result, call.status) for call in run.tool_calls] == [
        ("search", {"to": "Paris"}, "AF007", "ok")
    ]


def test_graph_whose_state_has_no_answer_of_a_model_is_not_a_run() -> None:
    attributes = {
        "openinference.span.kind": "CHAIN",
        "output.value": json.dumps({"messages": [{"type": "human", "content": "To Paris?"}]}),
    }

    assert (
        assemble([agent_spans.span(1, attributes=attributes, scope_name="openinference.instrumentation.langchain")])
        == []
    )


def test_messages_by_which_a_supervisor_takes_back_control_are_no_calls() -> None:
    back = {"name": "back_to_boss", "args": {}, "id": "c9", "type": "tool_call"}
    metadata = {"response_metadata": {"__is_handoff_back": True}}
    written = [
        {"type": "ai", "data": {"content": "Going back", "tool_calls": [back], **metadata}},
        {"type": "tool", "data": {"content": "Back", "tool_call_id": "c9", **metadata}},
    ]
    state = {"messages": [{"type": "ai", "data": {"content": "Booked."}}, *written]}

    turns = langchain.read_state(state)

    assert [message.text for message in turns or ()] == ["Booked."]
