from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import agent_spans
from tests.support.dialect_steps import require_step
from tests.support.recordings import RECORDINGS

from tracegrade.collector import dialects
from tracegrade.collector.assembly import assemble
from tracegrade.collector.dialects.shared.dialect import Dialect
from tracegrade.collector.spans.span import Event, Span
from tracegrade.collector.spans.step import Step, Usage
from tracegrade.evaluators.model import TextPart, ToolCallPart, ToolCallResponsePart

SPANS = [span for recording in RECORDINGS for spans in recording.spans.values() for span in spans]
KEYS = sorted({key for one in RECORDINGS for spans in one.spans.values() for span in spans for key in span.attributes})
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "parts", "content", "type", "text", "tool_calls", "function", "name", "arguments"])
            | st.sampled_from(
                ["id", "response", "messages", "data", "kwargs", "args", "parameters", "message", "output"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


def read(attributes: Mapping[str, Any], **fields: Any) -> Step | None:
    reading = dialects.read(agent_spans.span(1, attributes=attributes, **fields))
    return reading[1] if reading else None


def step(attributes: Mapping[str, Any], **fields: Any) -> Step:
    return require_step(read(attributes, **fields))


def dialect(attributes: Mapping[str, Any], **fields: Any) -> str | None:
    reading = dialects.read(agent_spans.span(1, attributes=attributes, **fields))
    return reading[0] if reading else None


def does(operation: str, **more: Any) -> dict[str, Any]:
    return {"gen_ai.operation.name": operation, **more}


def is_a(kind: str, **more: Any) -> dict[str, Any]:
    return {"openinference.span.kind": kind, **more}


def chat(**more: Any) -> Step:
    return step({"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", **more})


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        ("chat", "model"),
        ("text_completion", "model"),
        ("generate_content", "model"),
        ("invoke_agent", "agent"),
        ("invoke_workflow", "workflow"),
        ("retrieval", "retrieval"),
        ("search_memory", "retrieval"),
    ],
)
def test_genai_operation_says_what_a_span_records(operation: str, kind: str) -> None:
    assert step(does(operation)).kind == kind
    assert dialect(does(operation)) == "genai"


@pytest.mark.parametrize("operation", ["create_agent", "embeddings", "something_new"])
def test_genai_operation_that_is_no_step_records_none(operation: str) -> None:
    assert read(does(operation)) is None


@pytest.mark.parametrize("attributes", [{}, {"http.request.method": "POST"}, {"gen_ai.request.model": "m"}], ids=str)
def test_span_of_anything_else_records_no_step(attributes: dict[str, str]) -> None:
    assert read(attributes) is None


def test_genai_model_call_is_read_whole() -> None:
    recorded_step = chat(
        **{
            "gen_ai.provider.name": "openai",
            "gen_ai.response.model": "m-1",
            "gen_ai.response.id": "r",
            "gen_ai.response.finish_reasons": ["stop"],
            "gen_ai.usage.input_tokens": 7,
            "gen_ai.usage.output_tokens": 3,
            "gen_ai.usage.cache_read.input_tokens": 2,
            "gen_ai.input.messages": json.dumps([agent_spans.text_message("user", "hi")]),
            "gen_ai.output.messages": json.dumps([agent_spans.tool_call_message(("c", "search", {"to": "Paris"}))]),
        }
    )
    assert (recorded_step.provider_name, recorded_step.request_model, recorded_step.response_model) == (
        "openai",
        "m",
        "m-1",
    )
    assert (recorded_step.response_id, recorded_step.finish_reasons) == ("r", ("stop",))
    assert recorded_step.usage == Usage(input_tokens=7, output_tokens=3, cached_input_tokens=2)
    assert recorded_step.input is not None
    assert recorded_step.input[0].text == "hi"
    assert recorded_step.output is not None
    assert recorded_step.output[0].tool_calls == (ToolCallPart(id="c", name="search", arguments={"to": "Paris"}),)


