from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import tale

from tracegrade.collector import dialects
from tracegrade.collector.span import Event
from tracegrade.collector.step import Step
from tracegrade.evaluators.model import Message, ReasoningPart, ToolCallPart

SCOPE = "gcp.vertex.agent"
CALL = {"id": "c", "name": "book", "args": {"n": 1}}
DETAILS = "gen_ai.client.inference.operation.details"


def read(name: str, *, events: tuple[Event, ...] = (), **attributes: Any) -> Step | None:
    found = dialects.read(tale.span(1, name=name, attributes=attributes, events=events, scope_name=SCOPE))
    return found[1] if found else None


def generated(*events: Event, **more: Any) -> Step:
    found = read("generate_content m", events=events, **{"gen_ai.operation.name": "generate_content", **more})
    assert found is not None
    return found


def log(name: str, content: Any) -> Event:
    return Event(name, 0, {"user.id": "u"}, body={"content": content}, is_log=True)


def texts(messages: tuple[Message, ...] | None) -> list[tuple[str, str | None]]:
    return [(one.role, one.text) for one in messages or ()]


@pytest.mark.parametrize(
    ("name", "kind", "who"),
    [
        ("agent_run [planner]", "agent", "planner"),
        ("tool_call [search]", "tool", "search"),
        ("execute_tool search", "tool", "search"),
    ],
)
def test_oldest_spans_are_read_by_their_names(name: str, kind: str, who: str) -> None:
    found = read(name)

    assert found is not None
    assert (found.kind, found.agent_name or found.tool_name) == (kind, who)


@pytest.mark.parametrize("name", ["invocation", "execute_tool (merged)", "agent_run", "send_data"])
def test_span_that_names_nobody_records_no_step(name: str) -> None:
    assert read(name) is None


def test_contents_in_log_records_are_read_as_gemini_has_them() -> None:
    step = generated(
        log("gen_ai.system.message", "Help."),
        log("gen_ai.user.message", {"role": "user", "parts": [{"text": "Where to?", "function_call": None}]}),
        log("gen_ai.user.message", {"role": "model", "parts": [{"text": "Paris."}]}),
        log("gen_ai.choice", {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"function_call": CALL}]}),
    )

    assert texts(step.input) == [("system", "Help."), ("user", "Where to?"), ("assistant", "Paris.")]
    assert step.output is not None
    assert step.output[0].parts == (ReasoningPart(content="Hm."), ToolCallPart(id="c", name="book", arguments={"n": 1}))
    assert step.user_id == "u"


def test_what_adk_wraps_around_a_result_is_taken_off_in_messages_too() -> None:
    answer = {"role": "user", "parts": [{"type": "tool_call_response", "id": "c", "response": {"result": "Sunny"}}]}
    step = generated(**{"gen_ai.input.messages": json.dumps([answer])})

    assert step.input is not None
    assert [part.model_dump()["response"] for part in step.input[0].parts] == ["Sunny"]


def test_request_of_the_first_schema_is_a_model_call_even_where_it_holds_nothing() -> None:
    nothing: dict[str, Any] = {"gcp.vertex.agent.llm_request": "{}", "gcp.vertex.agent.llm_response": "{}"}
    step = read("call_llm", **nothing)

    assert step is not None
    assert (step.kind, step.input, step.output, step.definitions) == ("model", None, None, None)


def test_schema_of_a_tool_may_stand_only_in_the_event() -> None:
    schema = {"type": "object", "properties": {}}
    named, whole = {"type": "function", "name": "book"}, {"type": "function", "name": "book", "parameters": schema}
    event = Event(DETAILS, 0, {"gen_ai.tool.definitions": [whole]}, is_log=True)
    step = generated(event, **{"gen_ai.tool.definitions": json.dumps([named])})

    assert [one.input_schema for one in step.definitions or ()] == [None, schema]
