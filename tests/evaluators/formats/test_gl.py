from __future__ import annotations

from typing import Any

import pytest

from tracegrade.evaluators.formats import CALLS_NOT_RECORDED
from tracegrade.evaluators.formats.gl import Step, agent_data, steps, tool_calls
from tracegrade.evaluators.model import ExpectedCall, ToolCall, ToolDefinition


def asks(*calls: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "", "tool_calls": list(calls), **more}


def call(call_id: str, name: str = "a", arguments: Any = "{}") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def gives(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content, **more}


def list_steps(trajectory: Any) -> list[tuple[Any, Any, int]]:
    return [(step.name, step.output, step.group) for step in steps(trajectory)]


def test_a_record_is_read_whole() -> None:
    run = agent_data(
        {
            "query": "Refund?",
            "generated_response": "14 days",
            "expected_response": "Within 14 days",
            "tools_called": [{"name": "search", "args": {"q": "x"}, "output": "ok"}],
            "expected_tools": [{"name": "search", "args": {"q": "x"}, "output": "ok"}],
            "available_tools": [{"name": "search", "description": "Finds", "parameters": {}}],
            "retrieved_context": ["whatever else is in the data set"],
        }
    )
    assert (run.input, run.final_response, run.gaps) == ("Refund?", "14 days", ())
    assert run.tool_calls == (ToolCall(name="search", args={"q": "x"}, result="ok"),)
    assert run.tool_definitions == (ToolDefinition(name="search", description="Finds", input_schema={}),)
    assert run.reference is not None
    assert run.reference.expected_response == "Within 14 days"
    assert run.reference.expected_tool_calls == (ExpectedCall(name="search", args={"q": "x"}, result="ok"),)


def test_tools_that_are_not_given_come_from_the_trajectories() -> None:
    trajectory = [{"role": "user", "content": "q"}, asks(call("c1", arguments='{"x": 1}')), gives("c1", "r")]
    run = agent_data({"agent_trajectory": trajectory, "expected_agent_trajectory": trajectory})
    assert run.tool_calls == (ToolCall(id="c1", name="a", args={"x": 1}, result="r", source="message"),)
    assert [message.role for message in run.messages] == ["user", "assistant", "tool"]
    assert run.reference is not None
    assert run.reference.expected_tool_calls == (ExpectedCall(name="a", args={"x": 1}, result="r"),)
    assert run.reference.expected_trajectory == run.messages


def test_tools_that_are_given_win_over_the_trajectory_even_when_there_are_none() -> None:
    trajectory = [asks(call("c1"))]
    run = agent_data({"tools_called": [], "agent_trajectory": trajectory, "expected_tools": []})
    assert (run.tool_calls, run.gaps) == ((), ())
    assert run.reference is not None
    assert run.reference.expected_tool_calls == ()