@pytest.mark.parametrize(
    ("written", "reasons"),
    [
        (["stop", "length"], ("stop", "length")),
        ('["stop"]', ("stop",)),
        ("stop,length", ("stop", "length")),
        ("stop", ("stop",)),
        ("", None),
        (7, None),
    ],
    ids=str,
)
def test_finish_reasons_are_read_however_they_are_written(written: object, reasons: tuple[str, ...] | None) -> None:
    assert chat(**{"gen_ai.response.finish_reasons": written}).finish_reasons == reasons


def test_system_instructions_stand_before_the_messages() -> None:
    recorded_step = chat(
        **{
            "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "Be kind."}]),
            "gen_ai.input.messages": json.dumps([agent_spans.text_message("user", "hi")]),
        }
    )
    assert [(message.role, message.text) for message in recorded_step.input or ()] == [
        ("system", "Be kind."),
        ("user", "hi"),
    ]


def test_instructions_of_the_developer_are_those_of_the_system() -> None:
    call = chat(**{"gen_ai.input.messages": [{"role": "developer", "content": "Be brief."}]})

    assert [message.role for message in call.input or ()] == ["system"]


def test_text_in_place_of_a_message_is_whose_side_it_is_on() -> None:
    call = chat(**{"gen_ai.input.messages": ["To Paris?"], "gen_ai.output.messages": '["AF007"]'})

    assert [(message.role, message.text) for message in (*(call.input or ()), *(call.output or ()))] == [
        ("user", "To Paris?"),
        ("assistant", "AF007"),
    ]


def test_texts_in_place_of_messages_may_be_anyones() -> None:
    call = chat(**{"gen_ai.input.messages": ["Be brief.", "To Paris?"]})

    assert [message.role for message in call.input or ()] == ["unknown", "unknown"]


def test_object_that_is_not_a_message_cannot_be_read() -> None:
    call = chat(**{"gen_ai.output.messages": {"data": [[0.5]]}})

    assert (call.output, call.gaps, call.unread) == (None, ("unreadable_content",), ("gen_ai.output.messages",))


def test_finish_reasons_are_those_of_the_answer_where_no_attribute_has_them() -> None:
    answer = {"role": "assistant", "parts": [{"type": "text", "content": "AF007"}], "finish_reason": "stop"}

    assert chat(**{"gen_ai.output.messages": [answer]}).finish_reasons == ("stop",)


def test_arguments_and_result_of_a_tool_are_read_from_events_of_its_span() -> None:
    events = (
        Event("gen_ai.tool.input", 0, {"gen_ai.tool.call.arguments": '{"to": "Paris"}'}),
        Event("gen_ai.tool.output", 0, {"gen_ai.tool.call.result": "AF007"}),
    )
    call = step(does("execute_tool", **{"gen_ai.tool.name": "search"}), events=events)

    assert (call.args, call.result) == ({"to": "Paris"}, "AF007")


def test_messages_are_read_from_the_events_of_a_span_where_its_attributes_have_none() -> None:
    event = Event(
        "gen_ai.client.inference.operation.details",
        1,
        {"gen_ai.output.messages": [agent_spans.text_message("assistant", "hello")]},
    )
    recorded_step = step(does("chat"), events=(event,))
    assert [message.text for message in recorded_step.output or ()] == ["hello"]


@pytest.mark.parametrize("left_out", ["<elided>", "<REDACTED>", ""])
def test_arguments_that_were_left_out_are_not_recorded(left_out: str) -> None:
    recorded_step = step(does("execute_tool", **{"gen_ai.tool.name": "search", "gen_ai.tool.call.arguments": left_out}))
    assert recorded_step.args is None


def test_genai_tool_call_is_read_whole() -> None:
    recorded_step = step(
        does(
            "execute_tool",
            **{
                "gen_ai.tool.name": "search",
                "gen_ai.tool.call.id": "c",
                "gen_ai.tool.call.arguments": '{"to": "Paris"}',
                "gen_ai.tool.call.result": '{"flights": []}',
                "gen_ai.agent.name": "travel",
            },
        )
    )
    assert (recorded_step.kind, recorded_step.tool_name, recorded_step.call_id, recorded_step.agent_name) == (
        "tool",
        "search",
        "c",
        "travel",
    )
    assert (recorded_step.args, recorded_step.result) == ({"to": "Paris"}, '{"flights": []}')


