"""Every recording, assembled and compared with what its tools, its model and its driver wrote down themselves."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pytest
from tests.support.recordings import RECORDINGS, Recording

from tracegrade.collector.assembly import assemble
from tracegrade.evaluators.model import AgentTrace, ToolCall

WITHOUT_TOOL_SPANS = {
    "haystack",
    "openai-genai",
    "openai-genai-events",
    "openai-genai-noroot",
    "openai-genai-responses",
    "openai-v2-latest",
}
"""Calls are seen only in what the model is told next: that one failed is not."""

SILENT_ON_TOOLS = {
    "openai-genai-noroot": "each model call is a trace of its own: no trace holds both a call and its answer",
    "openai-genai-s1_default_capture": "neither tool spans nor messages",
}
WITHOUT_CONTENT = {"langgraph-traceloop-nocontent"}
UNNAMED_AGENTS = {"crewai-s8_handoff", "haystack-s8_handoff"}
"""The agent that was handed the work has no span of its own."""

ARGUMENTS_CHANGED_ON_THE_WAY = {"crewai-s6_bad_args": "the framework drops a parameter that the tool does not have"}
TOOLS_TOLD = [one for one in RECORDINGS if not {one.framework, str(one)} & SILENT_ON_TOOLS.keys()]
WHOLE = [one for one in TOOLS_TOLD if one.framework not in WITHOUT_CONTENT]
IN_A_SESSION = [one for one in WHOLE if one.truth["session_id"]]


@cache
def runs(recording: Recording) -> Sequence[AgentTrace]:
    return [run for trace_id, spans in recording.spans.items() for run in assemble(spans, recording.logs_of(trace_id))]


def calls(recording: Recording, *, name: str | None = None) -> list[ToolCall]:
    """The calls that are told as executed, each in the run that made it."""
    own = [call for run in runs(recording) for call in run.tool_calls if call.child_agent_trace_id is None]
    told = [call for call in own if call.status != "not_executed"]
    return told if name is None else [call for call in told if call.name == name]


def executed(recording: Recording) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = recording.truth["tool_calls"]
    return found


def asked(recording: Recording) -> Counter[str]:
    """How often the model asked for each tool."""
    answers = [(call["response"] or {}).get("tool_calls") for call in recording.truth.get("llm_calls", ())]
    return Counter(
        call["name"] for answer in [*answers, *recording.truth.get("llm_tool_calls", ())] for call in answer or ()
    )


def holds(result: str | None, truth: object) -> bool:
    """Whether a result is that of the tool, as text or as JSON."""
    if result is None:
        return False
    try:
        return bool(result == truth or json.loads(result) == truth)
    except ValueError:
        return False


def test_recordings_are_there() -> None:
    assert len(RECORDINGS) > 100
    assert len({one.framework for one in RECORDINGS}) == 25


@pytest.mark.parametrize("recording", RECORDINGS, ids=str)
def test_every_recording_holds_a_run(recording: Recording) -> None:
    assert runs(recording)


@pytest.mark.parametrize("recording", TOOLS_TOLD, ids=str)
def test_every_executed_call_is_told(recording: Recording) -> None:
    ran = Counter(call["name"] for call in executed(recording))
    assert ran <= Counter(call.name for call in calls(recording))


@pytest.mark.parametrize("recording", RECORDINGS, ids=str)
def test_no_call_is_told_more_often_than_it_ran_or_was_asked_for(recording: Recording) -> None:
    ran: Counter[str] = Counter(call["name"] for call in executed(recording))
    assert Counter(call.name for call in calls(recording)) <= ran | asked(recording)


@pytest.mark.parametrize("recording", RECORDINGS, ids=str)
def test_no_call_is_told_twice(recording: Recording) -> None:
    by_id = Counter(
        (run.agent_trace_id, call.id, call.name) for run in runs(recording) for call in run.tool_calls if call.id
    )
    own = [call for run in runs(recording) for call in run.tool_calls if call.child_agent_trace_id is None]
    by_span = Counter(call.span_id for call in own if call.span_id)
    assert {*by_id.values(), *by_span.values()} <= {1}


@pytest.mark.parametrize("recording", RECORDINGS, ids=str)
def test_run_of_a_whole_recording_is_complete(recording: Recording) -> None:
    assert {run.completeness for run in runs(recording)} == {"complete"}


@pytest.mark.parametrize("recording", [one for one in WHOLE if str(one) not in ARGUMENTS_CHANGED_ON_THE_WAY], ids=str)
def test_arguments_are_those_the_tool_was_called_with_though_defaults_may_be_missing(recording: Recording) -> None:
    for truth in executed(recording):
        told = [call.args for call in calls(recording, name=truth["name"]) if call.args]
        passed = truth.get("args_bound_without_defaults", {})
        assert any(passed.items() <= args.items() <= truth["args"].items() for args in told)


@pytest.mark.parametrize("recording", WHOLE, ids=str)
def test_results_are_those_the_tool_gave(recording: Recording) -> None:
    for truth in executed(recording):
        told = calls(recording, name=truth["name"])
        assert truth["error"] or any(holds(call.result, truth["result"]) for call in told)


@pytest.mark.parametrize("recording", [one for one in WHOLE if one.framework not in WITHOUT_TOOL_SPANS], ids=str)
def test_call_that_failed_is_told_as_failed(recording: Recording) -> None:
    failed = Counter(call["name"] for call in executed(recording) if call["error"])
    assert failed <= Counter(call.name for call in calls(recording) if call.status == "error")


@pytest.mark.parametrize("recording", WHOLE, ids=str)
def test_tool_span_lasts_as_long_as_its_tool_ran(recording: Recording) -> None:
    for truth in executed(recording):
        told = [call.duration_ms for call in calls(recording, name=truth["name"]) if call.duration_ms is not None]
        assert not told or any(-1 <= one - truth["duration_ms"] <= 250 for one in told)


@pytest.mark.parametrize("recording", WHOLE, ids=str)
def test_runs_say_what_the_user_asked(recording: Recording) -> None:
    told = {(run.input or "").strip() for run in runs(recording)}
    assert {text.strip() for text in recording.truth["user_inputs"]} <= told


@pytest.mark.parametrize("recording", WHOLE, ids=str)
def test_runs_say_what_the_agent_answered(recording: Recording) -> None:
    told = [(run.final_response or "").strip() for run in runs(recording)]
    for answer in filter(None, recording.truth["final_responses"]):
        assert any(text == answer.strip() if isinstance(answer, str) else holds(text, answer) for text in told)


@pytest.mark.parametrize("recording", IN_A_SESSION, ids=str)
def test_turns_of_a_conversation_share_its_session(recording: Recording) -> None:
    tops = {run.session_id for run in runs(recording) if run.parent_agent_trace_id is None}
    assert tops == {recording.truth["session_id"]}


@pytest.mark.parametrize("recording", [one for one in WHOLE if str(one) not in UNNAMED_AGENTS], ids=str)
def test_agents_are_named(recording: Recording) -> None:
    assert set(recording.truth["agent_names"]) <= {run.agent_name for run in runs(recording)}


@pytest.mark.parametrize("recording", [one for one in WHOLE if one.truth.get("llm_calls")], ids=str)
def test_model_calls_and_tokens_are_those_the_model_counted(recording: Recording) -> None:
    truth = [call["response"] or {} for call in recording.truth["llm_calls"]]
    told = [call for run in runs(recording) for call in run.llm_calls]
    assert len(told) == len(truth)
    for count in ("input_tokens", "output_tokens"):
        known = [value for call in told if (value := getattr(call, count)) is not None]
        assert sum(known) == sum(answer.get(count) or 0 for answer in truth)
