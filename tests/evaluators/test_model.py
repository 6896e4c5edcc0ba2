from __future__ import annotations

import pytest

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Reference, ToolCall, ToolDefinition

SEARCH = ToolDefinition(name="search", input_schema={"type": "object", "required": ["to"]})
RUN = AgentTrace(
    tool_calls=(ToolCall(name="search", args={"to": "Paris"}, result="AF1", metadata={"try": 1}),),
    final_response="Take AF1.",
    reasoning_steps=("cheapest first",),
)


def test_call_is_made_by_hand_with_its_arguments() -> None:
    assert ToolCall.of("search", to="Paris", name="x") == ToolCall(name="search", args={"to": "Paris", "name": "x"})


def test_run_as_a_map_has_dokimos_keys() -> None:
    assert RUN.to_output_map() == {
        "output": "Take AF1.",
        "toolCalls": [{"name": "search", "args": {"to": "Paris"}, "result": "AF1", "metadata": {"try": 1}}],
        "reasoningSteps": ["cheapest first"],
    }
    assert AgentTrace().to_output_map() == {"output": "", "toolCalls": [], "reasoningSteps": []}


def test_case_says_only_what_was_given() -> None:
    assert RUN.to_test_case("Find a flight").metadata == {}
    full = RUN.to_test_case("Find a flight", [SEARCH], ["find it"]).metadata
    assert [tool["name"] for tool in full["tools"]] == ["search"]
    assert full["tasks"] == ("find it",)


@pytest.mark.parametrize(
    ("tools", "status"),
    [
        pytest.param(None, "skipped", id="not given: nobody knows whether the call was valid"),
        pytest.param([], "scored", id="none offered: every call is invalid"),
        pytest.param([SEARCH], "scored", id="given"),
    ],
)
def test_case_is_judged_by_the_tools_it_was_given(tools: list[ToolDefinition] | None, status: str) -> None:
    (score,) = evaluate(configure("tool_call_validity"), RUN.to_test_case("Find a flight", tools).trace)
    assert score.status == status


def test_tools_that_the_run_itself_records_win_over_those_of_the_case() -> None:
    run = RUN.model_copy(update={"tool_definitions": ()})
    assert run.to_test_case("x", [SEARCH]).trace.tool_definitions == ()


def test_tasks_of_a_case_are_its_reference() -> None:
    reference = RUN.to_test_case("x", tasks=["find it"]).trace.reference
    assert reference is not None
    assert (reference.tasks, reference.expected_tool_calls) == (("find it",), None)


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        pytest.param(None, None, id="no reference"),
        pytest.param(Reference(tasks=("find it",)), None, id="a reference of other things"),
        pytest.param(Reference(expected_tool_calls=()), (), id="no call expected"),
        pytest.param(
            Reference(expected_tool_calls=(ExpectedCall(name="search"),)), (ExpectedCall(name="search"),), id="one"
        ),
    ],
)
def test_expected_calls_are_those_of_the_reference_and_no_column(
    reference: Reference | None, expected: tuple[ExpectedCall, ...] | None
) -> None:
    run = AgentTrace(reference=reference)
    assert run.expected_tool_calls == expected
    assert "expected_tool_calls" not in run.model_dump()