def test_content_may_stand_under_plain_names_beside_an_operation() -> None:
    """As in spans of https://github.com/Arize-ai/openinference (js/packages/openinference-genai)."""
    call = step(does("execute_tool", **{"gen_ai.tool.name": "search", "input": '{"to": "Paris"}', "output": "AF007"}))
    answer = step(does("chat", input='[{"role": "user", "content": "Hi"}]', output="Hello"))

    assert (call.args, call.result) == ({"to": "Paris"}, "AF007")
    assert [message.text for said in (answer.input, answer.output) for message in said or ()] == ["Hi", "Hello"]
    assert dialect({"input": "Hi", "output": "Hello"}) is None


@pytest.mark.parametrize("key", ["gen_ai.tool.arguments", "input.value"])
@pytest.mark.parametrize("result_key", ["gen_ai.tool.result", "gen_ai.tool.response", "output.value"])
def test_tool_call_is_read_under_every_name(key: str, result_key: str) -> None:
    call = step(does("execute_tool", **{"gen_ai.tool.name": "search", key: '{"to": "Paris"}', result_key: "AF007"}))

    assert (call.args, call.result) == ({"to": "Paris"}, "AF007")


@pytest.mark.parametrize("key", ["gen_ai.response.content", "gen_ai.output.text", "output.value"])
def test_answer_is_read_under_every_name(key: str) -> None:
    answer = step(does("chat", **{"input.value": "Hi", key: "Hello"}))

    assert [(message.role, message.text) for said in (answer.input, answer.output) for message in said or ()] == [
        ("user", "Hi"),
        ("assistant", "Hello"),
    ]


def test_agent_may_have_keys_of_its_own_for_what_it_was_asked() -> None:
    run = step(does("invoke_agent", **{"gen_ai.agent.input": "Hi", "gen_ai.agent.output": "Hello"}))

    assert (run.input_text, run.output_text) == ("Hi", "Hello")


@pytest.mark.parametrize(
    ("read_key", "written_key"),
    [
        ("cache_read_tokens", "cache_write_tokens"),
        ("cache_read_tokens", "cache_creation_tokens"),
        ("input_tokens.cache_read", "input_tokens.cache_write"),
        ("input_cached_tokens", "input_cache_creation"),
    ],
)
def test_cached_tokens_are_read_under_every_name(read_key: str, written_key: str) -> None:
    usage = step(does("chat", **{f"gen_ai.usage.{read_key}": 80, f"gen_ai.usage.{written_key}": "20"})).usage

    assert (usage.cached_input_tokens, usage.cache_write_input_tokens) == (80, 20)


def test_tool_is_named_by_its_span_where_no_attribute_names_it() -> None:
    assert step(does("execute_tool"), name="execute_tool search").tool_name == "search"


def test_tool_span_that_stands_for_several_calls_is_no_call() -> None:
    assert read(does("execute_tool", **{"gen_ai.tool.name": "(merged tools)"})) is None


def test_agent_is_named_by_its_span_where_no_attribute_names_it() -> None:
    assert step(does("invoke_agent"), name="invoke_agent travel agent").agent_name == "travel agent"
    assert step(does("invoke_agent"), name="invoke_agent").agent_name is None


def test_failed_step_says_why() -> None:
    assert step(does("chat"), status_code="error", status_message="429").error == "429"
    assert step(does("chat", **{"error.type": "Timeout"})).error == "Timeout"


