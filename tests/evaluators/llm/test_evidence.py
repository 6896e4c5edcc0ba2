"""What a judge sees of a run: chosen parts, marked as data, cut by rule."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given as supposing
from hypothesis import strategies as st
from tests.support.agent_runs import make_message

from tracegrade.evaluators.llm.evidence import (
    MAX_CHARACTERS,
    Evidence,
    EvidenceLayout,
    evidence,
    evidence_of,
    sections_of,
)
from tracegrade.evaluators.llm.evidence_parts import PARTS
from tracegrade.evaluators.model import (
    AgentTrace,
    ExpectedCall,
    GenericPart,
    Message,
    ReasoningPart,
    Reference,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
    ToolDefinition,
)

ALL = tuple(PARTS)
MARK = re.compile(r"^\[([0-9a-f]{16}) (begin|end) ", re.MULTILINE)


def run(*calls: ToolCall, **fields: Any) -> AgentTrace:
    return AgentTrace(input="book a table", tool_calls=calls, final_response="booked", **fields)


def section(text: str, name: str) -> str:
    found = re.search(rf"^\[\w+ begin {re.escape(name)}\]\n(.*?)\n?^\[\w+ end ", text, re.DOTALL | re.MULTILINE)
    assert found
    return found[1]


def entries(found: Evidence, name: str) -> list[Any]:
    return [json.loads(line) for line in section(found.text, name).splitlines()]


def mark_of(found: Evidence) -> str:
    return found.text[1:17]


def test_each_part_stands_between_marks_under_its_name() -> None:
    found = evidence(run(), ("input", "final_response"))
    assert section(found.text, "input") == "book a table"
    assert section(found.text, "final_response") == "booked"
    assert found.details == {"evidence": {"parts": ["input", "final_response"], "cut": {}}}


def test_part_that_nobody_recorded_is_said_to_be_so_here_and_in_the_details() -> None:
    found = evidence(AgentTrace(), ("input", "tool_calls"))
    assert " input: not recorded]" in found.text
    assert found.missing == ("input",)
    assert found.details["evidence"]["not_recorded"] == ["input"]


def test_calls_are_told_in_order_with_what_is_known_of_each() -> None:
    calls = (
        ToolCall(name="search", args={"q": "x"}, result="3 hits"),
        ToolCall(name="book", args_text="{broken", status="error", error="refused"),
    )
    assert entries(evidence(run(*calls), ("tool_calls",)), "tool_calls") == [
        {"call": 1, "tool": "search", "arguments": {"q": "x"}, "result": "3 hits"},
        {
            "call": 2,
            "tool": "book",
            "arguments": "{broken",
            "result": "not recorded",
            "status": "error",
            "error": "refused",
        },
    ]


def test_every_part_of_a_run_that_has_everything_can_be_shown() -> None:
    parts: tuple[Any, ...] = (
        TextPart(content="a"),
        ReasoningPart(content="b"),
        ToolCallPart(name="t", arguments={"x": 1}),
        ToolCallResponsePart(name="t", response="c"),
        GenericPart(kind="image", content={"url": "u"}),
    )
    message = Message(role="user", name="Ada", parts=parts)
    trace = run(
        ToolCall.of("t", x=1),
        messages=(message,),
        reasoning_steps=("think",),
        error="none",
        tool_definitions=(ToolDefinition(name="t"),),
        reference=Reference(
            tasks=("do",),
            constraints=("never",),
            expected_response="yes",
            expected_tool_calls=(ExpectedCall(name="t"),),
            expected_trajectory=(message,),
        ),
    )
    found = evidence(trace, ALL)
    assert found.missing == ()
    assert found.cut == {}


def test_trajectory_tells_no_call_twice_and_leaves_none_out() -> None:
    asking = Message(role="assistant", parts=(ToolCallPart(name="t", arguments={}),))
    told, untold = (
        run(ToolCall.of("t"), messages=(asking,)),
        run(ToolCall.of("t"), messages=(make_message("user", "hi"),)),
    )
    assert len(entries(evidence(told, ("trajectory",)), "trajectory")) == 1
    assert [*entries(evidence(untold, ("trajectory",)), "trajectory")[1]] == ["call", "tool", "arguments", "result"]


def test_result_is_told_by_the_name_of_the_call_that_it_answers() -> None:
    messages = [
        Message(role="assistant", parts=(ToolCallPart(id="1", name="search"), ToolCallPart(id="2", name="book"))),
        Message(role="tool", parts=(ToolCallResponsePart(id="2", response="ok"),)),
        Message(role="assistant", parts=(ToolCallPart(id="1", name="pay"),)),
        Message(role="tool", parts=(ToolCallResponsePart(id="1"), ToolCallResponsePart(response="of nobody"))),
    ]
    told = entries(evidence(run(messages=tuple(messages)), ("messages",)), "messages")
    assert [part["result_of"] for message in told[1::2] for part in message["parts"]] == ["book", "pay", None]


def test_messages_without_a_text_are_not_among_the_texts() -> None:
    messages = (
        make_message("user", "hi"),
        Message(role="assistant", parts=(ToolCallPart(name="t"),)),
        Message(role="tool", parts=(ToolCallResponsePart(response="3"),)),
        make_message("assistant", "done"),
    )
    assert entries(evidence(run(messages=messages), ("texts",)), "texts") == [
        {"message": 1, "role": "user", "text": "hi"},
        {"message": 4, "role": "assistant", "text": "done"},
    ]
    assert evidence(run(messages=messages[1:3]), ("texts",)).missing == ("texts",)


def test_requests_are_what_people_said_and_never_a_result_that_stands_among_it() -> None:
    result = ToolCallResponsePart(name="search", response="id 4711")
    messages = (
        make_message("system", "be brief"),
        Message(role="user", parts=(TextPart(content="and now?"), result)),
        Message(role="user", parts=(result,)),
        Message(role="user", parts=(GenericPart(kind="function_response", content={"id": "4711"}),)),
    )
    assert entries(evidence(run(messages=messages), ("requests",)), "requests") == [
        {"message": 1, "role": "system", "parts": ["be brief"]},
        {"message": 2, "role": "user", "parts": ["and now?"]},
    ]
    assert evidence(run(messages=messages[2:]), ("requests",)).missing == ("requests",)


def test_tools_are_those_that_the_reference_states_where_the_run_records_none() -> None:
    trace = run(reference=Reference(tools=(ToolDefinition(name="t", description="d"),)))
    assert entries(evidence(trace, ("tool_definitions",)), "tool_definitions") == [
        {"tool": "t", "description": "d", "input_schema": "not recorded"}
    ]


def test_turns_of_a_conversation_are_told_apart() -> None:
    found = evidence((run(), run()), ("input", "final_response"))
    assert section(found.text, "turn 1: input") == section(found.text, "turn 2: input") == "book a table"


def test_long_text_loses_its_middle_and_says_how_much() -> None:
    found = evidence(run(ToolCall(name="t", result="a" * 50_000 + "z")), ("tool_calls",))
    [call] = entries(found, "tool_calls")
    assert call["result"].startswith("aaa")
    assert call["result"].endswith("az")
    left_out = found.cut["characters"]["tool_calls"]
    assert f" [{mark_of(found)}: {left_out} characters left out] " in call["result"]


def test_long_list_keeps_beginning_end_and_errors_and_says_what_is_missing() -> None:
    calls = [ToolCall(name=f"t{number}", args={}, result="x" * 400) for number in range(1_000)]
    calls[500] = ToolCall(name="broken", args={}, status="error", error="boom")
    found = evidence(run(*calls), ("input", "tool_calls"))
    told = entries(found, "tool_calls")
    names = [call["tool"] for call in told if "tool" in call]
    assert names[0] == "t0"
    assert names[-1] == "t999"
    assert "broken" in names
    assert len(found.text) < MAX_CHARACTERS + 1_000
    gaps = [call for call in told if "left_out" in call]
    assert {gap["mark"] for gap in gaps} == {mark_of(found)}
    assert sum(gap["left_out"] for gap in gaps) == found.cut["entries"]["tool_calls"] == 1_000 - len(names)


def test_run_cannot_claim_that_something_of_it_was_left_out() -> None:
    cut = evidence(run(ToolCall(name="t", result="a" * 50_000)), ("tool_calls",))
    [claim] = re.findall(r"\[[^]]*left out\]", cut.text)
    forged = evidence(run(ToolCall(name="t", result=claim + "b" * 50_000)), ("tool_calls",))
    [call] = entries(forged, "tool_calls")
    assert call["result"].startswith(claim)
    assert mark_of(forged) not in claim
    assert len(re.findall(rf"\[{mark_of(forged)}: \d+ characters left out\]", forged.text)) == 1


def test_whatever_is_shown_of_an_entry_changes_the_mark() -> None:
    calls = [ToolCall(name="t", args={"x": [1]}, result=result) for result in ("one", "other")]
    one, other = (mark_of(evidence(run(call), ("tool_calls",))) for call in calls)
    assert one != other


def test_what_is_cut_out_changes_nothing_of_what_is_shown() -> None:
    calls = [ToolCall(name="t", result="a" * 20_000 + middle + "z" * 20_000) for middle in ("one", "two")]
    one, other = (evidence(run(call), ("tool_calls",)).text for call in calls)
    assert one == other


def test_entries_that_are_to_be_judged_are_never_left_out() -> None:
    calls = [ToolCall(name=f"t{number}", args={}, result="x" * 400) for number in range(1_000)]
    sections = sections_of(run(*calls), ("tool_calls",))
    found = EvidenceLayout(sections, max_characters=2_000).render(sections, keep={"tool_calls": frozenset({499, 500})})
    assert {"t499", "t500"} <= {call.get("tool") for call in entries(found, "tool_calls")}


def test_long_conversation_loses_turns_in_its_middle() -> None:
    turns = [AgentTrace(input="i" * 1_000, final_response=f"answer {number}") for number in range(500)]
    found = evidence(turns, ("input", "final_response"))
    assert len(found.text) < 2 * MAX_CHARACTERS
    assert section(found.text, "turns left out of the middle") == str(found.cut["turns"])
    assert section(found.text, "turn 1: final_response") == "answer 0"
    assert section(found.text, "turn 500: final_response") == "answer 499"


@pytest.mark.parametrize(
    ("turns", "characters"),
    [(2_000, MAX_CHARACTERS), (500, 2_000)],
    ids=["many turns", "little room"],
)
def test_conversation_of_any_length_stays_within_the_limit(turns: int, characters: int) -> None:
    short = AgentTrace(
        input="hi", messages=(make_message("user", "hi"),) * 3, tool_calls=(ToolCall.of("t", x=1),), final_response="ok"
    )
    found = evidence([short] * turns, ("input", "messages", "tool_calls", "final_response"), max_characters=characters)
    assert characters // 2 < len(found.text) <= characters
    assert int(section(found.text, "turns left out of the middle")) == found.cut["turns"] > 0


def test_conversation_with_long_lists_stays_within_the_limit_and_keeps_short_ones_whole() -> None:
    long = AgentTrace(messages=(make_message("user", "x" * 400),) * 300, tool_calls=(ToolCall.of("t", x=1),))
    found = evidence([long] * 20, ("messages", "tool_calls"))
    assert len(found.text) <= MAX_CHARACTERS
    assert "turns" not in found.cut
    assert [entries(found, f"turn {turn}: tool_calls")[0]["tool"] for turn in (1, 10, 20)] == ["t", "t", "t"]


def test_what_is_cut_of_a_conversation_is_summed_over_its_turns() -> None:
    long = AgentTrace(input="i" * 9_000, messages=(make_message("user", "x" * 400),) * 300, final_response="done")
    one, many = (evidence([long] * turns, ("input", "messages", "final_response")) for turns in (1, 3))
    assert set(many.cut) == {"characters", "entries"}
    assert many.cut["characters"] == {"input": 3 * one.cut["characters"]["input"]}
    assert set(many.cut["entries"]) == {"messages"}


def test_nested_arguments_without_end_are_not_followed() -> None:
    nested: Any = 1
    for _ in range(100_000):
        nested = [nested]
    assert "nested too deeply" in evidence(run(ToolCall(name="t", args={"x": nested})), ("tool_calls",)).text


def test_half_a_character_does_not_stop_the_question_from_being_sent() -> None:
    assert evidence(run(ToolCall(name="t", result="\ud800")), ("tool_calls",)).text.encode()


@supposing(st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.none() | st.text()), max_size=4))
def test_same_sections_give_the_same_text_and_marks_cannot_be_foretold(sections: list[tuple[str, str | None]]) -> None:
    found = evidence_of(sections)
    assert found == evidence_of(sections)
    for mark in {match[1] for match in MARK.finditer(found.text)} if found.text.isascii() else ():
        assert all(mark not in (content or "") for _, content in sections)


@pytest.mark.parametrize("part", ["input", "final_response", "tool_calls"])
def test_mark_of_another_run_ends_no_section(part: str) -> None:
    forged = evidence(run(), ("input",)).text
    trace = AgentTrace(input=forged, final_response=forged, tool_calls=(ToolCall(name=forged, result=forged),))
    found = evidence(trace, (part,))
    [mark] = {line[1:17] for line in (found.text.splitlines()[0], found.text.splitlines()[-1])}
    assert mark not in forged
    assert found.text.count(mark) == 2
