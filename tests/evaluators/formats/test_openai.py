from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tracegrade.evaluators.formats.openai import messages, tool_calls
from tracegrade.evaluators.model import GenericPart, ReasoningPart, TextPart, ToolCall, ToolCallPart


def asks(*calls: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def call(call_id: str | None, name: str = "search", arguments: Any = "{}") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def gives(call_id: str | None, content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content, **more}


def results(trajectory: list[Any]) -> list[tuple[str | None, str | None]]:
    return [(call.id, call.result) for call in tool_calls(trajectory)]


def test_objects_of_a_client_are_read_as_their_json() -> None:
    class Function(BaseModel):
        name: str
        arguments: str

    class AskedCall(BaseModel):
        id: str
        function: Function
        type: str = "function"

    class ChatCompletionMessage(BaseModel):
        role: str = "assistant"
        content: str | None = None
        refusal: str | None = None
        tool_calls: list[AskedCall]

    asked = AskedCall(id="c1", function=Function(name="search", arguments='{"q": 1}'))
    [made] = tool_calls([ChatCompletionMessage(tool_calls=[asked]), gives("c1", "found")])
    assert (made.name, made.args, made.result) == ("search", {"q": 1}, "found")


def test_a_conversation_is_read_as_it_was_held() -> None:
    read = messages(
        [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "Refund?"}, {"type": "image_url", "image_url": {}}]},
            asks(call("c1", arguments='{"q": "refund"}')),
            gives("c1", "14 days"),
            {"role": "assistant", "content": "Within 14 days.", "name": "helpdesk"},
        ]
    )
    assert [message.role for message in read] == ["developer", "user", "assistant", "tool", "assistant"]
    assert read[1].parts == (
        TextPart(content="Refund?"),
        GenericPart(kind="image_url", content={"image_url": {}}),
    )
    assert read[2].tool_calls == (ToolCallPart(id="c1", name="search", arguments={"q": "refund"}),)
    assert (read[4].text, read[4].name) == ("Within 14 days.", "helpdesk")


def test_calls_come_with_their_results() -> None:
    assert tool_calls([asks(call("c1", arguments='{"q": "x"}')), gives("c1", "14 days")]) == (
        ToolCall(id="c1", name="search", args={"q": "x"}, result="14 days", source="message"),
    )


@pytest.mark.parametrize(
    ("trajectory", "expected"),
    [
        pytest.param([asks(call("1"), call("2")), gives("2", "b"), gives("1", "a")], ["a", "b"], id="in any order"),
        pytest.param([gives("1", "early"), asks(call("1")), gives("1", "late")], ["late"], id="only after the call"),
        pytest.param([asks(call("1")), gives("1", "a"), gives("1", "b")], ["a"], id="the first of two"),
        pytest.param([asks(call("1")), gives("9", "a")], [None], id="of nobody's call"),
        pytest.param([asks(call("1"))], [None], id="none"),
        pytest.param(
            [asks(call("1")), gives("1", "a"), asks(call("1")), gives("1", "b")], ["a", "b"], id="an id used again"
        ),
        pytest.param([asks(call(None), call(None)), gives(None, "a"), gives(None, "b")], ["a", "b"], id="no ids"),
        pytest.param(
            [asks(call(None, "x"), call(None, "y")), gives(None, "b", name="y"), gives(None, "a", name="x")],
            ["a", "b"],
            id="no ids, but names",
        ),
        pytest.param([asks(call("1")), asks(call("1")), gives("1", "a")], ["a"], id="told again before its answer"),
        pytest.param(
            [asks(call("1", arguments='{"q": 1}')), asks(call("1", arguments='{"q": 2}')), gives("1", "a")],
            ["a", None],
            id="an id for two calls",
        ),
    ],
)
def test_results_belong_to_calls(trajectory: list[Any], expected: list[str | None]) -> None:
    assert [result for _, result in results(trajectory)] == expected