@pytest.mark.parametrize("is_log", [True, False], ids=["log-record", "span-event"])
def test_older_genai_events_are_the_messages(is_log: bool) -> None:  # noqa: FBT001
    def event(name: str, time_ns: int, content: dict[str, Any]) -> Event:
        return Event(name, time_ns, {} if is_log else content, body=content if is_log else None, is_log=is_log)

    call = {"id": "c", "type": "function", "function": {"name": "search", "arguments": '{"to": "Paris"}'}}
    events = (
        event("gen_ai.system.message", 1, {"content": "Be kind."}),
        event("gen_ai.user.message", 2, {"content": "Paris?"}),
        event("gen_ai.tool.message", 3, {"content": "AF007", "id": "b"}),
        event(
            "gen_ai.choice", 4, {"finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [call]}}
        ),
    )
    assert dialect(does("chat"), events=events) == "genai_events"
    recorded_step = step(does("chat"), events=events)
    assert [message.role for message in recorded_step.input or ()] == ["system", "user", "tool"]
    assert (recorded_step.input or ())[1].parts == (TextPart(content="Paris?"),)
    assert (recorded_step.input or ())[2].parts == (ToolCallResponsePart(id="b", response="AF007"),)
    assert (recorded_step.output or ())[0].tool_calls == (
        ToolCallPart(id="c", name="search", arguments={"to": "Paris"}),
    )
    assert recorded_step.finish_reasons == ("tool_calls",)


@pytest.mark.parametrize(
    ("kind", "recorded"),
    [("LLM", "model"), ("TOOL", "tool"), ("AGENT", "agent"), ("CHAIN", "workflow"), ("RETRIEVER", "retrieval")],
)
def test_openinference_kind_says_what_a_span_records(kind: str, recorded: str) -> None:
    assert step(is_a(kind)).kind == recorded
    assert step(is_a(kind.lower())).kind == recorded
    assert dialect(is_a(kind)) == "openinference"


@pytest.mark.parametrize("kind", ["EMBEDDING", "UNKNOWN", ""])
def test_openinference_kind_that_is_no_step_records_none(kind: str) -> None:
    assert read(is_a(kind)) is None


def test_openinference_speaks_before_genai_where_both_are_written() -> None:
    assert dialect({**is_a("LLM"), **does("chat")}) == "openinference"


def test_openinference_messages_are_read_in_the_order_of_their_numbers() -> None:
    many = {f"llm.input_messages.{n}.message.content": str(n) for n in range(12)}
    roles = {f"llm.input_messages.{n}.message.role": "user" for n in range(12)}
    recorded_step = step(is_a("LLM", **dict(sorted({**many, **roles}.items()))))
    assert [message.text for message in recorded_step.input or ()] == [str(n) for n in range(12)]


def test_openinference_tool_calls_of_a_message_are_read() -> None:
    prefix = "llm.output_messages.0.message."
    call = f"{prefix}tool_calls.0.tool_call."
    recorded_step = step(
        is_a(
            "LLM",
            **{
                f"{prefix}role": "assistant",
                f"{call}id": "c",
                f"{call}function.name": "search",
                f"{call}function.arguments": '{"to": "Paris"}',
            },
        )
    )
    assert (recorded_step.output or ())[0].tool_calls == (
        ToolCallPart(id="c", name="search", arguments={"to": "Paris"}),
    )


@pytest.mark.parametrize(
    ("attributes", "args"),
    [
        pytest.param({"input.value": '{"to": "Paris"}'}, {"to": "Paris"}, id="input"),
        pytest.param({"input.value": "Paris"}, "Paris", id="bare-value"),
        pytest.param({"input.value": '{"args": [], "kwargs": {"to": "Paris"}}'}, {"to": "Paris"}, id="envelope"),
        pytest.param({"tool.parameters": '{"to": "Paris"}'}, {"to": "Paris"}, id="parameters-that-are-arguments"),
        pytest.param({"tool.parameters": '{"properties": {"to": {}}}'}, None, id="parameters-that-are-a-schema"),
        pytest.param({}, None, id="not-recorded"),
    ],
)
def test_openinference_arguments_are_found_where_they_are_written(attributes: dict[str, str], args: object) -> None:
    assert step(is_a("TOOL", **{"tool.name": "search", **attributes})).args == args


def test_openinference_tool_message_is_unwrapped() -> None:
    wrapped = {"type": "tool", "data": {"content": "sold out", "tool_call_id": "c", "status": "error"}}
    recorded_step = step(is_a("TOOL", **{"tool.name": "book", "output.value": json.dumps(wrapped)}))
    assert (recorded_step.result, recorded_step.call_id, recorded_step.error) == ("sold out", "c", "sold out")


def test_openinference_handoff_is_no_tool_call() -> None:
    recorded_step = step(is_a("TOOL", **{"output.value": "booking agent"}), name="handoff to booking agent")
    assert (recorded_step.kind, recorded_step.target) == ("handoff", "booking agent")


def test_openinference_tokens_and_cost_are_read() -> None:
    recorded_step = step(
        is_a("LLM", **{"llm.token_count.prompt": 7, "llm.token_count.completion": 3, "llm.cost.total": 0.5})
    )
    assert recorded_step.usage == Usage(input_tokens=7, output_tokens=3, cost_usd=0.5)


@pytest.mark.exhaustive
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_any_value_under_any_key_costs_no_more_than_its_own_span(data: st.DataObject) -> None:
    recording = data.draw(st.sampled_from(RECORDINGS))
    span = data.draw(st.sampled_from([span for spans in recording.spans.values() for span in spans]))
    keys = st.sampled_from([*span.attributes] or KEYS) | st.sampled_from(KEYS)
    values = JSON | JSON.map(json.dumps)
    odd = {**span.attributes, **data.draw(st.dictionaries(keys, values, max_size=4))}
    odd_span = agent_spans.span(99, parent=1, at_s=2, name=span.name, attributes=odd)
    assert agent_spans.trip()[0].span_id in {run.agent_span_id for run in assemble([*agent_spans.trip(), odd_span])}


def test_span_that_a_dialect_fails_on_is_a_gap_of_its_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(span: Span) -> Step:
        raise LookupError(span.name)

    hostile, find_dialect = Dialect("hostile", fails), dialects.find_dialect
    monkeypatch.setattr(
        dialects, "find_dialect", lambda span: hostile if span.name == "hostile" else find_dialect(span)
    )
    [run] = assemble([*agent_spans.trip(), agent_spans.tool(99, parent=1, name="hostile")])
    assert run.gaps == ("unreadable_span",)
    assert [call.name for call in run.tool_calls] == ["search"]
    with pytest.raises(LookupError):
        assemble([agent_spans.tool(99, name="hostile")])


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        pytest.param({"gen_ai.usage.input_tokens": 7}, "model", id="tokens"),
        pytest.param({"gen_ai.output.messages": "[]"}, "model", id="messages"),
        pytest.param({"gen_ai.response.id": "resp_1"}, "model", id="response"),
        pytest.param({"llm.token_count.prompt": 7}, "model", id="tokens-of-openinference"),
        pytest.param({"llm.input_messages": '[{"role": "user", "content": "Hi"}]'}, "model", id="messages-as-one-text"),
        pytest.param({"gen_ai.usage.input_tokens": 7, "gen_ai.agent.name": "travel"}, "agent", id="total-of-an-agent"),
        pytest.param({"gen_ai.usage.input_tokens": 7, "gen_ai.tool.name": "search"}, "tool", id="tokens-of-a-tool"),
        pytest.param({"gen_ai.request.model": "gpt-4.1"}, None, id="a-model-alone"),
        pytest.param({"gen_ai.operation.name": "my_step", "gen_ai.tool.name": "search"}, "tool", id="own-operation"),
        pytest.param({"gen_ai.operation.name": "update_memory", "gen_ai.response.id": "x"}, None, id="memory"),
        pytest.param(
            {"gen_ai.operation.name": "enter", "gen_ai.output.messages": "[]"}, None, id="own-operation-alone"
        ),
        pytest.param(
            {"gen_ai.span.kind": "ENTRY", "gen_ai.output.messages": "[]"}, "workflow", id="entry-of-loongsuite"
        ),
        pytest.param({"gen_ai.span.kind": "STEP", "gen_ai.operation.name": "react"}, None, id="step-of-loongsuite"),
        pytest.param({"gen_ai.operation.name": "agent_step", "gen_ai.usage.input_tokens": 7}, None, id="step"),
    ],
)
def test_span_without_a_known_operation_is_told_by_what_only_one_kind_has(
    attributes: Mapping[str, Any], kind: str | None
) -> None:
    reading = read(attributes)
    assert (reading.kind if reading else None) == kind


