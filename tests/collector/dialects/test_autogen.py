from __future__ import annotations

from typing import Any

import orjson
from tests.support import agent_spans
from tests.support.otlp import BEGAN_NS

from tracegrade.collector import dialects
from tracegrade.collector.assembly import assemble
from tracegrade.collector.spans.span import Event, Span
from tracegrade.collector.spans.step import NO_USAGE, Step
from tracegrade.evaluators.model import ToolCallResponsePart

QUESTION = {"role": "user", "content": "Where to?"}


def run(*bodies: dict[str, Any]) -> Step:
    span_attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "travel"}
    events = [
        Event(None, BEGAN_NS + at, {}, body=orjson.dumps(body).decode(), is_log=True) for at, body in enumerate(bodies)
    ]
    reading = dialects.read(
        agent_spans.span(1, attributes=span_attributes, scope_name="autogen-core", events=tuple(events))
    )
    assert reading is not None
    assert reading[0] == "autogen"
    return reading[1]


def asks(*messages: dict[str, Any], says: dict[str, Any]) -> dict[str, Any]:
    return {"type": "LLMCall", "messages": list(messages), "response": {"choices": [{"message": says}]}}


def calling(call_id: str) -> dict[str, Any]:
    function = {"name": "search", "arguments": '{"to": "Paris"}'}
    return {"role": "assistant", "tool_calls": [{"id": call_id, "type": "function", "function": function}]}


def test_result_that_no_later_call_shows_is_told_by_the_record_of_the_tool() -> None:
    ran = {"type": "ToolCall", "tool_name": "search", "arguments": {"to": "Paris"}, "result": "AF007"}
    recorded_step = run(asks(QUESTION, says=calling("call_1")), ran)

    assert (recorded_step.output or ())[-1].parts == (
        ToolCallResponsePart(id="call_1", name="search", response="AF007"),
    )


def test_agent_that_forgets_what_was_said_still_gave_every_answer() -> None:
    recorded_step = run(
        asks(QUESTION, says={"role": "assistant", "content": "Paris"}),
        asks({"role": "user", "content": "And then?"}, says={"role": "assistant", "content": "Rome"}),
    )

    assert [message.text for message in recorded_step.output or ()] == ["Paris", "Rome"]


def test_counts_of_nothing_are_not_recorded() -> None:
    assert run({**asks(QUESTION, says=calling("call_1")), "prompt_tokens": 0, "completion_tokens": 0}).usage == NO_USAGE


def test_records_of_other_loggers_tell_nothing() -> None:
    assert run({"type": "Message", "payload": "{}"}).output is None


def processing(*records: Event, number: int = 1, **told: Any) -> Span:
    recipient = {"recipient_agent_type": "inner", "recipient_agent_class": "InnerAgent", "message": '{"content": "Hi"}'}
    return agent_spans.span(
        number,
        name="autogen process inner.(default)-A",
        attributes={"messaging.operation": "process", **recipient, **told},
        scope_name="autogen SingleThreadedAgentRuntime",
        events=records,
        for_s=9,
    )


def test_agent_of_ones_own_is_a_run_where_records_tell_of_its_model() -> None:
    answer = {"role": "assistant", "content": "Paris"}
    record = Event(None, BEGAN_NS, {}, body=orjson.dumps(asks(QUESTION, says=answer)).decode(), is_log=True)
    [run] = assemble([processing(record)])
    assert (run.agent_name, run.input, run.final_response, run.gaps) == ("inner", "Where to?", "Paris", ())


def test_agent_of_ones_own_is_around_the_model_calls_that_others_record() -> None:
    chat = agent_spans.chat(2, parent=1, at_s=1, says=[agent_spans.text_message("assistant", "Paris")])
    [run] = assemble([processing(), chat])
    assert (run.agent_name, run.input, run.final_response, run.gaps) == ("inner", "Hi", "Paris", ())


def test_agent_of_ones_own_that_called_no_model_is_no_run() -> None:
    assert assemble([processing(), processing(number=2, message="No Message")]) == []


def test_record_that_was_cut_off_is_a_gap() -> None:
    record = orjson.dumps(asks(QUESTION, says=calling("call_1"))).decode()
    span_attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "travel"}
    cut = Event(None, BEGAN_NS, {}, body=record[:120], is_log=True)
    [run] = assemble([agent_spans.span(1, attributes=span_attributes, scope_name="autogen-core", events=(cut,))])
    assert run.gaps == ("truncated",)
