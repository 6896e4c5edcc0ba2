from __future__ import annotations

import json
from typing import Any

import pytest

from tracegrade.evaluators.formats.tool_calls import expected_calls, tool_calls
from tracegrade.evaluators.model import ExpectedCall, ToolCall


@pytest.mark.parametrize(
    "written",
    [
        pytest.param({"name": "search", "args": {"q": "x"}, "result": "ok", "id": "c1"}, id="ours"),
        pytest.param({"tool": "search", "input": {"q": "x"}, "output": "ok", "id": "c1"}, id="AgentV's"),
        pytest.param(
            {"name": "search", "input_parameters": {"q": "x"}, "output": "ok", "call_id": "c1"}, id="DeepEval's"
        ),
        pytest.param(
            {"tool_name": "search", "parameters": {"q": "x"}, "result": "ok", "tool_call_id": "c1"}, id="parameters"
        ),
        pytest.param(
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "search", "arguments": '{"q": "x"}'},
                "output": "ok",
            },
            id="OpenAI's",
        ),
    ],
)
def test_a_call_is_read_in_every_spelling(written: Any) -> None:
    assert tool_calls([written]) == (ToolCall(name="search", args={"q": "x"}, result="ok", id="c1"),)


@pytest.mark.parametrize(
    ("given", "args", "args_text"),
    [
        pytest.param(None, None, None, id="null"),
        pytest.param("", None, None, id="blank"),
        pytest.param("null", None, None, id="null as JSON"),
        pytest.param({}, {}, None, id="none"),
        pytest.param('{"n": 100000000000000000000001}', {"n": 10**23 + 1}, None, id="JSON beyond 64 bits"),
        pytest.param([1, 2], None, "[1,2]", id="a list"),
        pytest.param("[1, 2]", None, "[1, 2]", id="a list as JSON"),
        pytest.param("SELECT 1", None, "SELECT 1", id="no JSON"),
        pytest.param("[" * 10_000, None, "[" * 10_000, id="brackets without end"),
        pytest.param(5, None, "5", id="a number"),
    ],
)
def test_arguments_are_an_object_or_kept_as_text(given: Any, args: Any, args_text: str | None) -> None:
    (call,) = tool_calls([{"name": "a", "args": given}])
    assert (call.args, call.args_text) == (args, args_text)


@pytest.mark.parametrize(
    ("given", "result"),
    [
        pytest.param("14 days", "14 days", id="text stays as it is"),
        pytest.param("", "", id="empty is recorded"),
        pytest.param(None, None, id="null is not"),
        pytest.param({"days": 14}, '{"days":14}', id="anything else as JSON"),
        pytest.param(10**30, str(10**30), id="beyond 64 bits"),
        pytest.param(False, "false", id="false"),
    ],
)
def test_a_result_is_one_text(given: Any, result: str | None) -> None:
    assert tool_calls([{"name": "a", "result": given}])[0].result == result


def test_what_else_a_call_says_is_kept() -> None:
    (call,) = tool_calls(
        [{"name": "a", "duration_ms": 12, "error": "timeout", "timestamp": "T0", "metadata": {"try": 2}}]
    )
    assert (call.duration_ms, call.error, call.status) == (12, "timeout", "error")
    assert call.metadata == {"timestamp": "T0", "try": 2}


@pytest.mark.parametrize(
    ("said", "status", "metadata"),
    [
        pytest.param("not_executed", "not_executed", {}, id="ours"),
        pytest.param("success", "ok", {"status": "success"}, id="another word is kept"),
    ],
)
def test_a_status_is_ours_or_kept(said: str, status: str, metadata: Any) -> None:
    (call,) = tool_calls([{"name": "a", "status": said}])
    assert (call.status, call.metadata) == (status, metadata)


def test_what_a_run_gives_can_be_read_again() -> None:
    call = ToolCall(name="a", args={"x": 1}, result="r", id="c", duration_ms=3.5, metadata={"k": 1})
    assert tool_calls([json.loads(call.model_dump_json(include={"name", "args", "result", "id", "metadata"}))]) == (
        call.model_copy(update={"duration_ms": None}),
    )


