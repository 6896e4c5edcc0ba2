"""Rollouts of Codex become a run for each turn, with those of sub-agents joined."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.support.session_logs import faults_of, make_records, runs_of

from tracegrade.evaluators.formats.codex.kind import KIND
from tracegrade.evaluators.formats.codex.rollout import read_rollout
from tracegrade.evaluators.formats.imported import Imported
from tracegrade.evaluators.formats.record import Record
from tracegrade.evaluators.formats.run_id import make_run_id
from tracegrade.evaluators.model import AgentTrace, ReasoningPart, TextPart, ToolCallPart


def make_line(sort: str, second: int, payload: Any, **fields: Any) -> dict[str, Any]:
    return {"timestamp": f"2025-10-01T10:00:{second:02d}.000Z", "type": sort, "payload": payload, **fields}


def make_item(kind: str, second: int = 2, **fields: Any) -> dict[str, Any]:
    return make_line("response_item", second, {"type": kind, **fields})


def make_event(kind: str, second: int = 5, **fields: Any) -> dict[str, Any]:
    return make_line("event_msg", second, {"type": kind, **fields})


def say(role: str, text: str, second: int = 1) -> dict[str, Any]:
    sort = "output_text" if role == "assistant" else "input_text"
    return make_item("message", second, role=role, content=[{"type": sort, "text": text}])


def call(name: str = "shell", call_id: str = "call_1", second: int = 2, **arguments: Any) -> dict[str, Any]:
    return make_item("function_call", second, name=name, arguments=json.dumps(arguments), call_id=call_id)


def answer(output: Any, call_id: str = "call_1", second: int = 3) -> dict[str, Any]:
    return make_item("function_call_output", second, call_id=call_id, output=output)


def count_tokens(**info: Any) -> dict[str, Any]:
    return make_event("token_count", 4, info=info)


META = make_line(
    "session_meta",
    0,
    {
        "id": "0199",
        "timestamp": "2025-10-01T10:00:00.000Z",
        "cwd": "/p",
        "originator": "codex_cli_rs",
        "cli_version": "0.46.0",
        "source": "cli",
        "model_provider": "openai",
    },
)
CONTEXT = make_line("turn_context", 1, {"cwd": "/p", "model": "gpt-5-codex", "effort": "medium", "summary": "auto"})
USAGE = {
    "input_tokens": 900,
    "cached_input_tokens": 700,
    "output_tokens": 30,
    "reasoning_output_tokens": 10,
    "total_tokens": 930,
}
OLDER_OUTPUT = '{"output":"a.txt\\n","metadata":{"exit_code":0,"duration_seconds":0.1}}'
LIST_FILES = [
    META,
    CONTEXT,
    say("user", "<environment_context>\n<cwd>/p</cwd></environment_context>"),
    say("user", "List files"),
    call(command=["ls"]),
    answer(OLDER_OUTPUT),
    say("assistant", "a.txt", 4),
    count_tokens(last_token_usage=USAGE),
]


def make_id(key: str) -> str:
    return make_run_id("codex", key)


def read_runs(*lines: Any) -> list[AgentTrace]:
    return runs_of(read_rollout(make_records(lines)))


def read_run(*lines: Any) -> AgentTrace:
    (run,) = read_runs(*lines)
    return run


def test_a_prompt_begins_a_run_with_its_calls_results_and_tokens() -> None:
    (entry,) = read_rollout(make_records(LIST_FILES))
    assert isinstance(entry, Imported)
    assert entry.run is not None
    run = entry.run
    (made,) = run.tool_calls
    assert (made.name, made.args, made.id, made.result) == ("shell", {"command": ["ls"]}, "call_1", OLDER_OUTPUT)
    assert (made.status, made.duration_ms, made.metadata) == ("ok", 100, {"exit_code": 0})
    assert (run.input, run.final_response, run.session_id) == ("List files", "a.txt", "0199")
    assert (run.agent_name, run.agent_version, run.provider_name) == ("codex", "0.46.0", "openai")
    assert (run.input_tokens, run.cached_input_tokens, run.output_tokens) == (900, 700, 30)
    assert run.started_at == datetime(2025, 10, 1, 10, 0, 1, tzinfo=UTC)
    assert run.duration_ms == 3000
    assert entry.place == "line 4"
    assert entry.metadata["cwd"] == "/p"
    assert [message.role for message in run.messages] == ["user", "user", "assistant", "tool", "assistant"]


def test_a_response_ends_with_its_tokens_or_before_the_item_after_an_output() -> None:
    run = read_run(*LIST_FILES)
    first, second = run.llm_calls
    assert (first.input_tokens, second.input_tokens, second.reasoning_tokens) == (None, 900, 10)
    assert [message.span_id for message in run.messages if message.role == "assistant"] == [
        first.span_id,
        second.span_id,
    ]
    assert (second.model, second.request_model) == ("gpt-5-codex", "gpt-5-codex")


def test_tokens_that_arrive_after_the_output_of_a_tool_are_of_the_response_before_it() -> None:
    run = read_run(
        CONTEXT,
        say("user", "go"),
        call(),
        answer("ok"),
        count_tokens(last_token_usage=USAGE),
        say("assistant", "done"),
        count_tokens(last_token_usage={**USAGE, "output_tokens": 5}),
    )
    assert [each.output_tokens for each in run.llm_calls] == [30, 5]


def test_tokens_that_are_repeated_count_once() -> None:
    assert read_run(*LIST_FILES, LIST_FILES[-1]).input_tokens == 900


def test_tokens_of_all_responses_so_far_give_those_of_the_last() -> None:
    run = read_run(
        say("user", "go"),
        call(),
        count_tokens(total_token_usage={"input_tokens": 100, "output_tokens": 10}),
        answer("ok"),
        say("assistant", "done"),
        count_tokens(total_token_usage={"input_tokens": 250, "output_tokens": 15}),
    )
    assert [(each.input_tokens, each.output_tokens) for each in run.llm_calls] == [(100, 10), (150, 5)]


def test_items_of_one_response_are_one_message() -> None:
    reasoning = make_item("reasoning", summary=[{"type": "summary_text", "text": "Hm."}], encrypted_content="x")
    run = read_run(say("user", "go"), reasoning, say("assistant", "I look."), call(x=1), answer("ok"))
    assert run.messages[1].parts == (
        ReasoningPart(content="Hm."),
        TextPart(content="I look."),
        ToolCallPart(id="call_1", name="shell", arguments={"x": 1}),
    )
    assert run.reasoning_steps == ("Hm.",)


def make_turn(turn_id: str, prompt: str, response: str, **complete: Any) -> list[dict[str, Any]]:
    return [
        make_event("task_started", 1, turn_id=turn_id),
        make_line("turn_context", 1, {"turn_id": turn_id, "model": "gpt-5.4"}),
        say("user", prompt),
        say("assistant", response, 4),
        make_event("task_complete", 6, turn_id=turn_id, last_agent_message=response, **complete),
    ]


def test_each_turn_is_a_run_with_the_id_of_the_turn() -> None:
    runs = read_runs(META, *make_turn("t1", "One?", "Yes", duration_ms=4321), *make_turn("t2", "Two?", "No"))
    assert [(run.agent_trace_id, run.input, run.final_response, run.duration_ms) for run in runs] == [
        (make_id("t1"), "One?", "Yes", 4321),
        (make_id("t2"), "Two?", "No", 5000),
    ]


def test_without_turns_each_prompt_after_an_answer_is_a_run() -> None:
    runs = read_runs(META, say("user", "One?"), say("assistant", "Yes"), say("user", "Two?", 7), say("assistant", "No"))
    assert [(run.input, run.agent_trace_id) for run in runs] == [
        ("One?", make_id("0199:2025-10-01T10:00:01+00:00")),
        ("Two?", make_id("0199:2025-10-01T10:00:07+00:00")),
    ]


def test_what_the_user_writes_while_the_agent_works_is_part_of_the_turn() -> None:
    turn = make_turn("t1", "One?", "Yes")
    run = read_run(*turn[:3], call(), answer("ok"), say("user", "Be quick"), *turn[3:])
    assert run.input == "One?"
    assert [message.text for message in run.messages if message.role == "user"] == ["One?", "Be quick"]


def test_an_interrupted_turn_has_no_response_and_a_failed_one_its_error() -> None:
    (entry,) = read_rollout(make_records([say("user", "go"), call(), make_event("turn_aborted", reason="interrupted")]))
    assert isinstance(entry, Imported)
    assert entry.run is not None
    assert (entry.run.final_response, entry.run.completeness) == (None, "complete")
    assert entry.metadata["interrupted"] is True
    assert entry.run.tool_calls[0].status is None
    failed = read_run(say("user", "go"), make_event("error", message="stream disconnected"))
    assert (failed.error, failed.final_response) == ("stream disconnected", None)


def test_a_turn_that_goes_on_has_another_id_than_when_it_is_done() -> None:
    turn = make_turn("t1", "One?", "Yes")
    open_run = read_run(*turn[:3], call())
    assert (open_run.completeness, open_run.agent_trace_id) == (
        "partial",
        make_id("t1@2025-10-01T10:00:02+00:00"),
    )
    assert read_run(*turn).agent_trace_id == make_id("t1")


EXEC_OUTPUT = (
    "Chunk ID: 1\nWall time: 0.05 seconds\nProcess exited with code 2\nOriginal token count: 9\nOutput:\nno such file"
)


@pytest.mark.parametrize(
    ("output", "result", "status", "duration_ms"),
    [
        pytest.param("a.txt", "a.txt", "ok", None, id="text"),
        pytest.param(
            [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "x"}],
            "a\n[image]",
            "ok",
            None,
            id="parts",
        ),
        pytest.param("Exit code: 1\nWall time: 2 seconds\nOutput:\nno", None, "error", 2000, id="text with a head"),
        pytest.param(EXEC_OUTPUT, None, "error", 50, id="text with another head"),
        pytest.param("Exit code: 1 in a log", None, "ok", None, id="text that only looks like it"),
        pytest.param(
            OLDER_OUTPUT.replace('"exit_code":0', '"exit_code":127'), None, "error", 100, id="JSON that failed"
        ),
        pytest.param({"content": "no", "success": False}, "no", "error", None, id="object"),
        pytest.param("", "", "ok", None, id="empty"),
    ],
)
def test_outputs_say_whether_a_call_failed_and_how_long_it_took(
    output: Any, result: str | None, status: str, duration_ms: float | None
) -> None:
    (made,) = read_run(say("user", "go"), call(), answer(output)).tool_calls
    assert made.result == (output if result is None else result)
    assert (made.status, made.duration_ms) == (status, duration_ms)


def test_events_that_end_a_call_say_how_long_it_took() -> None:
    ended = make_event("exec_command_end", call_id="call_1", exit_code=0, duration={"secs": 1, "nanos": 500_000_000})
    (made,) = read_run(say("user", "go"), call(), ended, answer("ok")).tool_calls
    assert (made.duration_ms, made.metadata, made.result) == (1500, {"exit_code": 0}, "ok")


@pytest.mark.parametrize(
    ("item", "name", "arguments"),
    [
        pytest.param(
            make_item("custom_tool_call", call_id="c", name="apply_patch", input="*** Begin Patch"),
            "apply_patch",
            "*** Begin Patch",
            id="free text",
        ),
        pytest.param(
            make_item("local_shell_call", call_id="c", status="completed", action={"type": "exec", "command": ["ls"]}),
            "local_shell",
            {"type": "exec", "command": ["ls"]},
            id="local shell",
        ),
        pytest.param(
            make_item("web_search_call", id="w", status="completed", action={"type": "search", "query": "x"}),
            "web_search",
            {"type": "search", "query": "x"},
            id="web search",
        ),
        pytest.param(
            make_item("function_call", call_id="c", name="f", arguments="not JSON"), "f", "not JSON", id="no JSON"
        ),
    ],
)
def test_calls_of_all_kinds_are_calls(item: dict[str, Any], name: str, arguments: Any) -> None:
    (made,) = read_run(say("user", "go"), item).tool_calls
    assert (made.name, made.args_text if made.args is None else made.args) == (name, arguments)


def test_a_search_that_the_provider_ran_has_its_status() -> None:
    item = make_item("web_search_call", id="w", status="completed", action={"type": "search", "query": "x"})
    assert read_run(say("user", "go"), item).tool_calls[0].status == "ok"


def test_the_first_rollouts_have_items_alone() -> None:
    meta, _, _, prompt, request, output, response, _ = [line["payload"] for line in LIST_FILES]
    run = read_run(meta, {"record_type": "state"}, prompt, request, output, response)
    assert (run.input, run.final_response, run.session_id) == ("List files", "a.txt", "0199")
    assert [made.result for made in run.tool_calls] == [OLDER_OUTPUT]
    assert (run.started_at, run.duration_ms) == (None, None)


def test_a_fork_names_the_turns_of_its_parent_as_the_parent_does() -> None:
    parent = [META, *make_turn("t1", "One?", "Yes")]
    fork_meta = make_line("session_meta", 9, {**META["payload"], "id": "01aa", "forked_from_id": "0199"})
    forked = read_runs(fork_meta, *parent, *make_turn("t2", "Two?", "No"))
    assert [run.agent_trace_id for run in forked] == [make_id("t1"), make_id("t2")]
    assert {run.session_id for run in forked} == {"01aa"}


CHILD_META = make_line(
    "session_meta",
    0,
    {
        "id": "01bb",
        "source": {"subagent": {"thread_spawn": {"parent_thread_id": "0199", "agent_role": "explorer", "depth": 1}}},
    },
)
CHILD = [CHILD_META, *make_turn("c1", "Find it", "In a.py")]
SPAWN = [
    META,
    *make_turn("t1", "Where?", "x")[:3],
    call("spawn_agent", "call_s", message="Find it"),
    answer('{"agent_id":"01bb","nickname":"Atlas"}', "call_s"),
    say("assistant", "In a.py", 5),
    make_event("task_complete", 6, turn_id="t1"),
]


def test_the_rollout_of_a_sub_agent_is_joined_to_the_run_that_started_it() -> None:
    asked: list[str] = []

    def open_thread(name: str) -> Iterable[Record]:
        asked.append(name)
        return make_records([*CHILD[:4], call("grep", "call_g"), answer("a.py", "call_g"), *CHILD[4:]])

    above, below = runs_of(read_rollout(make_records(SPAWN), open_thread))
    assert asked == ["01bb"]
    assert [(made.name, made.child_agent_trace_id) for made in above.tool_calls] == [
        ("spawn_agent", None),
        ("grep", below.agent_trace_id),
    ]
    assert (below.agent_name, below.parent_agent_trace_id, below.input) == (
        "explorer",
        make_id("t1"),
        "Find it",
    )
    assert below.trace_id == above.trace_id
    assert above.total_tool_call_count == 2


def test_a_sub_agent_that_names_itself_is_read_once() -> None:
    below = [*CHILD[:4], call("spawn_agent", "call_s"), answer('{"agent_id":"01bb"}', "call_s"), *CHILD[4:]]
    assert len(runs_of(read_rollout(make_records(SPAWN), lambda _: make_records(below)))) == 2


def test_a_sub_agent_skips_the_history_of_its_parent() -> None:
    meta = make_line("session_meta", 0, {"id": "01bb", "subagent_history_start_ordinal": 2})
    copied = {**say("user", "Parent's question"), "ordinal": 1}
    run = read_run(meta, copied, {**say("user", "Find it"), "ordinal": 2}, {**say("assistant", "ok"), "ordinal": 3})
    assert [message.text for message in run.messages] == ["Find it", "ok"]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(make_line("compacted", 1, {"message": "summary"}), id="compacted"),
        pytest.param(make_line("world_state", 1, {}), id="state"),
        pytest.param(make_event("agent_message", message="a.txt"), id="repeated message"),
        pytest.param(make_item("ghost_snapshot"), id="snapshot"),
        pytest.param(say("user", "<user_instructions>\nx</user_instructions>"), id="instructions"),
        pytest.param(say("user", "# AGENTS.md instructions for /p"), id="AGENTS.md"),
        pytest.param(make_line("session_meta", 1, {"id": "other"}), id="another session's beginning"),
    ],
)
def test_lines_that_are_no_prompt_begin_no_run(line: dict[str, Any]) -> None:
    (run,) = read_runs(*LIST_FILES, line)
    assert (run.input, run.final_response, run.session_id) == ("List files", "a.txt", "0199")


def test_lines_of_unknown_types_are_counted_and_not_refused() -> None:
    (entry,) = read_rollout(make_records([make_line("new_thing", 1, {}), *LIST_FILES]))
    assert isinstance(entry, Imported)
    assert entry.metadata["unknown_lines"] == {"new_thing": 1}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param(7, "the line is a number", id="a number"),
        pytest.param({}, "payload is missing", id="no payload"),
        pytest.param({"payload": {}}, "type is missing", id="no type"),
        pytest.param(make_line("response_item", 1, []), "payload is a list", id="payload"),
        pytest.param({**META, "timestamp": "noon"}, "timestamp is 'noon'", id="time"),
        pytest.param(make_item("function_call", arguments="{}"), "payload.name is missing", id="no name"),
        pytest.param(make_item("message", content="x"), "payload.role is missing", id="no role"),
        pytest.param(
            count_tokens(last_token_usage={"input_tokens": -1}),
            "",
            id="tokens before a run are nobody's",
        ),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_kept(line: Any, reason: str) -> None:
    entries = list(read_rollout(make_records([line, *LIST_FILES])))
    found = faults_of(entries)
    assert [(place, fault[: len(reason)]) for place, fault in found] == ([("line 1", reason)] if reason else [])
    (run,) = [entry.run for entry in entries if isinstance(entry, Imported)]
    assert run is not None
    assert (run.input, run.final_response) == ("List files", "a.txt")


def test_tokens_that_are_no_count_are_named() -> None:
    bad = count_tokens(last_token_usage={"input_tokens": -1})
    entries = list(read_rollout(make_records([*LIST_FILES[:-1], bad])))
    assert faults_of(entries) == [
        ("line 8", "payload.info.last_token_usage.input_tokens is -1; write a whole number from 0")
    ]


@pytest.mark.parametrize(
    ("value", "strength"),
    [
        pytest.param(META, 3, id="session"),
        pytest.param(LIST_FILES[3], 3, id="item"),
        pytest.param({"type": "thread.started", "thread_id": "t"}, 3, id="exec"),
        pytest.param({"id": "x", "timestamp": "t", "instructions": None}, 2, id="first rollouts"),
        pytest.param({"type": "function_call", "name": "f", "call_id": "c"}, 1, id="item alone"),
        pytest.param({"type": "user", "sessionId": "s"}, 0, id="Claude Code"),
        pytest.param({"role": "user", "content": "x"}, 0, id="OpenAI"),
    ],
)
def test_sessions_are_recognised_by_their_fields(value: Any, strength: int) -> None:
    assert KIND.claim(Record("line 1", value)).strength == strength


def test_a_long_session_takes_the_memory_of_a_turn() -> None:
    def make_turns() -> Iterator[Record]:
        for turn in range(300):
            lines = make_turn(f"t{turn}", "x" * 10_000, "done")
            yield from make_records(
                [*lines[:3], call(call_id=f"c{turn}"), answer("y" * 10_000, f"c{turn}"), *lines[3:]]
            )

    tracemalloc.start()
    try:
        count = sum(1 for _ in KIND.read(make_turns()))
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 300
    assert most_bytes < 1_500_000
