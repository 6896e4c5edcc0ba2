from __future__ import annotations

from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Event, Span
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import ToolCallPart, ToolCallResponsePart

SCOPE = "com.anthropic.claude_code.tracing"


def read(kind: str, *, events: tuple[Event, ...] = (), **attributes: Any) -> Step | None:
    span_attributes = {"span.type": kind, **attributes}
    span = agent_spans.span(1, name=f"claude_code.{kind}", attributes=span_attributes, scope_name=SCOPE, events=events)
    reading = dialects.read(span)
    assert reading is None or reading[0] == "claude_code"
    return reading[1] if reading else None


def step(kind: str, **more: Any) -> Step:
    return require_step(read(kind, **more))


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
    turns = step("llm_request", new_context=told).input

    assert turns is not None
    assert [message.role for message in turns] == ["user", "tool"]
    assert turns[0].text == "a hotel\nin [Paris]"
    assert turns[1].parts == (ToolCallResponsePart(id="toolu_1", response="[]"),)


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
    turns = step("interaction", events=records).output

    assert turns is not None
    assert turns[0].tool_calls == (ToolCallPart(id="toolu_1", name="mcp__travel__book_hotel", arguments={"nights": 5}),)
    assert turns[1].parts == (ToolCallResponsePart(id="toolu_1", response="no rooms", is_error=True),)
    assert turns[2].text == "There are no rooms."


def test_execution_is_an_agents_run_where_its_records_name_one() -> None:
    records = (record("api_request", **{"agent_id": "a1", "agent.name": "hotels"}),)
    run = step("tool.execution", events=records)

    assert (run.kind, run.agent_name, run.agent_id) == ("agent", "hotels", "a1")


def test_system_prompt_is_told_only_where_its_preview_has_all_of_it() -> None:
    assert step("llm_request", system_prompt_preview="Be brief.", system_prompt_length=9).input is not None
    assert step("llm_request", system_prompt_preview="Be brief.", system_prompt_length=900).input is None


@pytest.mark.parametrize(
    ("attributes", "args"),
    [
        pytest.param({"full_command": "ls -l"}, {"command": "ls -l"}, id="command"),
        pytest.param({"file_path": "a.txt"}, {"file_path": "a.txt"}, id="file"),
        pytest.param({"full_command": "<REDACTED>"}, None, id="left-out"),
        pytest.param({"full_command": 5}, None, id="no-text"),
        pytest.param(
            {"full_command": "ls", "tool_input": '{"command":"ls","timeout":5}'},
            {"command": "ls", "timeout": 5},
            id="with-the-whole-input",
        ),
    ],
)
def test_details_of_a_tool_are_its_arguments_where_its_input_is_not_recorded(
    attributes: dict[str, Any], args: dict[str, Any] | None
) -> None:
    assert step("tool", tool_name="Bash", **attributes).args == args


def test_command_in_a_record_is_the_argument_of_its_call() -> None:
    parameters = '{"bash_command":"ls","full_command":"ls -l","timeout":5}'
    fields = {"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_parameters": parameters, "success": "true"}
    turns = step("interaction", events=(record("tool_result", **fields),)).output

    assert turns is not None
    call = ToolCallPart(id="toolu_1", name="Bash", arguments={"command": "ls -l", "timeout": 5})
    assert turns[0].tool_calls == (call,)


@pytest.mark.parametrize(
    ("name", "attributes", "kind"),
    [
        ("interaction", {"span.type": "interaction", "user_prompt": "Hi"}, "agent"),
        ("llm_request", {"span.type": "claude_code.llm_request"}, "model"),
        ("llm_request", {"span.type": "llm_request", "model": "claude"}, "model"),
        ("tool", {"span.type": "tool", "tool_name": "Bash"}, "tool"),
        ("claude_code.llm_request", {"cache_read_tokens": 5}, "model"),
    ],
)
def test_span_is_read_without_scope_and_without_namespace(name: str, attributes: dict[str, Any], kind: str) -> None:
    reading = dialects.read(agent_spans.span(1, name=name, attributes=attributes))

    assert reading is not None
    assert (reading[0], reading[1].kind) == ("claude_code", kind)