def test_span_without_an_operation_but_with_an_event_of_an_inference_is_a_model_call() -> None:
    answer = Event(name="gen_ai.choice", time_ns=0, attributes={"message": '{"content": "Hi"}'})
    assert read({}, events=(answer,)) is not None


@pytest.mark.exhaustive
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_span_with_any_value_under_one_of_its_keys_is_read(data: st.DataObject) -> None:
    span = data.draw(st.sampled_from(SPANS))
    odd = data.draw(
        st.dictionaries(st.sampled_from([*span.attributes] or KEYS), JSON | JSON.map(json.dumps), max_size=2)
    )
    dialects.read(replace(span, attributes={**span.attributes, **odd}))


@pytest.mark.exhaustive
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_span_of_two_conventions_is_read(data: st.DataObject) -> None:
    span, other = data.draw(st.sampled_from(SPANS)), data.draw(st.sampled_from(SPANS))
    both = replace(span, attributes={**other.attributes, **span.attributes}, events=(*span.events, *other.events))
    dialects.read(both)
    assert agent_spans.trip()[0].span_id in {run.agent_span_id for run in assemble([*agent_spans.trip(), both])}


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_attribute_whose_json_was_cut_off_is_named(data: st.DataObject) -> None:
    span = data.draw(st.sampled_from(SPANS))
    cut = {key: value[:200].rstrip("}] \n") for key, value in span.attributes.items() if _is_long_json(value)}
    reading = dialects.read(replace(span, attributes={**span.attributes, **cut}))
    if reading is not None and cut:
        assert "truncated" in reading[1].gaps
        assert cut.keys() <= {*reading[1].unread}