def test_absent_is_not_empty() -> None:
    run = agent_data({"query": "q"})
    assert run.gaps == (CALLS_NOT_RECORDED,)
    assert run.reference is None


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        pytest.param({"tools_called": [{"args": {}}]}, r"tools_called\[0\] has no name", id="a call"),
        pytest.param({"expected_tools": {}}, "expected_tools is an object; write a list", id="expected calls"),
        pytest.param({"agent_trajectory": ["x"]}, r"agent_trajectory\[0\] is text", id="a message"),
        pytest.param({"query": ["x"]}, "query or input is a list; write text", id="a query"),
    ],
)
def test_what_is_wrong_is_named_with_its_key(record: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        agent_data(record)


@pytest.mark.parametrize(
    ("trajectory", "expected"),
    [
        pytest.param([asks(call("1")), gives("1", "r")], [("a", "r", 0)], id="a call and its result"),
        pytest.param([asks(call("1")), gives("1", "")], [("a", None, 0)], id="an empty result is none"),
        pytest.param([gives("1", "r"), asks(call("1"))], [("a", None, 0)], id="a result before its call"),
        pytest.param([gives("1", "r")], [], id="a result of no call"),
        pytest.param(
            [asks(call("1")), asks(call("2")), gives("2", "r")],
            [("a", None, 0), ("a", "r", 0)],
            id="a retry is the same execution, and another step",
        ),
        pytest.param(
            [asks(call("1"), call("2"), call("3")), gives("3", "r")],
            [("a", None, 0), ("a", None, 1), ("a", "r", 1)],
            id="the last one without an output is meant",
        ),
        pytest.param(
            [asks(call("1", arguments='{"x": 1}')), asks(call("2", arguments='{"x": 1.0}')), gives("2", "r")],
            [("a", None, 0), ("a", "r", 1)],
            id="1 is not 1.0",
        ),
        pytest.param(
            [asks(call("1")), gives("1", "r", metadata={"sub_trajectory": [asks(call("2", "b")), gives("2", "s")]})],
            [("b", "s", 0), ("a", "r", 1)],
            id="the steps of an agent below",
        ),
        pytest.param(
            [asks(call("1")), gives("1", "", metadata={"sub_trajectory": [asks(call("2", "b"))]})],
            [("a", None, 0), ("b", None, 1)],
            id="the steps below a call without an output",
        ),
    ],
)
def test_steps_are_counted_as_the_peer_counts_them(trajectory: Any, expected: Any) -> None:
    assert list_steps(trajectory) == expected


@pytest.mark.parametrize(
    ("text", "args"),
    [
        pytest.param("not json", {"raw": "not json"}, id="no JSON"),
        pytest.param("", {"raw": ""}, id="empty"),
        pytest.param("null", None, id="null"),
        pytest.param("[1]", [1], id="a list"),
    ],
)
def test_arguments_are_whatever_the_text_is(text: str, args: Any) -> None:
    assert steps([asks(call("1", arguments=text))])[0].args == args


@pytest.mark.parametrize(
    ("trajectory", "fault"),
    [
        pytest.param({}, "trajectory is an object", id="no list"),
        pytest.param([{"content": "x"}], r"trajectory\[0\] has no role", id="no role"),
        pytest.param([{"role": "assistant", "tool_calls": None}], r"\[0\].tool_calls is null", id="null calls"),
        pytest.param([asks({"id": "1", "name": "a", "args": {}})], "has no function", id="LangChain's call"),
        pytest.param([asks({"function": {"name": "a", "arguments": "{}"}})], "has no id", id="no id"),
        pytest.param([asks(call("1", arguments={}))], "arguments is an object; write JSON as text", id="an object"),
        pytest.param([asks({"id": "1", "function": {"name": "a"}})], "has no arguments", id="no arguments"),
        pytest.param([asks(call("1", name=[]))], r"function.name is a list", id="a list for a name"),  # type: ignore[arg-type]
        pytest.param([asks(call("1", arguments="[" * 100_000))], "nested too deeply", id="brackets without end"),
        pytest.param([asks(call("1")), gives("1", "r", metadata=None)], "metadata is null", id="no metadata"),
        pytest.param(
            [asks(call("1")), gives("1", "r", metadata={"sub_trajectory": None})],
            "sub_trajectory is null",
            id="nothing below",
        ),
    ],
)
def test_what_the_peer_cannot_read_is_refused(trajectory: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        steps(trajectory)


def test_steps_become_calls_with_names_without_their_endings() -> None:
    found = [
        Step("sql_agent_xg7c", {"q": 1}, "r", 0),
        Step("", {}, None, 1),
        Step("b", None, {"k": 1}, 2),
        Step("_a1b2", {}, None, 3),
    ]
    calls = tool_calls(found)
    assert [(call.name, call.args, call.result) for call in calls] == [
        ("sql_agent", {"q": 1}, "r"),
        ("b", {}, '{"k":1}'),
        ("_a1b2", {}, None),
    ]
    assert tool_calls(found, None)[0].name == "sql_agent_xg7c"
    assert tool_calls(found, include_output=False)[0].result is None


@pytest.mark.parametrize("step", [Step("a", [1], None, 0), Step("", 5, None, 0), Step(None, {}, None, 0)], ids=str)
def test_a_step_that_is_no_call_is_refused(step: Step) -> None:
    with pytest.raises(ValueError, match=r"steps\[0\]"):
        tool_calls([step])
