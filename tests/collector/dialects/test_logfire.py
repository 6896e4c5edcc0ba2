from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import require_step

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Step, Usage
from tracegrade.evaluators.model import Message, TextPart, ToolCallPart

AGENTS = "logfire.openai_agents"
CALL = {"id": "call_1", "type": "function", "function": {"name": "book_hotel", "arguments": '{"city": "Paris"}'}}
ASKED = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "book_hotel",
    "arguments": '{"city":"Paris"}',
}
PART = ToolCallPart(id="call_1", name="book_hotel", arguments={"city": "Paris"})


def read(attributes: Mapping[str, Any], *, scope: str) -> Step | None:
    span_attributes = {
        key: value if isinstance(value, (str, int)) else json.dumps(value) for key, value in attributes.items()
    }
    reading = dialects.read(agent_spans.span(1, attributes=span_attributes, scope_name=scope))
    assert reading is None or reading[0] == "logfire"
    return reading[1] if reading else None


def step(attributes: Mapping[str, Any], *, scope: str) -> Step:
    return require_step(read(attributes, scope=scope))


def of_agents(template: str, **attributes: Any) -> Step:
    return step({"logfire.msg_template": template, **attributes}, scope=AGENTS)


@pytest.mark.parametrize(
    "template",
    ["Task: travel", "Turn {turn} for agent travel", "Guardrail {name!r} {triggered=}", "Custom span: {name}"],
)
def test_what_only_gives_structure_is_no_step(template: str) -> None:
    assert read({"logfire.msg_template": template, "name": "turn"}, scope=AGENTS) is None


def test_request_for_anything_but_an_answer_of_a_model_is_no_step() -> None:
    span_attributes = {"logfire.msg_template": "OpenAI API call to {url!r}", "gen_ai.response.id": "file_1"}
    assert read(span_attributes, scope="logfire.openai") is None


def test_a_pending_span_is_no_step() -> None:
    span_attributes = {
        "logfire.msg_template": "Function: {name}",
        "logfire.span_type": "pending_span",
        "name": "book_hotel",
    }

    assert read(span_attributes, scope=AGENTS) is None


def test_a_group_is_a_session_unless_it_is_null() -> None:
    assert of_agents("OpenAI Agents trace: {name}", group_id="trip-1").session_id == "trip-1"
    assert of_agents("OpenAI Agents trace: {name}", group_id=None).session_id is None


def test_a_scrubbed_session_is_none() -> None:
    recorded_step = of_agents("Agent run: {name!r}", name="travel", session_id="[Scrubbed due to 'session']")

    assert (recorded_step.agent_name, recorded_step.session_id) == ("travel", None)


def test_scrubbed_arguments_are_left_out() -> None:
    recorded_step = of_agents(
        "Function: {name}", name="book_hotel", input="[Scrubbed due to 'password']", output="booked"
    )

    assert (recorded_step.tool_name, recorded_step.args, recorded_step.result) == ("book_hotel", None, "booked")


def test_a_hand_off_names_its_target() -> None:
    recorded_step = of_agents("Handoff: {from_agent} → {to_agent}", from_agent="travel", to_agent="hotels")

    assert (recorded_step.kind, recorded_step.agent_name, recorded_step.target) == ("handoff", "travel", "hotels")


def test_items_of_the_responses_api_are_messages() -> None:
    recorded_step = of_agents(
        "Responses API",
        raw_input=[
            {"role": "user", "content": "Book a hotel"},
            ASKED,
            {"type": "function_call_output", "call_id": "call_1", "output": "booked"},
        ],
    )

    assert recorded_step.input is not None
    assert [message.role for message in recorded_step.input] == ["user", "assistant", "tool"]
    assert recorded_step.input[1].tool_calls == (PART,)


def test_a_bare_input_is_the_users() -> None:
    recorded_step = of_agents(
        "Responses API", raw_input="Book a hotel", response={"instructions": "Be kind", "output": [ASKED]}
    )

    assert recorded_step.input == (
        Message(role="system", parts=(TextPart(content="Be kind"),)),
        Message(role="user", parts=(TextPart(content="Book a hotel"),)),
    )
    assert recorded_step.output == (Message(role="assistant", parts=(PART,)),)


@pytest.mark.parametrize("scope", ["logfire.openai", "logfire.anthropic"])
def test_version_1_holds_request_and_answer_as_objects(scope: str) -> None:
    recorded_step = step(
        {
            "gen_ai.request.model": "m",
            "request_data": {"model": "m", "messages": [{"role": "user", "content": "Book a hotel"}]},
            "response_data": {
                "message": {"role": "assistant", "content": None, "tool_calls": [CALL]},
                "usage": {"prompt_tokens": 7, "completion_tokens": 2},
            },
        },
        scope=scope,
    )

    assert recorded_step.input == (Message(role="user", parts=(TextPart(content="Book a hotel"),)),)
    assert recorded_step.output == (Message(role="assistant", parts=(PART,)),)
    assert recorded_step.usage == Usage(input_tokens=7, output_tokens=2)


def test_one_list_of_events_holds_what_went_in_and_what_came_out() -> None:
    recorded_step = step(
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.response.id": "resp_1",
            "events": [
                {"event.name": "gen_ai.user.message", "content": "Book a hotel", "role": "user"},
                {"event.name": "gen_ai.assistant.message", "role": "assistant", "tool_calls": [CALL]},
            ],
        },
        scope="logfire.openai",
    )

    assert recorded_step.input == (Message(role="user", parts=(TextPart(content="Book a hotel"),)),)
    assert recorded_step.output == (Message(role="assistant", parts=(PART,)),)


def test_the_request_of_a_streamed_answer_is_no_call_of_its_own() -> None:
    request = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.response.model": "m",
        "request_data": {"model": "m"},
    }

    assert read(request, scope="logfire.openai") is None
    assert read({**request, "gen_ai.operation.name": "embeddings"}, scope="logfire.openai") is None


def test_an_error_of_the_agents_sdk_is_told_whole() -> None:
    failure = {"message": "Error running tool", "data": {"tool_name": "book_hotel", "error": "503"}}
    attributes = {"logfire.msg_template": "Function: {name}", "name": "book_hotel", "error": json.dumps(failure)}
    span = agent_spans.span(1, attributes=attributes, scope_name=AGENTS, status_code="error")
    read_span = dialects.read(span)

    assert read_span is not None
    assert read_span[1].error == "Error running tool: 503"