@pytest.mark.parametrize("kind", ["tool", "llm_request", "interaction", "web", "db"])
def test_type_of_a_span_alone_is_not_enough(kind: str) -> None:
    assert dialects.read(agent_spans.span(1, name="work", attributes={"span.type": kind})) is None


def claude_span(number: int, kind: str, *, parent: int | None = None, **more: Any) -> Span:
    attributes = {"span.type": kind, "session.id": "s1", **more.pop("attributes", {})}
    name = f"claude_code.{kind}"
    return agent_spans.span(number, parent=parent, name=name, scope_name=SCOPE, attributes=attributes, **more)


def delegating(**execution: Any) -> list[Span]:
    agent = {"agent_id": "a1", "gen_ai.conversation.id": "a1"}
    called = {"tool_name": "Agent", "subagent_type": "hotels", "tool_use_id": "toolu_1"}
    counts = {"input_tokens": 5, "output_tokens": 1}
    return [
        claude_span(1, "interaction", for_s=10),
        claude_span(2, "llm_request", parent=1, at_s=1, attributes=counts),
        claude_span(3, "tool", parent=1, at_s=2, for_s=5, attributes=called),
        claude_span(4, "tool.execution", parent=3, at_s=3, for_s=4, attributes=execution),
        claude_span(5, "llm_request", parent=4, at_s=4, attributes={**agent, **counts}),
        claude_span(6, "tool", parent=4, at_s=5.5, for_s=0.5, attributes={"tool_name": "Book", **agent}),
    ]


def test_sub_agent_is_known_by_its_id_on_spans_alone() -> None:
    [run, sub] = assemble(delegating())

    assert (sub.agent_name, sub.agent_id, sub.session_id, sub.parent_agent_trace_id) == (
        "hotels",
        "a1",
        "s1",
        run.agent_trace_id,
    )
    assert [(call.name, call.child_agent_trace_id) for call in run.tool_calls] == [
        ("Agent", None),
        ("Book", sub.agent_trace_id),
    ]
    assert (run.input_tokens, sub.input_tokens) == (5, 5)


def test_call_of_a_sub_agent_that_failed_says_so() -> None:
    [run, _] = assemble(delegating(success=False, error="aborted"))

    assert [(call.name, call.status, call.error, call.duration_ms) for call in run.tool_calls[:1]] == [
        ("Agent", "error", "aborted", 4000.0)
    ]


def test_interactions_of_one_agent_keep_its_session_and_their_tokens() -> None:
    counts = {"input_tokens": 5, "output_tokens": 1}
    spans = [
        agent_spans.agent(10, for_s=30),
        claude_span(1, "interaction", parent=10, at_s=1, for_s=5),
        claude_span(2, "llm_request", parent=1, at_s=2, attributes=counts),
        claude_span(3, "interaction", parent=10, at_s=10, for_s=5),
        claude_span(4, "llm_request", parent=3, at_s=11, attributes=counts),
        claude_span(5, "tool", parent=3, at_s=12, attributes={"tool_name": "Agent", "tool_use_id": "toolu_1"}),
        claude_span(6, "tool.execution", parent=5, at_s=12.1, for_s=0.8),
        claude_span(
            7,
            "llm_request",
            parent=6,
            at_s=12.2,
            for_s=0.1,
            attributes={"agent_id": "a1", "gen_ai.conversation.id": "a1", **counts},
        ),
    ]
    runs = assemble(spans)

    assert [(run.session_id, run.input_tokens) for run in runs] == [("s1", None), ("s1", 5), ("s1", 5), ("s1", 5)]


def test_tool_of_older_spans_is_read_under_their_own_keys() -> None:
    attributes = {
        "span.type": "tool_execution",
        "tool.name": "Bash",
        "tool.id": "toolu_1",
        "tool.input": '{"command":"ls"}',
        "tool.output": "a.txt",
        "success": "false",
    }
    reading = dialects.read(agent_spans.span(1, name="tool:Bash", attributes=attributes, scope_name="claude-code"))

    assert reading is not None
    ran = reading[1]
    assert (ran.tool_name, ran.call_id, ran.args) == ("Bash", "toolu_1", {"command": "ls"})
    assert (ran.result, ran.error) == ("a.txt", "error")


def test_name_of_a_model_is_without_the_style_it_was_printed_in() -> None:
    assert step("llm_request", model="claude-opus\x1b[1m").request_model == "claude-opus"
