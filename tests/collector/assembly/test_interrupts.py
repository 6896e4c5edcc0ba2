from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.assembled_runs import assemble_outermost
from tests.support.recordings import RECORDINGS, Recording

from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Event, Span
from tracegrade.evaluators.model import AgentTrace

ASKED = agent_spans.text_message("user", "Book a hotel")
CALL = agent_spans.tool_call_message(("call_1", "book", {"city": "Paris"}))
ANSWER = agent_spans.text_message("assistant", "Booked.")
INTERRUPT = "(Interrupt(value='Book it?', id='9a'),)"


def interrupted(exception: str = "langgraph.errors.GraphInterrupt", message: str = INTERRUPT) -> dict[str, Any]:
    """The fields of a span that an exception ended."""
    event = Event("exception", 1, {"exception.type": exception, "exception.message": message})
    return {"status_code": "error", "status_message": message, "events": (event,)}


def model(number: int, *, at_s: float, says: Sequence[Any], parent: int = 1, **more: Any) -> Span:
    return agent_spans.chat(number, parent=parent, at_s=at_s, hears=[ASKED], says=says, **more)


def book(number: int, *, at_s: float, **more: Any) -> Span:
    return agent_spans.tool(number, "book", parent=1, at_s=at_s, args={"city": "Paris"}, call_id="call_1", **more)


def make_assistant_message(part: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "parts": [part]}


@pytest.mark.parametrize("recording", [one for one in RECORDINGS if one.scenario.startswith("s13")], ids=str)
def test_recorded_run_that_stopped_for_a_person_says_for_what(recording: Recording) -> None:
    runs = [run for trace_id, spans in recording.spans.items() for run in assemble(spans, recording.logs_of(trace_id))]

    assert [run.interrupt for run in runs] == [recording.truth["interrupt"]]
    assert [(call.status, call.error) for run in runs for call in run.tool_calls] == [("not_executed", None)]
    assert [(run.error, run.final_response) for run in runs] == [(None, None)]


@pytest.mark.parametrize("recording", [one for one in RECORDINGS if one.scenario[:3] not in {"s13", "s15"}], ids=str)
def test_recorded_run_that_went_on_waits_for_nothing(recording: Recording) -> None:
    runs = [run for trace_id, spans in recording.spans.items() for run in assemble(spans, recording.logs_of(trace_id))]

    assert {run.interrupt for run in runs} <= {None}


def test_node_that_interrupts_its_graph_says_what_the_run_waits_for() -> None:
    node = agent_spans.span(3, parent=1, at_s=4, **interrupted())

    run = assemble_outermost(agent_spans.agent(1), model(2, at_s=1, says=[CALL]), node)

    assert (run.interrupt, run.error) == ("Book it?", None)


def test_interrupt_without_a_question_is_told_by_the_call_that_waits() -> None:
    node = agent_spans.span(3, parent=1, at_s=4, **interrupted(message="()"))

    assert assemble_outermost(agent_spans.agent(1), model(2, at_s=1, says=[CALL]), node).interrupt == "book"
    assert assemble_outermost(agent_spans.agent(1), model(2, at_s=1, says=[ANSWER]), node).interrupt == "an answer"


def test_run_that_went_on_after_an_interrupt_does_not_wait() -> None:
    run = assemble_outermost(
        agent_spans.agent(1),
        model(2, at_s=1, says=[CALL]),
        book(3, at_s=3, **interrupted()),
        model(4, at_s=5, says=[ANSWER]),
    )

    assert (run.interrupt, run.final_response) == (None, "Booked.")


def test_call_that_was_carried_out_once_it_was_approved_is_one_call() -> None:
    run = assemble_outermost(
        agent_spans.agent(1),
        model(2, at_s=1, says=[CALL]),
        book(3, at_s=3, **interrupted()),
        book(4, at_s=5, result="booked"),
        model(5, at_s=7, says=[ANSWER]),
    )

    assert [(call.status, call.result) for call in run.tool_calls] == [("ok", "booked")]


def test_run_whose_sub_agent_was_interrupted_last_waits_for_the_same() -> None:
    runs = assemble(
        [
            agent_spans.agent(1),
            model(2, at_s=1, says=[CALL]),
            agent_spans.agent(3, name="hotel", parent=1, at_s=3, for_s=5),
            agent_spans.span(4, parent=3, at_s=4, **interrupted()),
        ]
    )

    assert [run.interrupt for run in runs] == ["Book it?", "Book it?"]


@pytest.mark.parametrize(
    ("part", "tool"),
    [
        pytest.param({"type": "mcp_approval_request", "id": "mcpr_1", "name": "book"}, "book", id="hosted-mcp"),
        pytest.param({"type": "tool-approval-request", "toolCall": {"toolName": "book"}}, "book", id="vercel"),
        pytest.param({"type": "function_approval_request", "function_call": {"name": "book"}}, "book", id="microsoft"),
        pytest.param({"type": "user_input_request", "id": "1"}, "an answer", id="of-nothing-in-particular"),
        pytest.param({"type": "image", "name": "book"}, None, id="another-part"),
    ],
)
def test_part_that_asks_for_approval_at_the_end_says_what_the_run_waits_for(
    part: Mapping[str, Any], tool: str | None
) -> None:
    assert (
        assemble_outermost(agent_spans.agent(1), model(2, at_s=1, says=[make_assistant_message(part)])).interrupt
        == tool
    )


