"""What the spans of a run say, and what becomes of facts that spans cannot state."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.support.run_shapes import AT

from tracegrade.collector.capture.assembly import assemble_exported_runs
from tracegrade.collector.otlp.decode import SPAN_COLUMNS, decode_spans
from tracegrade.collector.run_spans import layout, write_runs
from tracegrade.collector.spans.span import Span
from tracegrade.evaluators.model import (
    AgentTrace,
    LlmCall,
    Message,
    TextPart,
    ToolCall,
    ToolCallPart,
    ToolCallResponsePart,
    ToolDefinition,
)

RUN_ID = f"{7:032x}-{1:016x}"


def write(*runs: AgentTrace, **options: Any) -> list[Span]:
    rows = decode_spans(write_runs(runs, at=AT, **options)).rows
    return [Span.from_row(dict(zip(SPAN_COLUMNS, row, strict=True))) for row in rows]


def again(*runs: AgentTrace, **options: Any) -> list[AgentTrace]:
    return assemble_exported_runs([write_runs(runs, at=AT, **options)], [])


def message(role: str, text: str, **fields: Any) -> Message:
    return Message(role=role, parts=(TextPart(content=text),), **fields)


def request(call: ToolCall, **fields: Any) -> Message:
    return Message(role="assistant", parts=(ToolCallPart(id=call.id, name=call.name, arguments=call.args),), **fields)


def response(call: ToolCall, **fields: Any) -> Message:
    part = ToolCallResponsePart(id=call.id, response=call.result, is_error=call.status == "error")
    return Message(role="tool", parts=(part,), **fields)


def test_spans_have_the_names_of_the_conventions() -> None:
    run = AgentTrace(
        agent_name="travel",
        service_name="shop",
        service_version="1.2",
        environment="test",
        session_id="talk",
        input="Paris?",
        tool_definitions=(ToolDefinition(name="search", input_schema={"type": "object"}),),
        llm_calls=(LlmCall(request_model="gpt-4.1", provider_name="openai", input_tokens=7),),
        tool_calls=(ToolCall(name="search", id="c1", args={"to": "Paris"}, result="AF007"),),
        final_response="AF007.",
    )
    agent, model, tool = write(run)
    assert [span.name for span in (agent, model, tool)] == [
        "invoke_agent travel",
        "chat gpt-4.1",
        "execute_tool search",
    ]
    assert [span.kind for span in (agent, model, tool)] == ["internal", "client", "internal"]
    assert [span.parent_span_id for span in (agent, model, tool)] == [None, agent.span_id, agent.span_id]
    assert (agent.service_name, agent.service_version, agent.deployment_environment) == ("shop", "1.2", "test")
    assert agent.attributes == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "travel",
        "gen_ai.conversation.id": "talk",
        "gen_ai.tool.definitions": '[{"type":"function","name":"search","parameters":{"type":"object"}}]',
        "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"Paris?"}]}]',
        "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"AF007."}]}]',
        "tracegrade.gaps": ["duration_not_recorded"],
    }
    assert model.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4.1",
        "gen_ai.usage.input_tokens": 7,
        "tracegrade.gaps": ["duration_not_recorded"],
    }
    assert tool.attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.arguments": '{"to":"Paris"}',
        "gen_ai.tool.call.result": "AF007",
        "tracegrade.gaps": ["duration_not_recorded"],
    }


def test_valid_id_is_kept_and_another_one_always_becomes_the_same() -> None:
    assert [run.agent_trace_id for run in again(AgentTrace(agent_trace_id=RUN_ID, input="x"))] == [RUN_ID]
    session = AgentTrace(agent_trace_id="session 7", input="x")
    longer = session.model_copy(update={"input": "y"})
    assert write(session)[0].span_id == write(longer)[0].span_id
    assert write(session)[0].trace_id != write(session, seed="other.jsonl")[0].trace_id


def test_runs_without_ids_get_them_from_their_content() -> None:
    run, other = AgentTrace(input="x"), AgentTrace(input="y")
    first, second, third = write(run, run, other)
    assert [span.span_id for span in write(run, run, other)] == [first.span_id, second.span_id, third.span_id]
    assert len({span.trace_id for span in (first, second, third)}) == 3
    assert write_runs([run], at=AT) == write_runs([run], at=AT)


def test_spans_of_a_run_stay_the_same_when_others_follow() -> None:
    call = ToolCall(name="book", child_agent_trace_id="hotel", agent_name="hotel")
    first = AgentTrace(agent_trace_id="turn 1", input="x", tool_calls=(ToolCall(name="search"), call))
    second = AgentTrace(agent_trace_id="turn 2", input="y", tool_calls=(ToolCall(name="book"),))
    alone = write(first)
    assert [span for span in write(first, second) if span.trace_id == alone[0].trace_id] == alone


def test_two_runs_with_one_id_are_refused() -> None:
    run = AgentTrace(agent_trace_id=RUN_ID)
    with pytest.raises(ValueError, match=f"2 runs have the id {RUN_ID}; give each its own"):
        write_runs([run, run], at=AT)


def test_runs_of_a_session_are_several_traces_of_one_conversation() -> None:
    first, second = again(AgentTrace(session_id="talk", input="x"), AgentTrace(session_id="talk", input="y"))
    assert first.session_id == second.session_id == "talk"
    assert first.trace_id != second.trace_id


def test_call_without_a_known_duration_has_none_although_its_span_has_times() -> None:
    began_at = AT - timedelta(hours=1)
    calls = (
        ToolCall(name="search", args={}, result="AF007", started_at=began_at, duration_ms=12.5),
        ToolCall(name="book", args={}, result="done"),
    )
    (run,) = again(AgentTrace(tool_calls=calls, started_at=began_at))
    assert [(call.name, call.duration_ms) for call in run.tool_calls] == [("search", 12.5), ("book", None)]
    assert run.duration_ms is None
    assert "duration_not_recorded" in run.gaps


def test_run_without_times_is_at_the_time_of_writing() -> None:
    (run,) = again(AgentTrace(input="x", final_response="y"))
    assert (run.started_at, run.duration_ms, run.completeness) == (AT, None, "complete")


def test_calls_of_which_messages_say_everything_have_no_span() -> None:
    search = ToolCall(name="search", id="c1", args={"to": "Paris"}, result="AF007", source="message")
    book = ToolCall(name="book", id="c2", args={}, result="full", error="full", status="error", source="message")
    said = (message("user", "Paris?"), request(search), response(search), request(book), response(book))
    run = AgentTrace(messages=said, tool_calls=(search, book))
    assert len(write(run)) == 1
    (other,) = again(run)
    assert other.tool_calls == (search, book)
    assert other.final_response is None


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"id": None}, id="no id"),
        pytest.param({"result": "other"}, id="another result"),
        pytest.param({"metadata": {"shop.retries": 2}}, id="metadata"),
        pytest.param({"agent_name": "booking"}, id="agent"),
        pytest.param({"error": "boom", "status": "error"}, id="another error"),
    ],
)
def test_call_of_which_messages_do_not_say_everything_has_a_span(change: dict[str, Any]) -> None:
    search = ToolCall(name="search", id="c1", args={"to": "Paris"}, result="AF007", source="message")
    said = (message("user", "Paris?"), request(search), response(search))
    call = search.model_copy(update=change)
    (run,) = again(AgentTrace(messages=said, tool_calls=(call,)))
    left_out = {"source", "span_id", "started_at", "metadata"}
    expected = call.model_copy(update={"id": "c1"})
    assert [each.model_dump(exclude=left_out) for each in run.tool_calls] == [expected.model_dump(exclude=left_out)]
    assert run.tool_calls[0].metadata == {**call.metadata, "gen_ai.operation.name": "execute_tool"}


def test_call_that_was_not_executed_is_requested_in_a_message() -> None:
    calls = (
        ToolCall(name="search", id="c1", result="AF007"),
        ToolCall(name="book", id="c2", args={"hotel": 1}, status="not_executed"),
    )
    (run,) = again(AgentTrace(input="Paris?", tool_calls=calls))
    assert [(call.name, call.args, call.status) for call in run.tool_calls] == [
        ("search", None, "ok"),
        ("book", {"hotel": 1}, "not_executed"),
    ]
    assert run.final_response is None


def test_call_of_which_nobody_knows_whether_it_was_executed_stays_unknown() -> None:
    (run,) = again(AgentTrace(tool_calls=(ToolCall(name="book", id="c1", status=None),)))
    assert [call.status for call in run.tool_calls] == [None]
    assert "no_agent_span" in run.gaps


def test_run_that_waits_for_a_person_comes_back_with_its_question_and_its_call() -> None:
    waiting = ToolCall(name="refund", id="c1", args={}, status="not_executed", duration_ms=1.0)
    (run,) = again(AgentTrace(tool_calls=(waiting,), interrupt="May I refund?"))
    assert (run.interrupt, run.error) == ("May I refund?", None)
    assert [(call.status, call.duration_ms) for call in run.tool_calls] == [("not_executed", 1.0)]


@pytest.mark.parametrize(
    "error",
    ["boom", "LookupError: no hotel", "LookupError('no hotel')", '{"message": "no", "data": 1}', "failed", "503"],
)
def test_error_comes_back_word_for_word(error: str) -> None:
    call = ToolCall(name="book", status="error", error=error, result="none")
    (run,) = again(AgentTrace(tool_calls=(call,), error=error))
    assert (run.error, run.tool_calls[0].error, run.tool_calls[0].result) == (error, error, "none")


def test_error_comes_back_without_its_stack() -> None:
    error = "Traceback (most recent call last):\n  File x\nLookupError: no hotel"
    (run,) = again(AgentTrace(error=error))
    assert run.error == "LookupError: no hotel"


def test_messages_are_on_the_model_calls_that_they_name_with_the_history_before_them() -> None:
    search = ToolCall(name="search", id="c1", args={"to": "Paris"}, result="AF007", duration_ms=1.0)
    first, second = LlmCall(span_id=f"{2:016x}"), LlmCall(span_id=f"{3:016x}")
    said = (
        message("system", "Be kind.", span_id=first.span_id),
        message("user", "Paris?", span_id=first.span_id),
        request(search, span_id=first.span_id),
        response(search, span_id=second.span_id),
        message("assistant", "AF007.", span_id=second.span_id),
    )
    run = AgentTrace(messages=said, llm_calls=(first, second), tool_calls=(search,), final_response="AF007.")
    _, model, later, _ = write(run)
    assert model.attributes["gen_ai.system_instructions"] == '[{"type":"text","content":"Be kind."}]'
    assert later.attributes["gen_ai.input.messages"].count('"role"') == 3
    assert [each.span_id for each in again(run)[0].messages] == [each.span_id for each in said]


def test_conversation_that_would_be_repeated_too_often_is_on_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    call = LlmCall(span_id=f"{2:016x}")
    said = (message("user", "Paris?", span_id=call.span_id), message("assistant", "AF007.", span_id=call.span_id))
    run = AgentTrace(messages=said, llm_calls=(call,), final_response="AF007.")
    monkeypatch.setattr(layout, "_MOST_CHARACTERS", 10)
    agent, model = write(run)
    assert "gen_ai.input.messages" in agent.attributes
    assert "gen_ai.input.messages" not in model.attributes
    assert [(each.role, each.text) for each in again(run)[0].messages] == [("user", "Paris?"), ("assistant", "AF007.")]


@pytest.mark.parametrize("duration_ms", [None, 1.0], ids=["in messages", "in spans"])
def test_thousands_of_equal_calls_keep_their_order_and_results(duration_ms: float | None) -> None:
    calls = [
        ToolCall(name="poll", id=f"c{number}", args={}, result="wait", duration_ms=duration_ms)
        for number in range(2000)
    ]
    models = [LlmCall(span_id=f"{number + 2:016x}", input_tokens=1) for number in range(2001)]
    said = [message("user", "Wait", span_id=models[0].span_id)]
    for call, model, later in zip(calls, models, models[1:], strict=False):
        said += [request(call, span_id=model.span_id), response(call, span_id=later.span_id)]
    said.append(message("assistant", "Done", span_id=models[-1].span_id))
    (run,) = again(
        AgentTrace(messages=tuple(said), tool_calls=tuple(calls), llm_calls=tuple(models), final_response="Done")
    )
    assert [(call.id, call.result) for call in run.tool_calls] == [(call.id, "wait") for call in calls]
    assert [(each.role, each.parts) for each in run.messages] == [(each.role, each.parts) for each in said]
    assert (run.final_response, run.input_tokens) == ("Done", 2001)


def test_resource_has_the_attributes_of_the_caller_and_the_service_of_the_run() -> None:
    given = {"service.name": "importer", "tracegrade.experiment.id": "e1"}
    plain, named = write(
        AgentTrace(input="x"), AgentTrace(input="y", service_name="shop", experiment_id="e0"), resource=given
    )
    assert plain.resource == given
    assert named.resource == {"service.name": "shop", "tracegrade.experiment.id": "e1"}
    assert [run.experiment_id for run in again(AgentTrace(input="y", experiment_id="e0"))] == ["e0"]


def test_call_of_another_service_stays_foreign() -> None:
    calls = (ToolCall(name="search", id="c1", result="x"), ToolCall(name="log", id="c2", result="y", is_foreign=True))
    (run,) = again(AgentTrace(service_name="shop", tool_calls=calls, gaps=("foreign_calls:audit",)))
    assert [call.is_foreign for call in run.tool_calls] == [False, True]
    assert "foreign_calls:audit" in run.gaps


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(AgentTrace(ended_at=datetime(1970, 1, 2, tzinfo=UTC), duration_ms=1e12), id="before 1970"),
        pytest.param(AgentTrace(started_at=datetime(1960, 1, 1, tzinfo=UTC)), id="start before 1970"),
        pytest.param(AgentTrace(started_at=datetime(9999, 1, 1), ended_at=datetime(9999, 1, 2)), id="far"),  # noqa: DTZ001
        pytest.param(AgentTrace(tool_calls=(ToolCall(name="book", duration_ms=-1.0),)), id="negative duration"),
        pytest.param(AgentTrace(duration_ms=float("inf")), id="endless"),
    ],
)
def test_time_that_no_span_can_have_is_written_as_unknown(run: AgentTrace) -> None:
    (other,) = again(run)
    assert [call.duration_ms for call in other.tool_calls] == [None] * len(run.tool_calls)


def test_partial_run_stays_partial() -> None:
    (run,) = again(AgentTrace(input="x", completeness="partial", started_at=AT))
    assert (run.completeness, run.ended_at, run.duration_ms) == ("partial", None, None)


def test_run_below_one_that_is_not_written_waits_for_nobody() -> None:
    parent = f"{7:032x}-{9:016x}"
    (span,) = write(AgentTrace(agent_trace_id=RUN_ID, parent_agent_trace_id=parent))
    assert (span.parent_span_id, span.parent_is_remote) == (f"{9:016x}", True)
    assert [run.completeness for run in again(AgentTrace(agent_trace_id=RUN_ID, parent_agent_trace_id=parent))] == [
        "complete"
    ]


def test_agent_without_a_name_that_only_hands_over_gets_none() -> None:
    call = ToolCall(name="book", id="c1", child_agent_trace_id="hotel", agent_name="hotel agent")
    whole, below = again(AgentTrace(agent_trace_id="whole", input="x", tool_calls=(call,)))
    assert (whole.agent_name, below.agent_name) == (None, "hotel agent")
    assert below.gaps[:1] == ("content_not_captured",)


def test_metadata_by_which_another_dialect_would_read_the_call_is_left_out() -> None:
    metadata = {"openinference.span.kind": "TOOL", "shop.retries": 2, "gen_ai.tool.name": "other"}
    (run,) = again(AgentTrace(tool_calls=(ToolCall(name="book", result="x", metadata=metadata),)))
    assert run.dialect == "genai"
    assert run.tool_calls[0].metadata == {"gen_ai.operation.name": "execute_tool", "shop.retries": 2}
    assert run.tool_calls[0].name == "book"


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        pytest.param({"text": "half \ud83d"}, {"text": "half ?"}, id="half a character"),
        pytest.param({"at": datetime(2026, 1, 1, tzinfo=UTC)}, {"at": "2026-01-01T00:00:00+00:00"}, id="a time"),
        pytest.param({"of": {1}}, {"of": "{1}"}, id="a set"),
        pytest.param({"deep": [[[{"x": [1]}]]]}, {"deep": [[[{"x": [1]}]]]}, id="nested"),
    ],
)
def test_arguments_that_json_does_not_have_become_text(args: dict[str, Any], expected: dict[str, Any]) -> None:
    (run,) = again(AgentTrace(tool_calls=(ToolCall(name="book", args=args),)))
    assert run.tool_calls[0].args == expected


def test_result_that_mcp_marks_as_an_error_is_one() -> None:
    result = '{"content": [{"type": "text", "text": "no hotel"}], "isError": true}'
    (run,) = again(AgentTrace(tool_calls=(ToolCall(name="book", result=result),)))
    assert (run.tool_calls[0].result, run.tool_calls[0].error) == (result, "no hotel")


def test_reasoning_of_a_run_without_messages_precedes_its_response() -> None:
    (run,) = again(AgentTrace(input="x", reasoning_steps=("first", "then"), final_response="y"))
    assert (run.reasoning_steps, run.final_response) == (("first", "then"), "y")


def test_answer_that_no_message_returned_is_kept() -> None:
    call = ToolCall(name="book", id="c1", args={}, result="refused", status="not_executed", source="message")
    done = ToolCall(name="search", id="c2", result="AF007", duration_ms=1.0)
    said: Sequence[Message] = (message("user", "Paris?"), request(call), request(done), message("assistant", "No."))
    (run,) = again(AgentTrace(messages=tuple(said), tool_calls=(call, done), final_response="No."))
    assert [(each.name, each.result, each.status) for each in run.tool_calls] == [
        ("book", "refused", "not_executed"),
        ("search", "AF007", "ok"),
    ]
