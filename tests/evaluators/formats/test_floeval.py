"""Floeval's datasets: what a sample becomes, and what is refused."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from tracegrade.evaluators.formats.floeval import Sample, dataset, sample
from tracegrade.evaluators.model import ToolCall

WEATHER: dict[str, Any] = {
    "user_input": "How is the weather in Paris?",
    "reference_outcome": "A short summary.",
    "trace": {
        "messages": [
            {"role": "human", "content": "How is the weather in Paris?"},
            {"role": "ai", "content": "Let me see.", "tool_calls": [{"name": "weather", "args": {"city": "Paris"}}]},
            {"role": "tool", "tool_name": "weather", "content": "18C"},
            {"role": "ai", "content": "It is 18C."},
        ],
        "final_response": "It is 18C.",
    },
}


def full(*messages: dict[str, Any], **trace: Any) -> dict[str, Any]:
    return {"user_input": "u", "trace": {"messages": list(messages), **trace}}


def make_ai_message(*tools: str) -> dict[str, Any]:
    return {"role": "ai", "tool_calls": [{"name": tool} for tool in tools]}


def results(*messages: dict[str, Any]) -> list[str | None]:
    return [call.result for call in calls(sample(full(*messages)))]


def calls(read: Sample) -> tuple[ToolCall, ...]:
    assert read.trace is not None
    return read.trace.tool_calls


def test_full_sample_is_a_run_with_its_reference() -> None:
    read = sample(WEATHER)
    assert read.kind == "full"
    assert read.trace is not None
    assert read.trace.reference == read.reference
    assert read.trace.input == "How is the weather in Paris?"
    assert read.trace.final_response == "It is 18C."
    assert [message.role for message in read.trace.messages] == ["user", "assistant", "tool", "assistant"]
    assert read.reference is not None
    assert read.reference.expected_response == "A short summary."
    assert read.reference.expected_tool_calls is None


def test_tool_calls_carry_their_answers() -> None:
    (call,) = calls(sample(WEATHER))
    assert (call.name, call.args, call.result, call.source) == ("weather", {"city": "Paris"}, "18C", "message")
    assert call.duration_ms is None


def test_partial_sample_has_expectations_and_no_run() -> None:
    read = sample({"user_input": "u", "reference_tool_calls": [{"name": "a", "args": {"x": 1}}, {"name": "b"}]})
    assert (read.kind, read.trace) == ("partial", None)
    assert read.reference is not None
    assert [(call.name, call.args) for call in read.reference.expected_tool_calls or ()] == [("a", {"x": 1}), ("b", {})]


def test_expecting_no_call_is_an_expectation_and_saying_nothing_is_none() -> None:
    nothing = sample({"user_input": "u", "reference_tool_calls": []}).reference
    assert nothing is not None
    assert nothing.expected_tool_calls == ()
    assert sample({"user_input": "u", "reference_tool_calls": None}).reference is None


@pytest.mark.parametrize(
    ("record", "user_input", "outcome"),
    [
        pytest.param({"question": "q", "answer": "a"}, "q", "a", id="aliases"),
        pytest.param({"user_input": "u", "question": "q"}, "u", None, id="the name wins"),
        pytest.param({"user_input": "", "question": "q"}, "q", None, id="empty falls through"),
        pytest.param({"user_input": {"a": 1}, "answer": {"b": 2}}, {"a": 1}, {"b": 2}, id="objects"),
    ],
)
def test_question_and_answer_are_other_words(record: dict[str, Any], user_input: object, outcome: object) -> None:
    read = sample(record)
    assert (read.user_input, read.reference_outcome) == (user_input, outcome)


def test_objects_become_text_where_a_run_has_text() -> None:
    read = sample({**full({"role": "ai"}), "user_input": {"city": "Paris"}, "answer": {"degrees": 18}})
    assert read.trace is not None
    assert read.trace.input == '{"city": "Paris"}'
    assert read.reference is not None
    assert read.reference.expected_response == '{"degrees": 18}'


def test_metadata_is_carried_through_and_unknown_keys_are_left_out() -> None:
    assert sample({"user_input": "u", "metadata": {"k": 1}, "zzz": 1}).metadata == {"k": 1}


def test_misspelt_key_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(ValueError, match=r"unknown key 'reference_outcom' .did you mean 'reference_outcome'"):
        sample({"user_input": "x", "reference_outcom": "y"})


def test_final_response_that_is_absent_was_not_recorded() -> None:
    for trace, response in (({}, None), ({"final_response": ""}, "")):
        read = sample(full({"role": "ai"}, **trace))
        assert read.trace is not None
        assert read.trace.final_response == response


def test_times_and_tokens_are_read() -> None:
    read = sample(full({"role": "ai"}, start_time=1.5, end_time=3, prompt_tokens=7, completion_tokens=2)).trace
    assert read is not None
    assert read.started_at == datetime(1970, 1, 1, 0, 0, 1, 500_000, tzinfo=UTC)
    assert (read.duration_ms, read.input_tokens, read.output_tokens) == (1500, 7, 2)


@pytest.mark.parametrize("role", ["user", "system"])
def test_roles_of_others_are_read_unless_floevals_own_are_asked_for(role: str) -> None:
    record = full({"role": role, "content": "x"}, {"role": "assistant"})
    read = sample(record).trace
    assert read is not None
    assert [message.role for message in read.messages] == [role, "assistant"]
    with pytest.raises(ValueError, match=rf"trace\.messages\[0\]\.role: {role} is not human, ai, assistant or tool"):
        sample(record, strict_roles=True)


def test_answers_go_to_the_calls_of_their_tool_in_order() -> None:
    first, second, other = ({"role": "tool", "tool_name": tool, "content": text} for tool, text in _ANSWERS)
    assert results(make_ai_message("a", "b", "a"), other, first, second) == ["one", "three", "two"]
    assert results(make_ai_message("a"), first, second) == ["one"]
    assert results(first, make_ai_message("a")) == [None]


_ANSWERS = (("a", "one"), ("a", "two"), ("b", "three"))


def test_answers_go_to_the_call_with_their_id() -> None:
    turn = {"role": "ai", "tool_calls": [{"name": "a", "id": "1"}, {"name": "a", "id": "2"}]}
    second = {"role": "tool", "tool_name": "a", "tool_call_id": "2", "content": "two"}
    assert results(turn, second) == [None, "two"]
    assert results(turn, second, {"role": "tool", "tool_name": "a", "content": "one"}) == ["one", "two"]


def test_answers_go_to_calls_of_one_id_in_order() -> None:
    turn = {"role": "ai", "tool_calls": [{"name": "a", "id": "1"}, {"name": "a", "id": "1"}]}
    first, second = ({"role": "tool", "tool_call_id": "1", "content": text} for text in ("one", "two"))
    assert results(turn, first, second) == ["one", "two"]


@pytest.mark.parametrize(
    ("record", "fault"),
    [
        pytest.param([], "a sample has to be an object", id="no object"),
        pytest.param({"answer": "a"}, "neither user_input nor question", id="nothing was asked"),
        pytest.param({"user_input": 7}, "user_input: expected text or an object", id="a number was asked"),
        pytest.param({"user_input": "u", "trace": None}, "trace: null is not a trace", id="null as a trace"),
        pytest.param({"user_input": "u", "trace": {}}, r"trace\.messages: Field required", id="no messages"),
        pytest.param(full(), r"trace\.messages: .* at least 1 item", id="empty messages"),
        pytest.param(full({"content": "x"}), r"trace\.messages\[0\]: it has no role", id="no role"),
        pytest.param(
            full({"role": "bot"}), r"trace\.messages\[0\]\.role: 'bot' is not a role; write human", id="unknown role"
        ),
        pytest.param(full({"role": "ai", "content": None}), r"messages\[0\]\.content", id="null as content"),
        pytest.param(
            full({"role": "ai", "tool_calls": None}), r"messages\[0\]\.tool_calls: .* list", id="null as calls"
        ),
        pytest.param(full({"role": "ai", "tool_calls": ["a"]}), r"calls\[0\]: expected an object", id="text as a call"),
        pytest.param(
            full({"role": "ai", "tool_calls": [{"type": "function", "function": {"name": "a", "arguments": "{}"}}]}),
            r"tool_calls\[0\]\.name: Field required",
            id="calls in the form of OpenAI",
        ),
        pytest.param(
            {"user_input": "u", "reference_tool_calls": [{"name": "a", "args": "{}"}]},
            r"reference_tool_calls\[0\]\.args: .* dictionary",
            id="text as arguments",
        ),
        pytest.param({"user_input": "u", "metadata": None}, "metadata: .* dictionary", id="null as metadata"),
        pytest.param(full({"role": "ai"}, start_time=float("nan")), r"trace\.start_time: .* finite", id="no time"),
    ],
)
def test_what_floeval_cannot_read_is_refused_with_its_key(record: object, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        sample(record)


def test_json_and_jsonl_hold_the_same() -> None:
    partial = {"user_input": "u"}
    as_json = dataset("a.json", json.dumps({"samples": [WEATHER, partial]}))
    as_jsonl = dataset("a.jsonl", f"{json.dumps(WEATHER)}\r\n\n  {json.dumps(partial)}  \n")
    assert as_json == as_jsonl
    assert [read.kind for read in as_json] == ["full", "partial"]


def test_line_separators_inside_of_texts_end_no_line() -> None:
    (read,) = dataset("a.jsonl", '{"user_input": "one\u2028two"}')
    assert read.user_input == "one\u2028two"


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        pytest.param("a.jsonl", '{"user_input":"u"}\nnot\n', "line 2 is not JSON", id="line that is no JSON"),
        pytest.param("a.jsonl", '{"user_input":"u"}\n\n{}\n', "line 3: neither", id="line without a sample"),
        pytest.param("a.jsonl", "\n", "a.jsonl: there are no samples in it", id="no lines"),
        pytest.param("a.json", "{", "the file is not JSON", id="no JSON"),
        pytest.param("a.json", "[" * 100_000, "the file is not JSON", id="bottomless"),
        pytest.param("a.json", "[]", "an object with a list of samples", id="a list"),
        pytest.param("a.json", '{"samples":{}}', "an object with a list of samples", id="samples that are no list"),
        pytest.param("a.json", '{"samples":[]}', "a.json: there are no samples in it", id="no samples"),
        pytest.param(
            "a.json", '{"samples":[{"question":"q"},{}]}', "sample 2: neither user_input", id="sample that is none"
        ),
        pytest.param("a.yaml", "samples: []", "ends in .json or .jsonl, not in '.yaml'", id="another format"),
        pytest.param("a", "", "not in 'nothing'", id="no ending"),
    ],
)
def test_file_that_cannot_be_read_is_refused_with_the_place(name: str, text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        dataset(name, text)


def test_strict_roles_hold_for_files_too() -> None:
    text = json.dumps(full({"role": "user", "content": "x"}))
    assert dataset("a.jsonl", text)
    with pytest.raises(ValueError, match=r"line 1: trace\.messages\[0\]\.role"):
        dataset("a.jsonl", text, strict_roles=True)
