"""Files of Floeval, gllm-evals, DeepEval, ADK and Dokimos, read as runs and items, and written."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.imported_files import EXAMPLES, detect, entries, faults

from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.experiments.item_kinds import load_all_kinds, make_entry, make_item
from tracegrade.evaluators.formats.adk.criteria import read_criteria
from tracegrade.evaluators.formats.imported import Imported
from tracegrade.evaluators.model import AgentTrace, ExpectedCall, Message, TextPart, ToolCall, ToolCallPart

FLOEVAL, GL, CASE = EXAMPLES["floeval"], EXAMPLES["gl"], EXAMPLES["adk"]


def write(name: str, *written: Imported) -> str:
    writer = load_all_kinds()[name].write
    assert writer is not None
    return "".join(writer(written))


def test_file_of_full_and_partial_samples_keeps_both() -> None:
    partial = {"question": "And tomorrow?", "answer": "Rain.", "reference_tool_calls": [{"name": "get_weather"}]}
    for content in ({"samples": [FLOEVAL, partial]}, f"{json.dumps(FLOEVAL)}\n{json.dumps(partial)}"):
        full, item = entries(content)
        assert (full.run is None, item.run is None, item.input) == (False, True, "And tomorrow?")
        assert item.expectation is not None
        assert item.expectation.expected_tool_calls == (ExpectedCall(name="get_weather", args=None),)
        assert item.expectation.expected_response == "Rain."


def test_metadata_and_error_of_a_sample_are_kept() -> None:
    trace = {**FLOEVAL["trace"], "metadata": {"a": 1, "b": 1}, "error_info": "[Error: boom]"}
    (entry,) = entries({**FLOEVAL, "trace": trace, "metadata": {"b": 2}})
    assert entry.metadata == {"a": 1, "b": 2}
    assert entry.run is not None
    assert entry.run.error == "[Error: boom]"


def test_fault_of_a_sample_names_the_field() -> None:
    messages = [*FLOEVAL["trace"]["messages"], {"role": "robot"}]
    assert faults({**FLOEVAL, "trace": {"messages": messages}}) == [
        "line 1: trace.messages[4].role: 'robot' is not a role; write human, user, system, ai, assistant or tool"
    ]


def test_run_without_messages_is_written_with_those_that_it_implies() -> None:
    call = ToolCall(name="a", id="1", args={"x": 1}, result="r")
    run = AgentTrace(input="u", tool_calls=(call,), final_response="f", agent_name="n")
    (entry,) = entries(write("floeval", Imported("", run=run)))
    assert entry.run is not None
    assert (entry.run.input, entry.run.final_response, entry.run.agent_name) == ("u", "f", "n")
    assert [(made.name, made.args, made.result) for made in entry.run.tool_calls] == [("a", {"x": 1}, "r")]


def test_system_messages_are_in_the_metadata_of_a_sample_that_is_written() -> None:
    messages = (Message(role="system", parts=(TextPart(content="Be kind."),)), Message(role="user", parts=()))
    text = write("floeval", Imported("", run=AgentTrace(messages=messages, input="u")))
    assert json.loads(text)["trace"] == {
        "messages": [{"role": "human", "content": ""}],
        "metadata": {"system_instructions": "Be kind."},
    }


def test_arguments_that_are_text_are_written_as_an_object() -> None:
    part = ToolCallPart(name="a", arguments="{bad")
    text = write(
        "floeval", Imported("", run=AgentTrace(input="u", messages=(Message(role="assistant", parts=(part,)),)))
    )
    assert json.loads(text)["trace"]["messages"][0]["tool_calls"] == [{"name": "a", "args": {"arguments": "{bad"}}]


@pytest.mark.parametrize(
    "record",
    [
        GL,
        {
            "input": "Weather in Paris?",
            "actual_output": "18C.",
            "tools_called": [{"name": "get_weather", "input_parameters": {"city": "Paris"}, "output": "18C"}],
            "expected_tools": [{"name": "get_weather", "input_parameters": {"city": "Paris"}}],
        },
        {
            "query": "Weather in Paris?",
            "generated_response": "18C.",
            "agent_trajectory": EXAMPLES["openai"]["messages"],
            "expected_tools": [{"name": "get_weather", "args": {"city": "Paris"}}],
        },
    ],
    ids=["gllm-evals", "DeepEval", "trajectory"],
)
def test_record_of_gllm_evals_and_deepeval_is_a_run(record: dict[str, Any]) -> None:
    sheet = io.StringIO()
    rows = csv.DictWriter(sheet, list(record))
    rows.writeheader()
    rows.writerow({key: value if isinstance(value, str) else json.dumps(value) for key, value in record.items()})
    for content in (record, [record, record], sheet.getvalue()):
        file = detect(content)
        assert file.kind.name == "gl"
        for entry in entries(content):
            assert entry.run is not None
            assert [(call.name, call.args, call.result) for call in entry.run.tool_calls] == [
                ("get_weather", {"city": "Paris"}, "18C")
            ]
            assert entry.expectation is not None
            assert entry.expectation.expected_tool_calls == (ExpectedCall(name="get_weather", args={"city": "Paris"}),)


def test_record_without_a_run_is_an_item_and_other_columns_are_metadata() -> None:
    partial = {"query": "And tomorrow?", "expected_response": "Rain.", "lang": "en"}
    full, item = entries([GL, partial])
    assert (full.run is None, item.run is None, item.metadata) == (False, True, {"lang": "en"})


def test_broken_cell_is_named() -> None:
    text = 'query,generated_response,tools_called\na,b,"[{"\nc,d,[]\n'
    assert faults(text)[0].startswith("line 2: tools_called: it is not JSON: Expecting property name")
    assert len([entry for entry in detect(text).entries if isinstance(entry, Imported)]) == 1


def test_calls_that_were_not_recorded_are_not_written_as_none() -> None:
    (entry,) = entries({"query": "q", "generated_response": "r"})
    assert "tools_called" not in json.loads(write("gl", entry))


EVENTS = {
    "invocationEvents": [
        {"author": "a", "content": {"parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Paris"}}}]}},
        {"author": "a", "content": None},
    ]
}
CONTENT = {"role": "model", "parts": [{"function_call": {"name": "get_weather", "args": {"city": "Paris"}}}]}
OLDER = {
    "query": "Weather in Paris?",
    "expected_tool_use": [{"tool_name": "get_weather", "tool_input": {"city": "Paris"}}],
    "reference": "18C.",
}


def camel(invocation: dict[str, Any]) -> dict[str, Any]:
    names = {"user_content": "userContent", "final_response": "finalResponse", "intermediate_data": "intermediateData"}
    return {names[key]: value for key, value in invocation.items()}


@pytest.mark.parametrize(
    "case",
    [
        CASE,
        {"evalId": "case_1", "conversation": [camel(CASE["conversation"][0])]},
        {"eval_id": "case_1", "conversation": [{**CASE["conversation"][0], "intermediate_data": EVENTS}]},
        {"case_id": "case_1", "conversation": [{**CASE["conversation"][0], "intermediate_data": CONTENT}]},
        {"name": "case_1", "data": [OLDER], "initial_session": {}},
        OLDER,
    ],
    ids=["snake_case", "camelCase", "events", "agentevals-dev", "older", "oldest"],
)
def test_case_of_an_eval_set_is_an_item(case: dict[str, Any]) -> None:
    for content in ([case], {"eval_set_id": "w", "eval_cases": [case]}):
        assert detect(content).kind.name == "adk"
        (entry,) = entries(content)
        assert (entry.input, entry.id) == ("Weather in Paris?", None if case is OLDER else "case_1")
        assert entry.expectation is not None
        assert entry.expectation.expected_tool_calls == (ExpectedCall(name="get_weather", args={"city": "Paris"}),)
        assert entry.expectation.expected_response == "18C."


def test_turns_of_a_case_are_items_that_name_their_conversation() -> None:
    turn = CASE["conversation"][0]
    first, second = entries({**CASE, "conversation": [turn, turn]})
    assert [first.id, second.id] == ["case_1-1", "case_1-2"]
    assert second.metadata == {"conversation": "case_1", "turn": 2}
    again = entries(write("adk", first, second))
    assert [(entry.id, entry.expectation, entry.metadata) for entry in again] == [
        (entry.id, entry.expectation, entry.metadata) for entry in (first, second)
    ]


def test_calls_of_a_turn_without_intermediate_data_are_not_specified() -> None:
    turn = {key: value for key, value in CASE["conversation"][0].items() if key != "intermediate_data"}
    (unspecified,) = entries({**CASE, "conversation": [turn]})
    (none,) = entries({**CASE, "conversation": [{**turn, "intermediate_data": {"tool_uses": []}}]})
    assert unspecified.expectation is not None
    assert none.expectation is not None
    assert (unspecified.expectation.expected_tool_calls, none.expectation.expected_tool_calls) == (None, ())


def test_scenario_begins_with_its_prompt() -> None:
    scenario = {"starting_prompt": "Hello", "conversation_plan": "Ask for the weather."}
    (entry,) = entries({"eval_cases": [{"eval_id": "s", "conversation_scenario": scenario}]})
    assert (entry.input, entry.metadata) == ("Hello", {"conversation_plan": "Ask for the weather."})


@pytest.mark.parametrize(
    ("case", "fault"),
    [
        ({"conversation": [{}]}, "conversation[0].user_content is missing"),
        ({"conversation": []}, "its conversation is empty"),
        ({"conversation": [{"user_content": {"parts": []}}]}, "conversation[0].user_content has no text"),
        (
            {"conversation": [{"user_content": {"parts": [{"text": "a"}]}, "intermediate_data": {"tool_uses": [{}]}}]},
            "conversation[0].intermediate_data.tool_uses[0] has no name",
        ),
        ({"data": [{"query": "a", "expected_tool_use": 3}]}, "data[0].expected_tool_use is a number; write a list"),
        ({"query": ""}, "the entry.query is missing"),
    ],
)
def test_fault_of_a_case_names_the_field(case: dict[str, Any], fault: str) -> None:
    assert faults({"eval_cases": [case]}) == [f"line 1, entry 1: {fault}"]


def test_bad_case_of_an_eval_set_leaves_the_others() -> None:
    content = json.dumps({"eval_set_id": "w", "eval_cases": [CASE, {}, CASE]}, indent=1)[:-20]
    found = list(detect(content).entries)
    assert [entry.id for entry in found if isinstance(entry, Imported)] == ["case_1"]
    assert len(found) >= 2


def test_criteria_are_entries_of_evaluators() -> None:
    criteria = {"tool_trajectory_avg_score": {"threshold": 0.9, "match_type": "IN_ORDER"}}
    assert read_criteria({"criteria": criteria}) == (
        {"use": "adk:tool_trajectory", "threshold": 0.9, "options": {"match_type": "IN_ORDER"}},
    )
    assert read_criteria({"criteria": {"tool_trajectory_avg_score": 1.0}}) == (
        {"use": "adk:tool_trajectory", "threshold": 1.0},
    )
    assert read_criteria({"criteria": {"response_match_score": 0.8}}) == (
        {"use": "adk:response_match_score", "threshold": 0.8},
    )
    for config in ({"criteria": {"safety_v1": 0.8}}, {"criteria": 3}, {}):
        with pytest.raises(ValueError, match="criteria"):
            read_criteria(config)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(str.strip)
ITEMS = st.builds(
    DatasetItem,
    id=TEXTS.map(str.strip),
    input=TEXTS,
    expected_tool_calls=st.none()
    | st.lists(st.builds(ExpectedCall, name=TEXTS, args=st.just({"a": [1, None]})), max_size=2).map(tuple),
    expected_response=st.none() | TEXTS,
)


@pytest.mark.parametrize("name", ["items", "dokimos", "adk", "gl", "floeval"])
@given(items=st.lists(ITEMS, min_size=1, max_size=3, unique_by=lambda item: item.id))
def test_items_that_were_written_are_read_as_the_same(name: str, items: list[DatasetItem]) -> None:
    again = [make_item(entry) for entry in entries(write(name, *map(make_entry, items)), name)]
    assert [(item.input, item.expected_tool_calls, item.expected_response) for item in again] == [
        (item.input, item.expected_tool_calls, item.expected_response) for item in items
    ]


def test_item_needs_an_input() -> None:
    with pytest.raises(ValueError, match="its input was not recorded"):
        make_item(Imported("line 1", run=AgentTrace()))