def test_expected_call_may_be_a_tool_call_which_expects_its_arguments() -> None:
    written = [ToolCall.of("a", q=1), ToolCall(name="b", result="x"), {"name": "c"}, ExpectedCall(name="d", args={})]
    assert expected_calls(written) == (
        ExpectedCall(name="a", args={"q": 1}),
        ExpectedCall(name="b", args={}),
        ExpectedCall(name="c"),
        ExpectedCall(name="d", args={}),
    )


def test_calls_that_are_calls_already_stay_as_they_are() -> None:
    calls = (ToolCall(name="a"), ToolCall(name="b"))
    assert tool_calls(calls) == calls


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        pytest.param({"name": "a"}, "tool calls is an object; write a list", id="no list"),
        pytest.param(None, "tool calls is null; write a list", id="null"),
        pytest.param([{"name": "a"}, "b"], r"tool calls\[1\] is text; write an object", id="an element that is none"),
        pytest.param([{"args": {}}], r"tool calls\[0\] has no name", id="no name"),
        pytest.param([{"name": "  "}], r"tool calls\[0\] has no name", id="a blank name"),
        pytest.param([{"name": 5}], r"tool calls\[0\]: its name is a number", id="a number for a name"),
        pytest.param([{"function": "a"}], r"tool calls\[0\].function is text", id="a function that is none"),
        pytest.param([{"name": "a", "duration_ms": "1 s"}], r"\[0\].duration_ms is text", id="a duration with a unit"),
        pytest.param([{"name": "a", "duration_ms": -1}], "negative", id="a negative duration"),
        pytest.param([{"name": "a", "duration_ms": 10**400}], "not finite", id="an endless duration"),
        pytest.param([{"name": "a", "metadata": []}], r"\[0\].metadata is a list", id="metadata that are none"),
        pytest.param([{"name": "a", "args": {1: 2}}], r"\[0\] \(a\): the value of its arguments", id="a key that is 1"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(written: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        tool_calls(written)


def test_an_expected_call_may_leave_things_open() -> None:
    assert expected_calls([{"tool": "a"}, {"tool": "b", "args": "any"}, {"tool": "c", "args": {}}]) == (
        ExpectedCall(name="a"),
        ExpectedCall(name="b"),
        ExpectedCall(name="c", args={}),
    )


def test_an_expected_call_may_ask_for_more() -> None:
    written = {"name": "a", "args": '{"q": 1}', "output": 42, "max_duration_ms": 500, "args_match": ["q", "f.x"]}
    assert expected_calls([written]) == (
        ExpectedCall(name="a", args={"q": 1}, result="42", max_duration_ms=500, args_match=("q", "f.x")),
    )
    assert expected_calls([{"name": "a", "matcher": "subset"}])[0].matcher == "subset"


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        pytest.param(
            {"name": "a", "argments": {}}, r"\[0\] \(a\) has an unknown key 'argments' .*'arguments'\?", id="misspelt"
        ),
        pytest.param({"name": "a", "args": [1]}, r"\[0\] \(a\): its arguments are not an object", id="a list"),
        pytest.param({"name": "a", "max_duration_ms": True}, "max_duration_ms is a boolean", id="a limit that is none"),
        pytest.param({"name": "a", "args_match": {"a": 1}}, r"\(a\): its args_match is an object; write", id="object"),
        pytest.param({"name": "a", "args_match": "supersets"}, "did you mean 'superset'", id="misspelt args_match"),
        pytest.param({"name": "a", "args_match": [""]}, "its args_match is a list; write", id="an empty path"),
        pytest.param(
            {"name": "a", "matcher": "sub-set"}, "its matcher is 'sub-set'; .*'subset'", id="misspelt matcher"
        ),
        pytest.param({"name": "a", "matcher": ["q"]}, "its matcher is a list; write exact", id="paths for a matcher"),
        pytest.param({"name": "a", "matcher": "exact", "args_match": "exact"}, "leave one out", id="both"),
        pytest.param({"name": ""}, "has no name", id="no name"),
    ],
)
def test_what_is_wrong_with_an_expectation_is_named(written: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        expected_calls([written])