def test_output_of_a_graph_says_what_it_waits_for_where_no_span_does() -> None:
    output = json.dumps({"messages": [], "__interrupt__": [{"value": {"question": "Book it?"}, "id": "1"}]})
    graph = agent_spans.span(1, for_s=9, attributes={"openinference.span.kind": "AGENT", "output.value": output})

    assert assemble_outermost(graph, model(2, at_s=1, says=[CALL])).interrupt == "Book it?"


@pytest.mark.parametrize(
    ("gave", "status", "interrupt"),
    [
        pytest.param(
            "This tool call requires confirmation, please approve or reject.", "not_executed", "book", id="wait"
        ),
        pytest.param("sold out", "ok", None, id="other-error"),
    ],
)
def test_adk_answers_a_call_that_has_to_be_confirmed_in_its_place(
    gave: str, status: str, interrupt: str | None
) -> None:
    adk: dict[str, Any] = {"scope_name": "gcp.vertex.agent"}
    run = assemble_outermost(
        agent_spans.agent(1, **adk),
        model(2, at_s=1, says=[CALL], **adk),
        book(3, at_s=3, result={"error": gave}, **adk),
    )

    assert ([call.status for call in run.tool_calls], run.interrupt) == ([status], interrupt)


@pytest.mark.parametrize("is_asked_again", [False, True], ids=["stops", "goes-on"])
def test_long_running_tool_of_adk_is_waited_for_unless_the_model_is_asked_again(*, is_asked_again: bool) -> None:
    adk: dict[str, Any] = {"scope_name": "gcp.vertex.agent"}
    started = book(3, at_s=3, result="pending", attributes={"gen_ai.tool.type": "LongRunningFunctionTool"}, **adk)
    more = [model(4, at_s=5, says=[ANSWER], **adk)] if is_asked_again else []

    run = assemble_outermost(agent_spans.agent(1, **adk), model(2, at_s=1, says=[CALL], **adk), started, *more)

    assert run.interrupt == (None if is_asked_again else "book")
    assert [(call.status, call.result) for call in run.tool_calls] == [("ok", "pending")]


@pytest.mark.parametrize(
    ("recorded", "status"),
    [
        pytest.param({}, "not_executed", id="without-result"),
        pytest.param({"result": "done"}, "ok", id="with-result"),
        pytest.param({"args": None}, "ok", id="without-content"),
    ],
)
def test_call_of_the_agents_sdk_that_ended_the_run_without_a_result_waits_for_approval(
    recorded: dict[str, Any], status: str
) -> None:
    sdk: dict[str, Any] = {"scope_name": "opentelemetry.instrumentation.genai.openai_agents"}
    asked = agent_spans.tool(3, "book", parent=1, at_s=3, **{"args": {"city": "Paris"}, **recorded}, **sdk)

    run = assemble_outermost(agent_spans.agent(1, **sdk), model(2, at_s=1, says=[CALL]), asked)

    assert [call.status for call in run.tool_calls] == [status]
    assert run.interrupt == ("book" if status == "not_executed" else None)


def vercel(number: int, operation: str, *, parent: int | None = None, **attributes: Any) -> Span:
    span_attributes = {"ai.operationId": operation, **attributes}
    return agent_spans.span(
        number, parent=parent, at_s=number, for_s=9 - number, scope_name="ai", attributes=span_attributes
    )


def ended_at(call: Mapping[str, Any], *, reason: str = "tool-calls") -> AgentTrace:
    """A run of the Vercel AI SDK that ended at a call; `book` is offered and requires a city."""
    schema = {"type": "object", "required": ["city"]}
    step = {
        "ai.prompt.tools": [json.dumps({"type": "function", "name": "book", "inputSchema": schema})],
        "ai.response.toolCalls": json.dumps([{"toolCallId": "call_1", "toolName": "book", **call}]),
        "ai.response.finishReason": reason,
    }
    return assemble_outermost(vercel(1, "ai.streamText"), vercel(2, "ai.streamText.doStream", parent=1, **step))


@pytest.mark.parametrize(
    ("call", "reason", "interrupt"),
    [
        pytest.param({"input": '{"city": "Paris"}'}, "tool-calls", "book", id="left-to-the-client"),
        pytest.param({"input": "{}"}, "tool-calls", None, id="lacks-an-argument"),
        pytest.param({"input": '{"city": "Paris"}', "toolName": "fly"}, "tool-calls", None, id="not-offered"),
        pytest.param({"input": '{"city": "Paris"}'}, "length", None, id="cut-off"),
        pytest.param({"input": '{"city": "Paris"}', "providerExecuted": True}, "tool-calls", None, id="hosted"),
    ],
)
def test_call_at_which_the_vercel_ai_sdk_ended_a_run_is_left_to_somebody_else(
    call: Mapping[str, Any], reason: str, interrupt: str | None
) -> None:
    assert ended_at(call, reason=reason).interrupt == interrupt


def test_agent_with_pending_tools_waits_for_them() -> None:
    pending = {"agentscope.agent.hitl_pending_tools": '["refund", "cancel"]'}
    [run] = assemble([agent_spans.agent(1, attributes=pending), model(2, at_s=1, says=[CALL])])
    assert run.interrupt == "refund, cancel"
