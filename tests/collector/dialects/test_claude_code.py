from __future__ import annotations

from typing import Any

import pytest
from tests.support import tale

from tracegrade.collector import dialects
from tracegrade.collector.span import Event
from tracegrade.collector.step import Step
from tracegrade.evaluators.model import ToolCallPart, ToolCallResponsePart

SCOPE = "com.anthropic.claude_code.tracing"


def read(kind: str, *, events: tuple[Event, ...] = (), **attributes: Any) -> Step | None:
    told = {"span.type": kind, **attributes}
    span = tale.span(1, name=f"claude_code.{kind}", attributes=told, scope_name=SCOPE, events=events)
    found = dialects.read(span)
    assert found is None or found[0] == "claude_code"
    return found[1] if found else None


def step(kind: str, **more: Any) -> Step:
    found = read(kind, **more)
    assert found is not None
    return found


def record(name: str, **fields: Any) -> Event:
    return Event(None, 0, {"event.name": name, **fields}, body=f"claude_code.{name}", is_log=True)


@pytest.mark.parametrize("kind", ["tool.blocked_on_user", "hook"])
def test_span_that_only_gives_structure_is_no_step(kind: str) -> None:
    assert read(kind) is None


def test_prompt_that_was_left_out_is_not_recorded() -> None:
    assert step("interaction", user_prompt="<REDACTED>").input is None


def test_input_tokens_include_those_of_the_cache() -> None:
    spent = step("llm_request", input_tokens=10, cache_read_tokens=80, cache_creation_tokens=10, output_tokens=5).usage

    assert (spent.input_tokens, spent.output_tokens, spent.cached_input_tokens) == (100, 5, 80)


def test_request_that_did_not_succeed_says_why() -> None:
    assert step("llm_request", success=False, error="overloaded").error == "overloaded"


def test_context_of_a_request_is_read_part_by_part() -> None:
    told = "[USER]\na hotel\nin [Paris]\n[TOOL RESULT: toolu_1]\n[]"
    asked = step("llm_request", new_context=told).input

    assert asked is not None
    assert [one.role for one in asked] == ["user", "tool"]
    assert asked[0].text == "a hotel\nin [Paris]"
    assert asked[1].parts == (ToolCallResponsePart(id="toolu_1", response="[]"),)


def test_arguments_are_what_stands_below_their_heading() -> None:
    assert step("tool", tool_name="Bash", tool_input='[TOOL INPUT: Bash]\n{"command":"ls"}').args == {"command": "ls"}


def test_what_a_tool_kept_of_its_output_is_its_result() -> None:
    kept = Event("tool.output", 0, {"bash_command": "ls", "output": "a.txt"})

    assert step("tool", tool_name="Bash", events=(kept,)).result == "a.txt"


def test_records_of_an_interaction_tell_its_calls_and_its_answer() -> None:
    names = '{"mcp_server_name":"travel","mcp_tool_name":"book_hotel"}'
    called = {"tool_name": "mcp_tool", "tool_parameters": names, "tool_use_id": "toolu_1", "tool_input": '{"nights":5}'}
    records = (
        record("tool_result", **called, success="false", error="no rooms"),
        record("assistant_response", response="There are no rooms."),
    )
    said = step("interaction", events=records).output

    assert said is not None
    assert said[0].tool_calls == (ToolCallPart(id="toolu_1", name="mcp__travel__book_hotel", arguments={"nights": 5}),)
    assert said[1].parts == (ToolCallResponsePart(id="toolu_1", response="no rooms", is_error=True),)
    assert said[2].text == "There are no rooms."


def test_execution_is_an_agents_run_where_its_records_name_one() -> None:
    records = (record("api_request", **{"agent_id": "a1", "agent.name": "hotels"}),)
    run = step("tool.execution", events=records)

    assert (run.kind, run.agent_name, run.agent_id) == ("agent", "hotels", "a1")


def test_system_prompt_is_told_only_where_its_preview_has_all_of_it() -> None:
    assert step("llm_request", system_prompt_preview="Be brief.", system_prompt_length=9).input is not None
    assert step("llm_request", system_prompt_preview="Be brief.", system_prompt_length=900).input is None
