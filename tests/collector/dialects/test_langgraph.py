"""What LangChain tells of a graph in the spans of two instrumentations: which of them is an agent's."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import tale

from tracegrade.collector import dialects

STATE = {"messages": [{"lc": 1, "type": "constructor", "kwargs": {"type": "ai", "content": "Booked."}}]}
PROPERTY = "traceloop.association.properties."


def openinference(kind: str, name: str, **metadata: Any) -> tuple[str | None, str | None]:
    attributes = {"openinference.span.kind": kind, "metadata": json.dumps(metadata)}
    scope = "openinference.instrumentation.langchain"
    return _read(tale.span(1, name=name, attributes=attributes, scope_name=scope))


def openllmetry(kind: str, name: str, **attributes: Any) -> tuple[str | None, str | None]:
    told = {"traceloop.span.kind": kind, "traceloop.entity.name": name, **attributes}
    return _read(tale.span(1, name=f"{name}.{kind}", attributes=told))


def _read(span: Any) -> tuple[str | None, str | None]:
    found = dialects.read(span)
    return (found[1].kind, found[1].agent_name) if found else (None, None)


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