@pytest.mark.parametrize(
    ("content", "result"),
    [
        pytest.param("", "", id="empty"),
        pytest.param(None, None, id="null"),
        pytest.param([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb", id="parts of text"),
        pytest.param([{"type": "image"}], '[{"type":"image"}]', id="other parts"),
        pytest.param({"days": 14}, '{"days":14}', id="an object"),
    ],
)
def test_a_result_is_one_text(content: Any, result: str | None) -> None:
    assert results([asks(call("1")), gives("1", content)]) == [("1", result)]


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(asks({"id": "c1", "name": "search", "args": {"q": 1}}), id="LangChain's call"),
        pytest.param(asks(call("c1", arguments={"q": 1})), id="arguments as an object"),
        pytest.param({"tool_calls": [call("c1", arguments='{"q": 1}')]}, id="no role"),
        pytest.param({"type": "ai", "content": "", "tool_calls": [call("c1", arguments='{"q": 1}')]}, id="type: ai"),
        pytest.param(
            {"type": "function_call", "call_id": "c1", "name": "search", "arguments": '{"q": 1}'}, id="Responses API"
        ),
    ],
)
@pytest.mark.parametrize(
    "answer",
    [
        pytest.param({"tool_call_id": "c1", "content": "ok"}, id="no role"),
        pytest.param({"type": "function_call_output", "call_id": "c1", "output": "ok"}, id="Responses API"),
    ],
)
def test_what_others_make_of_the_format_is_read(asked: Any, answer: Any) -> None:
    (found,) = tool_calls([asked, answer])
    assert (found.id, found.name, found.args, found.result) == ("c1", "search", {"q": 1}, "ok")


def test_functions_of_old_are_called_by_name() -> None:
    trajectory = [
        {"role": "assistant", "function_call": {"name": "search", "arguments": "{}"}},
        {"role": "function", "name": "search", "content": "ok"},
    ]
    assert results(trajectory) == [(None, "ok")]


def test_arguments_that_are_no_object_are_kept() -> None:
    (found,) = tool_calls([asks(call("1", arguments="not json"))])
    assert (found.args, found.args_text) == (None, "not json")


def test_an_error_of_a_tool_is_told() -> None:
    (found,) = tool_calls([asks(call("1")), gives("1", "timeout", status="error")])
    assert (found.status, found.result) == ("error", "timeout")


def test_reasoning_and_refusals_are_read() -> None:
    (message,) = messages(
        [{"role": "assistant", "reasoning_content": "hm", "content": [{"type": "refusal", "refusal": "no"}]}]
    )
    assert message.parts == (ReasoningPart(content="hm"), TextPart(content="no"))


def test_nothing_asked_is_nothing_called() -> None:
    assert tool_calls([{"role": "assistant", "content": "hi", "tool_calls": None}, {"content": "?"}]) == ()
    assert messages([{"content": "?"}])[0].role == "unknown"


@pytest.mark.parametrize(
    ("trajectory", "fault"),
    [
        pytest.param({"role": "user"}, "trajectory is an object; write a list", id="no list"),
        pytest.param([{"role": "user"}, "hi"], r"trajectory\[1\] is text", id="no object"),
        pytest.param([{"role": "user", "content": 5}], r"trajectory\[0\].content is a number", id="content"),
        pytest.param([{"role": "user", "content": [5]}], r"trajectory\[0\].content\[0\] is a number", id="part"),
        pytest.param([{"tool_calls": "ab"}], r"trajectory\[0\].tool_calls is text", id="calls that are none"),
        pytest.param([asks(call("1"), {"id": "2"})], r"trajectory\[0\].tool_calls\[1\] has no name", id="no name"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(trajectory: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        messages(trajectory)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["1", "2", None]), st.sampled_from("xy"))))
def test_no_result_is_given_twice(told: list[tuple[bool, str | None, str]]) -> None:
    trajectory = [
        asks(call(call_id, name)) if is_call else gives(call_id, str(at), name=name)
        for at, (is_call, call_id, name) in enumerate(told)
    ]
    answers = [call.result for call in tool_calls(trajectory) if call.result is not None]
    assert len(answers) == len(set(answers))


def test_many_calls_without_ids_are_matched_in_one_pass() -> None:
    many = 20_000
    trajectory = [asks(*[call(None)] * many), *[gives(None, str(at)) for at in range(many)]]
    assert [result for _, result in results(trajectory)] == [str(at) for at in range(many)]


def test_anthropics_blocks_are_calls_and_results() -> None:
    spoken = [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "two at once"},
                {"type": "text", "text": "I look it up."},
                {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "x"}},
                {"type": "tool_use", "id": "t2", "name": "book", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t2", "content": "full", "is_error": True},
                {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "14 days"}]},
            ],
        },
    ]
    assert tool_calls(spoken) == (
        ToolCall(id="t1", name="search", args={"q": "x"}, result="14 days", source="message"),
        ToolCall(id="t2", name="book", args={}, result="full", status="error", source="message"),
    )
    assert messages(spoken)[0].text == "I look it up."
