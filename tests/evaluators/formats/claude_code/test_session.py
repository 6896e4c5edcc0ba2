"""Sessions of Claude Code become a run for each prompt, with those of sub-agents joined."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.support.session_logs import faults_of, make_records, runs_of

from tracegrade.evaluators.formats.claude_code.kind import KIND
from tracegrade.evaluators.formats.claude_code.session import read_session
from tracegrade.evaluators.formats.imported import Imported
from tracegrade.evaluators.formats.record import Record
from tracegrade.evaluators.formats.run_id import make_run_id
from tracegrade.evaluators.model import AgentTrace, ReasoningPart, TextPart, ToolCallPart, ToolCallResponsePart

USAGE = {"input_tokens": 4, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 900, "output_tokens": 20}


def at(second: int) -> str:
    return f"2025-10-01T10:00:{second:02d}.000Z"


def make_line(sort: str, uuid: str, second: int = 0, **fields: Any) -> dict[str, Any]:
    return {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/p",
        "sessionId": "s1",
        "version": "2.0.1",
        "gitBranch": "main",
        "type": sort,
        "uuid": uuid,
        "timestamp": at(second),
        **fields,
    }


def make_prompt(text: Any, uuid: str = "u1", second: int = 0, **fields: Any) -> dict[str, Any]:
    return make_line("user", uuid, second, message={"role": "user", "content": text}, **fields)


def make_answer(
    *blocks: dict[str, Any],
    uuid: str = "a1",
    second: int = 2,
    message_id: str = "msg_1",
    usage: dict[str, int] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    message = {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": list(blocks),
        "stop_reason": "end_turn",
        "usage": USAGE if usage is None else usage,
    }
    return make_line("assistant", uuid, second, requestId="r1", **{"message": message, **fields})


def make_result(
    content: Any, call_id: str = "toolu_1", uuid: str = "r1", second: int = 3, *, is_error: bool = False, **fields: Any
) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": is_error}
    return make_line("user", uuid, second, message={"role": "user", "content": [block]}, **fields)


def say(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def call(name: str = "Bash", call_id: str = "toolu_1", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


LIST_FILES = [
    make_prompt("List files"),
    make_answer(call(command="ls")),
    make_result("a.txt", toolUseResult={"stdout": "a.txt", "stderr": "", "interrupted": False, "isImage": False}),
    make_answer(say("There is a.txt."), uuid="a2", second=4, message_id="msg_2"),
]


def make_id(key: str) -> str:
    return make_run_id("claude-code", key)


def read_runs(*lines: Any) -> list[AgentTrace]:
    return runs_of(read_session(make_records(lines)))


def read_run(*lines: Any) -> AgentTrace:
    (run,) = read_runs(*lines)
    return run


def test_a_prompt_begins_a_run_with_its_calls_results_and_tokens() -> None:
    (entry,) = read_session(make_records(LIST_FILES))
    assert isinstance(entry, Imported)
    assert entry.run is not None
    run = entry.run
    (made,) = run.tool_calls
    assert (made.name, made.args, made.id, made.result, made.status) == (
        "Bash",
        {"command": "ls"},
        "toolu_1",
        "a.txt",
        "ok",
    )
    assert (run.input, run.final_response, run.session_id) == ("List files", "There is a.txt.", "s1")
    assert (run.agent_name, run.agent_version, run.model) == ("claude-code", "2.0.1", "claude-sonnet-4-5")
    assert (run.input_tokens, run.cached_input_tokens, run.output_tokens) == (2008, 1800, 40)
    assert run.started_at == datetime(2025, 10, 1, 10, tzinfo=UTC)
    assert run.duration_ms == 4000
    assert entry.id == "u1"
    assert (entry.place, entry.metadata) == ("line 1", {"version": "2.0.1", "cwd": "/p", "git_branch": "main"})


def test_times_of_calls_are_not_guessed_from_lines() -> None:
    (made,) = read_run(*LIST_FILES).tool_calls
    assert (made.started_at, made.duration_ms) == (None, None)


@pytest.mark.parametrize(
    ("recorded", "duration_ms"),
    [
        pytest.param({"totalDurationMs": 4200, "totalTokens": 7}, 4200, id="of a sub-agent"),
        pytest.param({"durationMs": 12}, 12, id="milliseconds"),
        pytest.param({"durationSeconds": 1.5}, 1500, id="seconds"),
        pytest.param({"durationMs": "long"}, None, id="no number"),
        pytest.param("Error", None, id="text"),
    ],
)
def test_the_duration_that_the_program_recorded_is_that_of_the_call(recorded: Any, duration_ms: float | None) -> None:
    run = read_run(LIST_FILES[0], LIST_FILES[1], make_result("x", toolUseResult=recorded), LIST_FILES[3])
    assert run.tool_calls[0].duration_ms == duration_ms


def test_each_prompt_is_a_run_of_its_own() -> None:
    runs = read_runs(*LIST_FILES, make_prompt("Thanks", "u9", 9), make_answer(say("!"), uuid="a9", message_id="msg_9"))
    assert [(run.input, run.final_response, run.agent_trace_id) for run in runs] == [
        ("List files", "There is a.txt.", make_id("u1")),
        ("Thanks", "!", make_id("u9")),
    ]


def test_a_run_has_the_same_id_in_every_file_that_has_it() -> None:
    copied = [{**line, "sessionId": "s2"} for line in LIST_FILES]
    run, again = read_run(*LIST_FILES), read_run(make_line("system", "x"), *copied)
    assert (run.agent_trace_id, run.trace_id) == (again.agent_trace_id, again.trace_id)
    assert run.agent_trace_id == f"{run.trace_id}-{run.agent_span_id}"


def test_lines_of_one_answer_are_one_message_with_its_usage_once() -> None:
    run = read_run(
        make_prompt("go"),
        make_answer({"type": "thinking", "thinking": "Hm.", "signature": "x"}, usage={**USAGE, "output_tokens": 2}),
        make_answer(say("I look."), uuid="a2"),
        make_answer(call(), uuid="a3"),
        make_result("ok"),
        make_answer(call(call_id="toolu_2"), uuid="a4"),
        make_result("ok", "toolu_2", "r2"),
    )
    assert [part.type for part in run.messages[1].parts] == ["reasoning", "text", "tool_call", "tool_call"]
    assert run.messages[1].parts[:2] == (ReasoningPart(content="Hm."), TextPart(content="I look."))
    (llm_call,) = run.llm_calls
    assert (llm_call.output_tokens, llm_call.response_id, llm_call.finish_reasons) == (20, "msg_1", ("end_turn",))
    assert llm_call.span_id == run.messages[1].span_id
    assert run.reasoning_steps == ("Hm.",)


def test_lines_that_a_resumed_session_repeats_count_once() -> None:
    assert read_runs(*LIST_FILES, *LIST_FILES) == read_runs(*LIST_FILES)


def test_results_in_any_order_belong_to_the_call_of_their_id() -> None:
    run = read_run(
        make_prompt("go"),
        make_answer(call("A", "c1"), call("B", "c2")),
        make_result("of B", "c2", "r2"),
        make_result("of A", "c1", "r1"),
    )
    assert [(made.name, made.result) for made in run.tool_calls] == [("A", "of A"), ("B", "of B")]


def test_an_error_a_rejection_and_a_missing_result_are_three_different_things() -> None:
    run = read_run(
        make_prompt("go"),
        make_answer(call("A", "c1"), call("B", "c2"), call("C", "c3")),
        make_result("Exit code 1", "c1", "r1", is_error=True),
        make_result("The user doesn't want to proceed with this tool use. Wait.", "c2", "r2", is_error=True),
        make_prompt([say("[Request interrupted by user for tool use]")], "u2"),
    )
    assert [(made.status, made.result is None) for made in run.tool_calls] == [
        ("error", False),
        ("not_executed", False),
        (None, True),
    ]


def test_a_result_without_its_call_is_kept_as_a_message() -> None:
    run = read_run(make_prompt("go"), make_result("late", "elsewhere"), make_answer(say("done")))
    assert run.tool_calls == ()
    assert run.messages[1].parts == (ToolCallResponsePart(id="elsewhere", response="late"),)


def test_blocks_of_a_result_become_text_and_images_are_named() -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    run = read_run(
        make_prompt("go"), make_answer(call()), make_result([say("Here:"), image]), make_answer(say("ok"), uuid="x")
    )
    assert run.tool_calls[0].result == "Here:\n[image image/png]"


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(make_prompt("Base directory for this skill: /s", "x", isMeta=True), id="meta"),
        pytest.param(make_prompt("This session continues", "x", isCompactSummary=True), id="summary of a compaction"),
        pytest.param(make_prompt("<local-command-stdout>ok</local-command-stdout>", "x"), id="output of a command"),
        pytest.param(make_prompt("<task-notification>done</task-notification>", "x"), id="notification"),
        pytest.param(make_prompt("Caveat: The messages below were generated by the user while", "x"), id="caveat"),
        pytest.param({"type": "summary", "summary": "Files", "leafUuid": "u1"}, id="summary"),
        pytest.param({"type": "ai-title", "aiTitle": "Files", "sessionId": "s1"}, id="title"),
        pytest.param({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}, id="snapshot"),
        pytest.param({"type": "queue-operation", "operation": "enqueue", "sessionId": "s1"}, id="queue"),
        pytest.param(
            make_line("system", "x", subtype="compact_boundary", content="Conversation compacted"), id="boundary"
        ),
        pytest.param(make_line("attachment", "x", attachment={"type": "todo"}), id="attachment"),
    ],
)
def test_lines_that_are_no_prompt_begin_no_run(line: dict[str, Any]) -> None:
    (run,) = read_runs(*LIST_FILES, line)
    assert (run.input, run.final_response) == ("List files", "There is a.txt.")


def test_a_command_that_the_agent_answers_is_a_run_and_a_local_one_is_not() -> None:
    command = (
        "<command-message>review</command-message>\n<command-name>/review</command-name><command-args>1</command-args>"
    )
    runs = read_runs(
        make_prompt("<command-name>/clear</command-name>", "u0"),
        make_prompt(command, "u1"),
        make_prompt("Review the pull request 1.", "m1", isMeta=True),
        make_answer(say("Reviewed.")),
    )
    assert [(run.input, run.final_response) for run in runs] == [("/review 1", "Reviewed.")]


def test_what_the_user_writes_while_the_agent_works_is_part_of_the_run() -> None:
    queued = make_line("attachment", "q1", attachment={"type": "queued_command", "prompt": "Only text files"})
    run = read_run(*LIST_FILES[:3], queued, LIST_FILES[3])
    assert [message.text for message in run.messages if message.role == "user"] == ["List files", "Only text files"]


def test_the_recorded_time_of_a_turn_counts_before_that_of_its_lines() -> None:
    run = read_run(*LIST_FILES, make_line("system", "x", 5, subtype="turn_duration", durationMs=3210))
    assert run.duration_ms == 3210


def test_an_interrupted_run_has_no_response_and_says_so() -> None:
    (entry,) = read_session(
        make_records([make_prompt("go"), make_answer(say("I beg")), make_prompt("[Request interrupted by user]", "u2")])
    )
    assert isinstance(entry, Imported)
    assert entry.run is not None
    assert (entry.run.final_response, entry.run.completeness) == (None, "complete")
    assert entry.metadata["interrupted"] is True


def test_an_error_of_the_api_ends_a_run_unless_it_goes_on() -> None:
    message = {"model": "<synthetic>", "role": "assistant", "content": [say("API Error: 529")]}
    failed = make_answer(uuid="e1", message=message, isApiErrorMessage=True)
    run = read_run(make_prompt("go"), failed)
    assert (run.error, run.final_response, run.llm_calls) == ("API Error: 529", None, ())
    recovered = read_run(make_prompt("go"), failed, make_answer(say("done")))
    assert (recovered.error, recovered.final_response) == (None, "done")


def test_a_run_that_goes_on_has_another_id_than_when_it_is_done() -> None:
    open_run = read_run(*LIST_FILES[:3])
    assert (open_run.completeness, open_run.final_response, open_run.agent_trace_id) == (
        "partial",
        None,
        make_id("u1@r1"),
    )
    assert (open_run.ended_at, open_run.duration_ms) == (None, None)
    assert read_run(*LIST_FILES).agent_trace_id == make_id("u1")


def make_sub_agent(*lines: dict[str, Any], **fields: Any) -> list[dict[str, Any]]:
    return [{**line, "isSidechain": True, **fields} for line in lines]


TASK = call("Task", "toolu_t", subagent_type="explorer", prompt="Find it", description="d")
BELOW = (
    make_prompt("Find it", "b1", 3),
    make_answer(call("Grep", "toolu_b"), uuid="b2", second=4, message_id="msg_b1", parentUuid="b1"),
    make_result("a.py", "toolu_b", "b3", 5, parentUuid="b2"),
    make_answer(say("It is in a.py"), uuid="b4", second=6, message_id="msg_b2", parentUuid="b3"),
)
DELEGATED = [
    make_prompt("Where is it?"),
    make_answer(TASK),
    make_result("It is in a.py", "toolu_t", second=7, toolUseResult={"agentId": "e1", "totalDurationMs": 3000}),
    make_answer(say("In a.py."), uuid="a2", second=8, message_id="msg_2"),
]


def check_family(runs: list[AgentTrace], key: str) -> None:
    above, below = runs
    child_id = make_run_id(above.agent_trace_id, key, above=above.agent_trace_id)
    assert [(made.name, made.child_agent_trace_id) for made in above.tool_calls] == [("Task", None), ("Grep", child_id)]
    assert [made.name for made in above.trajectory] == ["Task"]
    assert (above.input_tokens, above.total_input_tokens, above.total_tool_call_count) == (2008, 4016, 2)
    assert (below.agent_trace_id, below.parent_agent_trace_id) == (child_id, make_id("u1"))
    assert (below.trace_id, below.session_id) == (above.trace_id, "s1")
    assert (below.agent_name, below.input, below.final_response) == ("explorer", "Find it", "It is in a.py")
    assert above.tool_calls[1].agent_name == "explorer"


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        pytest.param({}, "b1", id="found by their prompt"),
        pytest.param({"agentId": "e1"}, "e1", id="found by their id"),
    ],
)
def test_lines_of_a_sub_agent_in_the_same_file_are_a_run_below(fields: dict[str, Any], key: str) -> None:
    lines = [*DELEGATED[:2], *make_sub_agent(*BELOW, **fields), *DELEGATED[2:]]
    check_family(read_runs(*lines), key)


def test_the_file_of_a_sub_agent_is_joined_to_the_run_that_started_it() -> None:
    asked: list[str] = []

    def open_file(agent_id: str) -> Iterable[Record]:
        asked.append(agent_id)
        return make_records(make_sub_agent(*BELOW, agentId=agent_id))

    check_family(runs_of(read_session(make_records(DELEGATED), open_file)), "e1")
    assert asked == ["e1"]


def test_a_bad_line_in_the_file_of_a_sub_agent_is_named_with_it() -> None:
    lines = [*make_sub_agent(*BELOW), {"type": "user", "message": 7}]
    entries = list(read_session(make_records(DELEGATED), lambda _: make_records(lines)))
    assert faults_of(entries) == [("sub-agent e1, line 5", "message is a number; write an object whose keys are text")]
    assert len(entries) == 3


def test_a_sub_agent_that_names_itself_is_read_once() -> None:
    result = make_result("x", "toolu_t", "b3", toolUseResult={"agentId": "e1"})
    below = make_sub_agent(BELOW[0], make_answer(TASK, uuid="b2", message_id="msg_b"), result)
    runs = runs_of(read_session(make_records(DELEGATED), lambda _: make_records(below)))
    assert len(runs) == 2


@pytest.mark.parametrize("agent_id", ["../../../secret", "a/b", "", "x" * 300, "a\0b"])
def test_an_id_that_is_no_name_is_never_opened(agent_id: str) -> None:
    result = make_result("x", "toolu_t", toolUseResult={"agentId": agent_id})
    lines = [*DELEGATED[:2], result, DELEGATED[3]]
    assert len(runs_of(read_session(make_records(lines), lambda _: pytest.fail("it was opened")))) == 1


def test_the_file_of_a_sub_agent_by_itself_is_a_run() -> None:
    run = read_run(*make_sub_agent(*BELOW, agentId="e1"))
    assert (run.input, run.final_response, run.parent_agent_trace_id) == ("Find it", "It is in a.py", None)


def test_lines_of_unknown_types_are_counted_and_not_refused() -> None:
    (entry,) = read_session(make_records([*LIST_FILES, {"type": "new-thing", "sessionId": "s1"}]))
    assert isinstance(entry, Imported)
    assert entry.metadata["unknown_lines"] == {"new-thing": 1}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param(7, "the line is a number", id="a number"),
        pytest.param([], "the line is a list", id="a list"),
        pytest.param({}, "type is missing", id="no type"),
        pytest.param({"type": "user"}, "message is null", id="no message"),
        pytest.param(make_prompt(7), "message.content is neither text nor a list", id="content"),
        pytest.param({**make_prompt("x"), "timestamp": "noon"}, "timestamp is 'noon'", id="time"),
        pytest.param({**make_prompt("x"), "uuid": 7}, "uuid is a number", id="id"),
        pytest.param(
            make_answer(usage={"input_tokens": -1}), "message.usage.input_tokens is -1", id="tokens below zero"
        ),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_kept(line: Any, reason: str) -> None:
    entries = list(read_session(make_records([line, *LIST_FILES])))
    ((place, fault),) = faults_of(entries)
    assert (place, fault[: len(reason)]) == ("line 1", reason)
    assert isinstance(entries[1], Imported)
    assert entries[1].run == read_run(*LIST_FILES)


def test_a_line_that_was_cut_off_costs_only_itself() -> None:
    entries = list(read_session([*make_records(LIST_FILES), Record("line 5", fault="this is not JSON")]))
    assert faults_of(entries) == [("line 5", "this is not JSON")]
    assert len(entries) == 2


def test_a_session_that_begins_in_the_middle_of_a_run_keeps_it() -> None:
    run = read_run(*LIST_FILES[1:])
    assert (run.input, run.final_response, [made.result for made in run.tool_calls]) == (
        None,
        "There is a.txt.",
        ["a.txt"],
    )


STREAM: list[dict[str, Any]] = [
    {
        "type": "system",
        "subtype": "init",
        "session_id": "s2",
        "uuid": "i1",
        "cwd": "/p",
        "model": "claude-sonnet-4-5",
        "claude_code_version": "2.0.59",
        "tools": ["Bash", "Read"],
    },
    {"type": "stream_event", "session_id": "s2", "event": {}},
    {
        "type": "assistant",
        "session_id": "s2",
        "uuid": "x1",
        "parent_tool_use_id": None,
        "message": {"id": "m1", "role": "assistant", "model": "claude-sonnet-4-5", "content": [TASK], "usage": USAGE},
    },
    {
        "type": "user",
        "session_id": "s2",
        "uuid": "x2",
        "parent_tool_use_id": "toolu_t",
        "message": {"role": "user", "content": [say("Find it")]},
    },
    {
        "type": "assistant",
        "session_id": "s2",
        "uuid": "x3",
        "parent_tool_use_id": "toolu_t",
        "message": {
            "id": "m2",
            "role": "assistant",
            "model": "claude-haiku-4-5",
            "content": [say("a.py")],
            "usage": USAGE,
        },
    },
    {
        "type": "user",
        "session_id": "s2",
        "uuid": "x4",
        "parent_tool_use_id": None,
        "tool_use_result": {"totalDurationMs": 30},
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_t", "content": "a.py"}]},
    },
    {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "session_id": "s2",
        "uuid": "x5",
        "duration_ms": 5982,
        "num_turns": 2,
        "result": "In a.py.",
        "total_cost_usd": 0.068,
    },
]


def test_stream_json_has_its_totals_in_the_last_line() -> None:
    above, below = read_runs(*STREAM)
    assert (above.final_response, above.duration_ms, above.total_cost_usd) == ("In a.py.", 5982, 0.068)
    assert (above.input, above.session_id, above.agent_version) == (None, "s2", "2.0.59")
    assert [tool.name for tool in above.tool_definitions or ()] == ["Bash", "Read"]
    assert [(made.name, made.duration_ms) for made in above.tool_calls] == [("Task", 30)]
    assert (below.parent_agent_trace_id, below.input, below.final_response) == (above.agent_trace_id, "Find it", "a.py")


def test_stream_json_that_failed_says_why() -> None:
    failed = {**STREAM[6], "subtype": "error_max_turns", "is_error": True, "result": None}
    above, _ = read_runs(*STREAM[:6], failed)
    assert (above.error, above.final_response) == ("error_max_turns", None)


def test_prompts_that_stream_json_replays_begin_runs() -> None:
    replayed = {
        "type": "user",
        "isReplay": True,
        "session_id": "s2",
        "uuid": "p1",
        "parent_tool_use_id": None,
        "message": {"role": "user", "content": "Where is it?"},
    }
    above, _ = read_runs(STREAM[0], replayed, *STREAM[1:])
    assert (above.input, above.agent_trace_id) == ("Where is it?", make_id("p1"))


@pytest.mark.parametrize(
    ("value", "strength"),
    [
        pytest.param(LIST_FILES[0], 3, id="prompt"),
        pytest.param({"type": "summary", "leafUuid": "u"}, 3, id="summary"),
        pytest.param({"type": "queue-operation", "sessionId": "s"}, 3, id="queue"),
        pytest.param(STREAM[0], 3, id="init"),
        pytest.param(STREAM[2], 3, id="answer in a stream"),
        pytest.param(STREAM[6], 3, id="result"),
        pytest.param({"type": "file-history-snapshot"}, 1, id="snapshot"),
        pytest.param({"type": "user", "content": "x"}, 0, id="another system's message"),
        pytest.param({"type": "thread.started", "thread_id": "t"}, 0, id="Codex"),
        pytest.param(7, 0, id="a number"),
    ],
)
def test_sessions_are_recognised_by_their_fields(value: Any, strength: int) -> None:
    assert KIND.claim(Record("line 1", value)).strength == strength


def test_a_long_session_takes_the_memory_of_a_turn() -> None:
    def make_turns() -> Iterator[Record]:
        for turn in range(300):
            lines = [
                make_prompt("x" * 10_000, f"u{turn}"),
                make_answer(call(call_id=f"c{turn}"), uuid=f"a{turn}", message_id=f"m{turn}"),
                make_result("y" * 10_000, f"c{turn}", f"r{turn}"),
                make_answer(say("z"), uuid=f"b{turn}", message_id=f"n{turn}"),
            ]
            yield from make_records(lines)

    tracemalloc.start()
    try:
        count = sum(1 for _ in read_session(make_turns()))
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 300
    assert most_bytes < 1_500_000


def test_a_call_without_an_id_or_with_text_as_input_is_kept() -> None:
    block = {"type": "tool_use", "name": "Bash", "input": "ls"}
    run = read_run(make_prompt("go"), make_answer(block))
    assert [(made.id, made.args, made.args_text) for made in run.tool_calls] == [(None, None, "ls")]
    assert run.messages[1].parts == (ToolCallPart(name="Bash", arguments="ls"),)
