"""The output of `codex exec --json` becomes a run for each turn."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.session_logs import faults_of, make_records, runs_of

from tracegrade.evaluators.formats.codex.kind import KIND
from tracegrade.evaluators.formats.imported import Imported
from tracegrade.evaluators.formats.record import Record
from tracegrade.evaluators.model import AgentTrace

STARTED = {"type": "thread.started", "thread_id": "t"}
TURN = {"type": "turn.started"}
ENDED = {"type": "turn.completed", "usage": {"input_tokens": 16668, "cached_input_tokens": 13056, "output_tokens": 5}}


def make_item(sort: str, item_id: str = "item_1", event: str = "completed", **fields: Any) -> dict[str, Any]:
    return {"type": f"item.{event}", "item": {"id": item_id, "type": sort, **fields}}


SAYS = make_item("agent_message", "item_9", text="hi")


def read_run(*lines: Any) -> AgentTrace:
    (run,) = runs_of(KIND.read(make_records(lines)))
    return run


def test_a_turn_is_a_run_with_its_tokens() -> None:
    run = read_run(STARTED, TURN, make_item("reasoning", "item_0", text="Hm."), SAYS, ENDED)
    assert (run.final_response, run.session_id, run.agent_name) == ("hi", "t", "codex")
    assert (run.input_tokens, run.cached_input_tokens, run.output_tokens) == (16668, 13056, 5)
    assert (run.input, run.started_at, run.duration_ms, run.completeness) == (None, None, None, "complete")
    assert run.reasoning_steps == ("Hm.",)


@pytest.mark.parametrize(
    ("item", "name", "arguments", "result", "status"),
    [
        pytest.param(
            make_item("command_execution", command="ls", aggregated_output="a", exit_code=0, status="completed"),
            "shell",
            {"command": "ls"},
            "a",
            "ok",
            id="command",
        ),
        pytest.param(
            make_item("command_execution", command="ls", aggregated_output="no", exit_code=2, status="failed"),
            "shell",
            {"command": "ls"},
            "no",
            "error",
            id="command that failed",
        ),
        pytest.param(
            make_item("command_execution", command="rm", status="declined"),
            "shell",
            {"command": "rm"},
            None,
            "not_executed",
            id="command that was declined",
        ),
        pytest.param(
            make_item("file_change", changes=[{"path": "a", "kind": "add"}], status="completed"),
            "apply_patch",
            {"changes": [{"path": "a", "kind": "add"}]},
            None,
            "ok",
            id="change of a file",
        ),
        pytest.param(
            make_item(
                "mcp_tool_call",
                server="keeper",
                tool="get_logs",
                arguments={"lines": 20},
                status="completed",
                result={"content": []},
                error=None,
            ),
            "mcp__keeper__get_logs",
            {"lines": 20},
            '{"content":[]}',
            "ok",
            id="MCP",
        ),
        pytest.param(
            make_item("mcp_tool_call", server="k", tool="g", status="failed", error={"message": "no"}),
            "mcp__k__g",
            None,
            "no",
            "error",
            id="MCP that failed",
        ),
        pytest.param(
            make_item("web_search", query="x", status="completed"),
            "web_search",
            {"query": "x"},
            None,
            "ok",
            id="search",
        ),
        pytest.param(
            make_item("novelty", size=1, status="completed"), "novelty", {"size": 1}, None, "ok", id="unknown"
        ),
    ],
)
def test_items_of_tools_are_calls(
    item: dict[str, Any], name: str, arguments: Any, result: str | None, status: str
) -> None:
    (made,) = read_run(STARTED, TURN, item, SAYS, ENDED).tool_calls
    assert (made.name, made.args, made.result, made.status) == (name, arguments, result, status)


def test_an_item_that_started_and_completed_is_one_call() -> None:
    started = make_item("command_execution", event="started", command="ls", status="in_progress")
    completed = make_item("command_execution", command="ls", aggregated_output="a", exit_code=0, status="completed")
    run = read_run(STARTED, TURN, started, completed, SAYS, ENDED)
    assert [(made.result, made.status) for made in run.tool_calls] == [("a", "ok")]
    assert [message.role for message in run.messages] == ["assistant", "tool", "assistant"]


def test_a_call_that_did_not_complete_may_not_have_been_executed() -> None:
    started = make_item("command_execution", event="started", command="ls", status="in_progress")
    run = read_run(STARTED, TURN, started)
    assert (run.tool_calls[0].status, run.completeness) == (None, "partial")


@pytest.mark.parametrize(
    "line",
    [
        pytest.param({"type": "turn.failed", "error": {"message": "quota"}}, id="turn"),
        pytest.param({"type": "error", "message": "quota"}, id="stream"),
    ],
)
def test_a_failed_turn_has_its_error(line: dict[str, Any]) -> None:
    run = read_run(STARTED, TURN, SAYS, line)
    assert (run.error, run.final_response) == ("quota", None)


def test_warnings_are_in_the_metadata() -> None:
    (entry,) = KIND.read(make_records([STARTED, TURN, make_item("error", message="budget"), SAYS, ENDED]))
    assert isinstance(entry, Imported)
    assert entry.metadata == {"warnings": ["budget"]}


def test_turns_of_one_thread_have_ids_of_their_own_and_the_same_turn_always_the_same() -> None:
    other = make_item("agent_message", "item_9", text="ho")
    first, second = runs_of(KIND.read(make_records([STARTED, TURN, SAYS, ENDED, TURN, other, ENDED])))
    assert first.agent_trace_id != second.agent_trace_id
    assert read_run(STARTED, TURN, SAYS, ENDED).agent_trace_id == first.agent_trace_id


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param({"type": "item.completed"}, "item is null", id="no item"),
        pytest.param({"type": "item.completed", "item": {}}, "item.type is missing", id="no type"),
        pytest.param(make_item("agent_message", text=7), "item.text is a number", id="text"),
        pytest.param({**ENDED, "usage": {"input_tokens": "9"}}, "usage.input_tokens is text", id="tokens"),
        pytest.param(7, "the line is a number", id="a number"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_kept(line: Any, reason: str) -> None:
    entries = list(KIND.read([*make_records([STARTED, TURN, SAYS, line, ENDED]), Record("line 6", fault="cut off")]))
    (place, fault), last = faults_of(entries)
    assert (place, fault[: len(reason)], last) == ("line 4", reason, ("line 6", "cut off"))
    assert len(entries) == 3