def _is_long_json(value: Any) -> bool:
    return isinstance(value, str) and len(value) > 200 and value.startswith(('{"', "[{")) and value[199] not in "}]"


@pytest.mark.parametrize(
    ("scope", "attributes"),
    [
        pytest.param("ai", {"ai.operationId": "ai.generateText.doGenerate", "ai.response.toolCalls": 5}, id="calls"),
        pytest.param("pydantic-ai", {"agent_name": "a", "final_result": {"calls": 5, "approvals": 3}}, id="deferred"),
        pytest.param("app", does("chat", **{"gen_ai.output.messages": [{"parts": [{"type": ["x"]}]}]}), id="parts"),
        pytest.param("app", is_a("LLM", **{"output.value": '[{"type": ["x"]}]'}), id="items"),
    ],
)
def test_value_of_a_type_that_nobody_writes_costs_no_span(scope: str, attributes: dict[str, Any]) -> None:
    assert read(attributes, scope_name=scope) is not None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"city": "Pa', id="short"),
        pytest.param("[[ ## question ## ]]\n" + "Where to? " * 20, id="headings"),
        pytest.param("{city} is where I want to go. " * 9, id="template"),
    ],
)
def test_text_in_brackets_that_no_exporter_cut_off_is_not_truncated(text: str) -> None:
    call = chat(**{"app.text": text})

    assert (call.gaps, call.unread) == ((), ())


@pytest.mark.parametrize(
    ("what", "dialect", "scope", "expected"),
    [
        pytest.param("pauses", "openinference", "openinference.instrumentation.openai_agents", True, id="its-scope"),
        pytest.param("pauses", "openinference", "openinference.instrumentation.langchain", False, id="another-scope"),
        pytest.param("leaves", "openinference", "openinference.instrumentation.openai_agents", False, id="other-habit"),
        pytest.param("leaves", "vercel_ai", None, True, id="any-scope"),
        pytest.param("leaves", "nobody", None, False, id="no-such-dialect"),
    ],
)
def test_dialect_says_what_its_framework_does_silently(
    what: str, dialect: str, scope: str | None, *, expected: bool
) -> None:
    assert dialects.leaves_unrecorded(what, dialect, scope) is expected
