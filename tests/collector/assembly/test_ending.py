from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.assembled_runs import assemble_outermost
from tests.support.recordings import RECORDINGS

from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Span

ASKED = agent_spans.text_message("user", "Book a hotel")
CALL = agent_spans.tool_call_message(("call_1", "search", {"to": "Paris"}))
ANSWER = agent_spans.text_message("assistant", "Booked.")
FAILED: dict[str, Any] = {"status_code": "error", "status_message": "no rooms"}


def model(number: int, *, at_s: float, says: Sequence[Any] | None = None, parent: int = 1, **more: Any) -> Span:
    return agent_spans.chat(number, parent=parent, at_s=at_s, hears=[ASKED], says=says, **more)


def workflow(number: int, **more: Any) -> Span:
    return agent_spans.span(number, attributes={"gen_ai.operation.name": "invoke_workflow"}, **more)


@pytest.mark.parametrize(
    ("framework", "scenario", "error"),
    [
        ("genkit-agent", "s2_tool_error", "HotelUnavailableError: Hotel inventory service unavailable (503)"),
        ("google-genai", "s6_bad_args", "KeyError: 'cancel_flight'"),
        ("langgraph-openinference", "s2c_tool_crash", "RuntimeError: hotel backend unavailable: HTTP 503"),
        ("langgraph-traceloop", "s2c_tool_crash", "RuntimeError: hotel backend unavailable: HTTP 503"),
        ("openai-agents-logfire", "s6_bad_args", "Tool not found: cancel_flight"),
        ("openai-agents-openinference", "s6d_unknown_tool", "Tool not found: cancel_flight"),
        ("openai-agents-openinference-old", "s6_bad_args", "Tool not found: cancel_flight"),
        ("openai-genai", "s11_llm_error", "RateLimitError: Error code: 429 - Rate limit reached (scripted)"),
    ],
)
def test_recorded_crash_is_the_error_of_the_run(framework: str, scenario: str, error: str) -> None:
    [recording] = [one for one in RECORDINGS if (one.framework, one.scenario) == (framework, scenario)]
    errors = [run.error for spans in recording.spans.values() for run in assemble(spans)]

    assert errors == [error]


@pytest.mark.parametrize("recording", [one for one in RECORDINGS if one.scenario.startswith("s8_")], ids=str)
def test_handing_over_is_no_error_of_any_recorded_run(recording: Any) -> None:
    runs = [run for trace_id, spans in recording.spans.items() for run in assemble(spans, recording.logs_of(trace_id))]

    assert [run.error for run in runs] == [None] * len(runs)


def test_model_call_that_failed_last_is_the_error_of_the_run() -> None:
    failed = {**FAILED, "attributes": {"error.type": "openai.RateLimitError"}}

    run = assemble_outermost(
        agent_spans.agent(1),
        model(2, at_s=1, says=[CALL]),
        agent_spans.tool(3, parent=1, at_s=3),
        model(4, at_s=5, **failed),
    )

    assert run.error == "RateLimitError: no rooms"


@pytest.mark.parametrize(
    "spans",
    [
        pytest.param([model(2, at_s=1, **FAILED), model(3, at_s=3, says=[ANSWER])], id="retried-model-call"),
        pytest.param([model(2, at_s=1, **FAILED), model(3, at_s=3)], id="retried-model-call-without-content"),
        pytest.param([model(2, at_s=1, for_s=1, **FAILED), model(3, at_s=1, for_s=2)], id="one-of-two-side-by-side"),
        pytest.param(
            [
                model(2, at_s=1, says=[CALL]),
                agent_spans.tool(3, parent=1, at_s=3, **FAILED),
                model(4, at_s=5, says=[ANSWER]),
            ],
            id="tool-whose-failure-the-model-heard-of",
        ),
        pytest.param([agent_spans.tool(3, parent=1, at_s=3, **FAILED)], id="tool-where-no-model-call-is-recorded"),
        pytest.param(
            [
                model(2, at_s=1, says=[CALL]),
                agent_spans.agent(3, name="hotel", parent=1, at_s=3, for_s=1, **FAILED),
                model(4, at_s=5, says=[ANSWER]),
            ],
            id="sub-agent-whose-failure-the-run-survived",
        ),
        pytest.param(
            [model(2, at_s=1, says=[ANSWER]), agent_spans.span(3, parent=1, at_s=4, **FAILED)],
            id="span-beside-the-work",
        ),
        pytest.param(
            [
                workflow(5, parent=1, at_s=1, for_s=2, **FAILED),
                model(2, parent=5, at_s=1, **FAILED),
                model(3, at_s=4, says=[ANSWER]),
            ],
            id="turn-that-was-repeated",
        ),
    ],
)
def test_failure_that_the_run_survived_is_not_its_error(spans: list[Span]) -> None:
    assert assemble_outermost(agent_spans.agent(1), *spans).error is None


@pytest.mark.parametrize(
    "spans",
    [
        pytest.param([model(2, at_s=1, says=[CALL]), agent_spans.tool(3, parent=1, at_s=3, **FAILED)], id="tool"),
        pytest.param(
            [agent_spans.span(5, parent=1, at_s=1, for_s=3, **FAILED), model(2, parent=5, at_s=1, says=[CALL])],
            id="turn",
        ),
        pytest.param(
            [workflow(5, parent=1, at_s=1, for_s=3, **FAILED), model(2, parent=5, at_s=1, says=[ANSWER])],
            id="turn-that-refused-the-answer",
        ),
        pytest.param([workflow(5, parent=1, at_s=1, **FAILED)], id="turn-before-any-model-call"),
        pytest.param(
            [model(2, at_s=1, says=[CALL]), agent_spans.agent(3, name="hotel", parent=1, at_s=3, for_s=1, **FAILED)],
            id="sub-agent",
        ),
    ],
)
def test_failure_that_nothing_followed_is_the_error_of_the_run(spans: list[Span]) -> None:
    assert assemble_outermost(agent_spans.agent(1), *spans).error == "no rooms"


def test_run_that_says_what_it_answered_did_not_end_in_the_failure_of_a_step() -> None:
    answered = {"gen_ai.output.messages": '[{"role": "assistant", "parts": [{"type": "text", "content": "Booked."}]}]'}

    assert assemble_outermost(agent_spans.agent(1, attributes=answered), model(2, at_s=1, **FAILED)).error is None


def test_failure_of_the_workflow_around_a_run_is_that_of_its_last_run() -> None:
    around = workflow(9, for_s=30, **FAILED)
    runs = assemble(
        [
            around,
            agent_spans.agent(1, parent=9, at_s=0),
            model(2, at_s=1, says=[CALL]),
            agent_spans.agent(3, parent=9, at_s=11),
            model(4, parent=3, at_s=12, says=[CALL]),
        ]
    )

    assert [run.error for run in runs] == [None, "no rooms"]


def test_run_that_has_not_ended_has_no_error_yet() -> None:
    assert assemble_outermost(agent_spans.agent(1, end_ns=0), model(2, at_s=1, **FAILED)).error is None


def test_error_of_the_run_itself_is_told_with_the_exception_of_its_cause() -> None:
    caused = {**FAILED, "attributes": {"error.type": "HotelError"}}
    wrapped: dict[str, Any] = {"status_code": "error", "status_message": "Error in agent run: no rooms"}

    assert (
        assemble_outermost(agent_spans.agent(1, **wrapped), model(2, at_s=1, **caused)).error == "HotelError: no rooms"
    )
    assert assemble_outermost(agent_spans.agent(1, status_code="error"), model(2, at_s=1, **FAILED)).error == "no rooms"
