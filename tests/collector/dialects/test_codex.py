from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.assembly.assemble import assemble
from tracegrade.collector.spans.span import Event, Span
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import AgentTrace


def event(name: str, *, is_log: bool = True, **attributes: Any) -> Event:
    span_attributes = {key.replace("__", "."): value for key, value in attributes.items()}
    return Event("event otel/src/lib.rs:1", 1, {"event.name": f"codex.{name}", **span_attributes}, is_log=is_log)


def result(**attributes: Any) -> Event:
    recorded = {
        "tool_name": "shell",
        "call_id": "c1",
        "arguments": '{"cmd": "ls"}',
        "output": "a.py",
        "success": "true",
    }
    return event("tool_result", **{**recorded, **attributes})


def span(number: int, name: str, *, attributes: Mapping[str, Any] | None = None, **more: Any) -> Span:
    return agent_spans.span(number, name=name, attributes=attributes, scope_name="codex_cli_rs", **more)


def read(name: str, *events: Event, **attributes: Any) -> Step | None:
    span_attributes = {key.replace("__", "."): value for key, value in attributes.items()}
    reading = dialects.read(span(1, name, attributes=span_attributes, events=events))
    assert reading is None or reading[0] == "codex"
    return reading[1] if reading else None


def step(name: str, *events: Event, **attributes: Any) -> Step:
    return require_step(read(name, *events, **attributes))


def run_of(*spans: Span) -> AgentTrace:
    (run,) = assemble(spans)
    return run


@pytest.mark.parametrize("name", ["codex.exec", "handle_responses", "append_items", "session_task.compact"])
def test_functions_of_the_program_give_structure(name: str) -> None:
    assert read(name) is None


def test_span_that_is_only_scored_is_not_a_tool_call() -> None:
    assert read("guardian_scoring_observation", tool_name="shell", call_id="c1") is None


def test_tool_is_called_once_though_two_spans_record_it() -> None:
    run = run_of(
        span(1, "session_task.turn", for_s=9),
        span(2, "shell", parent=1, attributes={"tool_name": "shell", "call_id": "c1", "aborted": False}),
        span(3, "dispatch_tool_call", parent=2, events=(result(),)),
    )

    (call,) = run.tool_calls
    assert (call.id, call.name, call.args, call.result, call.status) == ("c1", "shell", {"cmd": "ls"}, "a.py", "ok")


def test_tool_of_a_namespace_is_named_as_the_model_names_it() -> None:
    ready = event("tool_result_ready", tool_name="search", tool_namespace="mcp__travel")
    run = run_of(
        span(1, "session_task.turn", for_s=9),
        span(
            2,
            "mcp__travelsearch",
            parent=1,
            attributes={"tool_name": "mcp__travelsearch", "call_id": "c1", "aborted": False},
            events=(ready,),
        ),
        span(3, "dispatch_tool_call", parent=2, events=(result(tool_name="search"),)),
    )

    assert [call.name for call in run.tool_calls] == ["search"]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (step("dispatch", result(success="false", output="no such file")), "no such file"),
        (step("shell", tool_name="shell", call_id="c1", aborted=True), "aborted"),
        (step("dispatch", result(success="false", output="")), "error"),
    ],
    ids=["failed", "aborted", "failed without output"],
)
def test_tool_that_did_not_succeed_is_an_error(call: Step, error: str) -> None:
    assert call.error == error


def test_without_log_records_arguments_and_results_are_not_recorded() -> None:
    record = event("tool_result", is_log=False, tool_name="shell", call_id="c1", success="true", arguments_length=14)
    run = run_of(span(1, "session_task.turn", for_s=9), span(2, "dispatch_tool_call", parent=1, events=(record,)))

    assert [(call.name, call.args, call.result) for call in run.tool_calls] == [("shell", None, None)]
    assert {"tool_arguments_not_captured", "tool_results_not_captured"} <= {*run.gaps}


