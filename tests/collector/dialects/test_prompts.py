"""Prompts and completions of before messages, and spans that name no operation."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import list_texts

from tracegrade.collector import dialects
from tracegrade.collector.spans.span import Event
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import ToolCallPart

USER = [{"role": "user", "content": "Hi"}]


def read(attributes: dict[str, Any], *events: Event, name: str = "call") -> Step | None:
    step = dialects.read(agent_spans.span(1, name=name, attributes=attributes, events=events, scope_name="own"))
    return step[1] if step else None


@pytest.mark.parametrize(
    "prompt",
    [
        "Hi",
        json.dumps(USER),
        json.dumps({"messages": USER}),
        json.dumps([{"message": USER[0]}]),
        {"messages": USER},
    ],
    ids=["text", "messages", "request", "wrapped messages", "structured"],
)
def test_prompt_is_what_the_user_said_in_any_form(prompt: object) -> None:
    call = read({"gen_ai.prompt": prompt, "gen_ai.completion": "Hello"})

    assert call is not None
    assert (call.kind, list_texts(call.input), list_texts(call.output)) == (
        "model",
        [("user", "Hi")],
        [("assistant", "Hello")],
    )


@pytest.mark.parametrize(
    "completion",
    [
        {"text": "Hello", "finish_reason": "stop"},
        {"choices": [{"text": "Hello", "index": 0, "logprobs": None, "finish_reason": "stop"}]},
    ],
    ids=["choice", "answer"],
)
def test_completion_may_be_that_of_the_older_api(completion: dict[str, Any]) -> None:
    call = read({"gen_ai.prompt": "Hi", "gen_ai.completion": json.dumps(completion)})

    assert call is not None
    assert list_texts(call.output) == [("assistant", "Hello")]


@pytest.mark.parametrize("number", ["0.", ""], ids=["numbered", "by itself"])
def test_flattened_prompt_needs_no_operation(number: str) -> None:
    call = read({f"gen_ai.prompt.{number}role": "user", f"gen_ai.prompt.{number}content": "Hi"})

    assert call is not None
    assert list_texts(call.input) == [("user", "Hi")]


@pytest.mark.parametrize("rest", [{"content": "Hi"}, {"parts.0.type": "text", "parts.0.content": "Hi"}], ids=str)
def test_messages_of_the_conventions_may_be_flattened(rest: dict[str, str]) -> None:
    called = "gen_ai.output.messages.0.tool_calls.0."
    call = read(
        {
            "gen_ai.input.messages.0.role": "user",
            **{f"gen_ai.input.messages.0.{key}": value for key, value in rest.items()},
            "gen_ai.output.messages.0.role": "assistant",
            f"{called}id": "c1",
            f"{called}name": "search",
            f"{called}arguments": '{"to": "Paris"}',
        }
    )

    assert call is not None
    assert list_texts(call.input) == [("user", "Hi")]
    assert [message.tool_calls for message in call.output or ()] == [
        (ToolCallPart(id="c1", name="search", arguments={"to": "Paris"}),)
    ]


def test_parts_of_a_flattened_message_are_numbered_too() -> None:
    call = read(
        {
            "gen_ai.prompt.0.role": "user",
            "gen_ai.prompt.0.content.0.type": "text",
            "gen_ai.prompt.0.content.0.text": "Hi",
            "gen_ai.prompt.0.content.1.type": "image_url",
        }
    )

    assert call is not None
    assert call.input is not None
    assert [part.type for part in call.input[0].parts] == ["text", "generic"]


def test_events_hold_a_turn_a_line() -> None:
    prompt = "system: Be brief.\nSay little.\nuser: Hi\nassistant: None\ntool: AF007"
    call = read(
        {},
        Event("gen_ai.content.prompt", 1, {"gen_ai.prompt": prompt}),
        Event("gen_ai.content.completion", 2, {"gen_ai.completion": "Hello"}),
    )

    assert call is not None
    assert list_texts(call.input)[:2] == [("system", "Be brief.\nSay little."), ("user", "Hi")]
    assert [message.role for message in call.input or ()] == ["system", "user", "tool"]
    assert list_texts(call.output) == [("assistant", "Hello")]


def test_each_of_several_completions_is_an_event() -> None:
    events = [Event(f"gen_ai.content.completion.{n}", n, {"gen_ai.completion": f"answer {n}"}) for n in range(2)]
    call = read({"gen_ai.request.model": "gpt-4o"}, *events)

    assert call is not None
    assert list_texts(call.output) == [("assistant", "answer 0"), ("assistant", "answer 1")]


def test_answer_that_openlit_leaves_out_is_a_gap_and_not_a_text() -> None:
    call = read({}, Event("gen_ai.content.completion", 1, {"gen_ai.completion": "Function called with tools"}))

    assert call is not None
    assert (call.output, call.gaps) == (None, ("redacted",))


def test_name_of_a_prompt_s_template_is_not_a_prompt() -> None:
    assert read({"gen_ai.prompt.name": "greeting", "gen_ai.prompt.version": "2"}) is None


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.usage.prompt_tokens": 7},
        {"gen_ai.response.id": "r1"},
        {"gen_ai.output.messages": json.dumps([{"role": "assistant", "content": "Hello"}])},
    ],
    ids=["tokens", "response", "messages"],
)
def test_span_without_an_operation_that_has_what_only_a_model_call_has_is_one(attributes: dict[str, Any]) -> None:
    call = read(attributes)

    assert call is not None
    assert call.kind == "model"


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("openai.embeddings", {"gen_ai.usage.prompt_tokens": 7}),
        ("call", {"gen_ai.usage.prompt_tokens": 7, "gen_ai.request.type": "embedding"}),
        ("call", {"gen_ai.request.model": "gpt-4o"}),
        ("call", {"gen_ai.usage.prompt_tokens": 7, "gen_ai.operation.name": "moderate"}),
    ],
    ids=["embeddings by name", "embeddings by type", "model alone", "other operation"],
)
def test_span_that_is_not_a_call_of_a_language_model_is_not_a_step(name: str, attributes: dict[str, Any]) -> None:
    assert read(attributes, name=name) is None


def test_message_events_make_a_span_a_model_call_and_log_records_alone_do_not() -> None:
    own = Event("gen_ai.user.message", 1, {"content": "Hi"})

    assert read({}, own) is not None
    assert read({}, replace(own, is_log=True)) is None


def test_calls_in_an_event_may_be_json() -> None:
    calls = json.dumps([{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}])
    call = read({}, Event("gen_ai.assistant.message", 1, {"tool_calls": calls}))

    assert call is not None
    assert call.input is not None
    assert call.input[0].tool_calls == (ToolCallPart(id="c", name="f", arguments={}),)


def test_model_is_google_s_role_of_an_assistant() -> None:
    call = read({"gen_ai.output.messages": json.dumps([{"role": "model", "parts": [{"text": "Hello"}]}])})

    assert call is not None
    assert list_texts(call.output) == [("assistant", "Hello")]


def test_session_that_somebody_chose_precedes_the_conversation() -> None:
    chat = {"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "conversation"}
    own = [{"langfuse.session.id": "chosen"}, {"session.id": "chosen"}, {"thread_id": "chosen"}, {}]
    sessions = [call.session_id for keys in own if (call := read({**chat, **keys}))]

    assert sessions == ["chosen", "chosen", "chosen", "conversation"]


@pytest.mark.parametrize("key", ["user.id", "enduser.id", "enduser.pseudo.id", "gen_ai.user", "posthog.distinct_id"])
def test_user_is_under_any_key(key: str) -> None:
    call = read({"gen_ai.operation.name": "chat", key: "u1"})

    assert call is not None
    assert call.user_id == "u1"


@pytest.mark.parametrize(
    ("session_key", "user_key"),
    [
        ("confident.trace.thread_id", "confident.trace.user_id"),
        ("langwatch.thread.id", "langwatch.user.id"),
        ("langsmith.metadata.session_id", "langsmith.metadata.user_id"),
        ("mlflow.trace.session", "mlflow.trace.user"),
        ("respan.threads.thread_identifier", "respan.customer_params.customer_identifier"),
        ("wandb.thread_id", "keywordsai.customer_params.customer_identifier"),
    ],
)
@pytest.mark.parametrize("kind", ["gen_ai.operation.name", "openinference.span.kind"])
def test_session_and_user_of_a_platform_are_read_on_spans_of_any_convention(
    kind: str, session_key: str, user_key: str
) -> None:
    call = read(
        {
            kind: "chat" if kind.startswith("gen_ai") else "LLM",
            session_key: "s1",
            user_key: "u1",
            "gen_ai.conversation.id": "c1",
        }
    )

    assert call is not None
    assert (call.session_id, call.user_id) == ("s1", "u1")


@pytest.mark.parametrize(("cost", "usd"), [(0.25, 0.25), ("0.25", 0.25), ("free", None), ("nan", None)], ids=str)
def test_cost_may_be_text(cost: object, usd: float | None) -> None:
    call = read({"gen_ai.operation.name": "chat", "gen_ai.usage.cost": cost})

    assert call is not None
    assert call.usage.cost_usd == usd


def test_call_of_an_mcp_server_has_its_arguments_beside_the_server_and_an_approval_is_not_a_call() -> None:
    held = {"type": "mcp", "server_name": "docs", "arguments": {"q": 1}}
    answer = {"type": "mcp", "output": [{"type": "text", "text": "found"}]}
    parts = [
        {
            "type": "server_tool_call",
            "id": "a",
            "name": "ask",
            "server_tool_call": {**held, "type": "mcp_approval_request"},
        },
        {"type": "server_tool_call", "id": "c", "name": "ask", "server_tool_call": held},
        {"type": "server_tool_call_response", "id": "c", "server_tool_call_response": answer},
    ]
    call = read({"gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": parts}])})

    assert call is not None
    assert call.output is not None
    assert call.output[0].tool_calls == (ToolCallPart(id="c", name="ask", arguments={"q": 1}),)


@pytest.mark.parametrize(
    "answer",
    [
        [{"role": "assistant", "content": [{"tool_use": {"tool_use_id": "c", "name": "f", "input": {}}}]}],
        [
            {"type": "reasoning", "summary": []},
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        ],
        {
            "choices": [
                {
                    "message": {
                        "role": "assistant",
                        "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}],
                    }
                }
            ]
        },
        [{"role": "AI", "tool_calls": [{"id": "c", "name": "f", "args": {}}]}],
    ],
    ids=["bedrock", "responses", "choices", "langchain"],
)
def test_calls_are_read_in_the_form_of_any_provider(answer: object) -> None:
    call = read({"gen_ai.output.messages": json.dumps(answer)})

    assert call is not None
    assert [part for turn in call.output or () for part in turn.tool_calls] == [
        ToolCallPart(id="c", name="f", arguments={})
    ]
    assert {turn.role for turn in call.output or ()} == {"assistant"}


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"role": "assistant", "content": None, "refusal": "I cannot."}, "I cannot."),
        ({"role": "assistant", "content": {"sky": "sunny"}}, '{"sky":"sunny"}'),
        ({"role": "assistant", "content": {"type": "text", "text": "Sunny"}}, "Sunny"),
        ({"role": "Assistant", "content": "Sunny"}, "Sunny"),
        ({"role": "assistant", "content": "Sunny", "type": ["odd"]}, "Sunny"),
    ],
    ids=["refusal", "object", "one part", "role in capitals", "odd type"],
)
def test_answer_is_a_text_in_any_form(answer: object, text: str) -> None:
    call = read({"gen_ai.output.messages": json.dumps([answer])})

    assert call is not None
    assert list_texts(call.output) == [("assistant", text)]