@pytest.mark.parametrize("place", [1, 3], ids=["above the turn", "within the turn"])
def test_prompt_is_the_input_wherever_it_was_logged(place: int) -> None:
    prompt = event("user_prompt", prompt="List the files", conversation__id="s-1", user__email="a@b.example")
    places = {1: ("op.dispatch.user_input", None), 2: ("session_task.turn", 1), 3: ("run_hooks", 2)}
    run = run_of(
        *(
            span(number, name, parent=parent, for_s=9, events=(prompt,) if number == place else ())
            for number, (name, parent) in places.items()
        )
    )

    assert (run.input, run.session_id, run.user_id) == ("List the files", "s-1", "a@b.example")


def test_prompt_that_was_left_out_is_a_gap() -> None:
    turn = step("session_task.turn", event("user_prompt", prompt="[REDACTED]"))

    assert (turn.input, turn.gaps) == (None, ("redacted",))


def test_tokens_of_a_response_are_those_of_the_request_around_it() -> None:
    run = run_of(
        span(1, "session_task.turn", for_s=9, attributes={"codex.turn.token_usage.input_tokens": 10}),
        span(2, "try_run_sampling_request", parent=1, for_s=5, attributes={"model": "gpt-5"}),
        span(3, "handle_responses", parent=2, attributes={"gen_ai.usage.input_tokens": 10}),
    )

    assert [(call.request_model, call.input_tokens, call.duration_ms) for call in run.llm_calls] == [
        ("gpt-5", 10, 5000)
    ]
    assert run.input_tokens == 10


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("session_task.turn", "codex.turn.token_usage.cache_write_input_tokens"),
        ("handle_responses", "gen_ai.usage.cache_write.input_tokens"),
    ],
)
def test_tokens_written_to_the_cache_are_counted(name: str, key: str) -> None:
    assert step(name, **{"gen_ai.usage.input_tokens": 1000, key: "384"}).usage.cache_write_input_tokens == 384


def test_answers_are_recorded_nowhere() -> None:
    run = run_of(span(1, "session_task.turn", for_s=9), span(2, "try_run_sampling_request", parent=1))

    assert run.final_response is None
    assert "content_not_captured" in run.gaps


def log(name: str, **attributes: Any) -> dict[str, Any]:
    record = event(name, **attributes)
    return {
        "trace_id": "ab" * 16,
        "span_id": None,
        "event_name": record.name,
        "time_ns": 1,
        "service_name": "codex_cli_rs",
        "scope_name": "codex_otel.log_only",
        "body": None,
        "attributes": json.dumps(record.attributes),
    }


def test_log_records_without_any_span_are_a_partial_run() -> None:
    records = [
        log("user_prompt", prompt="List the files", conversation__id="s-1"),
        log(
            "sse_event", event__kind="response.completed", model="gpt-5", input_token_count="90", output_token_count="4"
        ),
        log("tool_result", tool_name="shell", call_id="c1", arguments='{"cmd": "ls"}', output="a.py", success="true"),
        log(
            "sse_event", event__kind="response.completed", model="gpt-5", input_token_count="10", output_token_count="1"
        ),
    ]
    (run,) = assemble([], records)

    assert (run.input, run.session_id, run.model, run.completeness) == ("List the files", "s-1", "gpt-5", "partial")
    assert (run.input_tokens, run.output_tokens) == (100, 5)
    assert "content_not_captured" in run.gaps
    assert [(call.name, call.args, call.result, call.status) for call in run.tool_calls] == [
        ("shell", {"cmd": "ls"}, "a.py", "ok")
    ]


def test_log_records_that_no_dialect_reads_alone_are_no_run() -> None:
    assert assemble([], [{**log("user_prompt", prompt="Hi"), "scope_name": "my.application"}]) == []


@pytest.mark.parametrize("value", [7, ["x"], {"a": 1}, '{"cmd": "l'], ids=["number", "list", "object", "cut off"])
def test_odd_values_make_no_exception(value: Any) -> None:
    call = step("dispatch", result(arguments=value, output=value, success=value))

    assert call.tool_name == "shell"
