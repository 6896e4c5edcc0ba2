"""Tokens in the objects that instrumentations write whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans

from tracegrade.collector import dialects
from tracegrade.collector.spans.step import Usage


def usage_of(usage: dict[str, Any]) -> Usage:
    """What is read of the usage that Logfire keeps of an answer."""
    attributes = {
        "logfire.msg_template": "Message with {request_data[model]!r}",
        "request_data": json.dumps({"model": "m", "messages": [{"role": "user", "content": "hello"}]}),
        "response_data": json.dumps({"message": {"role": "assistant", "content": "hi"}, "usage": usage}),
    }
    read = dialects.read(agent_spans.span(1, scope_name="logfire.anthropic", attributes=attributes))
    assert read is not None
    return read[1].usage


@pytest.mark.parametrize(
    ("recorded", "usage"),
    [
        pytest.param(
            {
                "prompt_tokens": 100,
                "completion_tokens": 50,
                "prompt_tokens_details": {"cached_tokens": 80, "audio_tokens": 5},
                "completion_tokens_details": {"reasoning_tokens": 30, "audio_tokens": 4},
            },
            Usage(
                input_tokens=100,
                output_tokens=50,
                cached_input_tokens=80,
                audio_input_tokens=5,
                reasoning_tokens=30,
                audio_output_tokens=4,
            ),
            id="OpenAI chat completions",
        ),
        pytest.param(
            {
                "input_tokens": 100,
                "output_tokens": 50,
                "input_tokens_details": {"cached_tokens": 80},
                "output_tokens_details": {"reasoning_tokens": 30},
                "total_tokens": 150,
            },
            Usage(input_tokens=100, output_tokens=50, cached_input_tokens=80, reasoning_tokens=30),
            id="OpenAI responses",
        ),
        pytest.param(
            {
                "input_tokens": 100,
                "output_tokens": 50,
                "total_tokens": 150,
                "input_token_details": {"cache_read": 60, "cache_creation": 20},
                "output_token_details": {"reasoning": 30},
            },
            Usage(
                input_tokens=100,
                output_tokens=50,
                cached_input_tokens=60,
                cache_write_input_tokens=20,
                reasoning_tokens=30,
            ),
            id="LangChain",
        ),
        pytest.param(
            {
                "input_tokens": 20,
                "output_tokens": 50,
                "cache_read_input_tokens": 60,
                "cache_creation_input_tokens": 20,
            },
            Usage(input_tokens=100, output_tokens=50, cached_input_tokens=60, cache_write_input_tokens=20),
            id="Anthropic, which counts cached tokens apart",
        ),
        pytest.param(
            {"prompt_tokens": 7, "completion_tokens": 5, "prompt_tokens_details": None, "total_tokens": "12"},
            Usage(input_tokens=7, output_tokens=5),
            id="no details",
        ),
        pytest.param(
            {"prompt_tokens": 7, "prompt_tokens_details": "none", "completion_tokens_details": [1]},
            Usage(input_tokens=7),
            id="details of another type",
        ),
    ],
)
def test_usage_is_read_in_the_spelling_of_each_api(recorded: dict[str, Any], usage: Usage) -> None:
    assert usage_of(recorded) == usage


@pytest.mark.parametrize(
    "key",
    [
        "gen_ai.usage.cache_write.input_tokens",
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "gen_ai.usage.details.cache_write_tokens",
    ],
)
def test_tokens_written_to_a_cache_are_read_under_their_older_names_too(key: str) -> None:
    read = dialects.read(agent_spans.span(1, attributes={"gen_ai.operation.name": "chat", key: 12}))
    assert read is not None
    assert read[1].usage == Usage(cache_write_input_tokens=12)


ANSWERED = {
    "gen_ai.operation.name": "chat",
    "gen_ai.input.messages": json.dumps([agent_spans.text_message("user", "Hello?")]),
    "gen_ai.output.messages": json.dumps([agent_spans.text_message("assistant", "Hello.")]),
}


def usage_on(attributes: dict[str, Any], scope: str = "app") -> Usage:
    read = dialects.read(agent_spans.span(1, scope_name=scope, attributes=attributes))
    assert read is not None
    return read[1].usage


def conventional(**counts: int) -> dict[str, Any]:
    names = {"cached": "cache_read.input", "written": "cache_creation.input", "reasoning": "reasoning.output"}
    keys = {name: f"gen_ai.usage.{names.get(name, name)}_tokens" for name in counts}
    return {**ANSWERED, **{keys[name]: count for name, count in counts.items()}}


@pytest.mark.parametrize(
    ("counts", "whole"),
    [
        pytest.param({"input": 7, "output": 120, "cached": 9800}, (9807, 120), id="more-cached-than-sent"),
        pytest.param({"input": 9807, "output": 120, "cached": 9800}, (9807, 120), id="included"),
        pytest.param(
            {"input": 1200, "output": 150, "cached": 800, "written": 300, "total": 2450}, (2300, 150), id="total"
        ),
        pytest.param(
            {"input": 1200, "output": 150, "cached": 800, "written": 300, "reasoning": 90, "total": 2540},
            (2300, 240),
            id="total-with-reasoning",
        ),
        pytest.param(
            {"input": 1200, "output": 150, "cached": 800, "reasoning": 90, "total": 1350}, (1200, 150), id="whole"
        ),
        pytest.param({"input": 100, "output": 50, "reasoning": 30, "total": 180}, (100, 80), id="reasoning-beside"),
        pytest.param({"input": 100, "output": 50, "cached": 40, "total": 999}, (100, 50), id="total-of-something-else"),
    ],
)
def test_counts_include_their_parts(counts: dict[str, int], whole: tuple[int, int]) -> None:
    usage = usage_on(conventional(**counts))
    assert (usage.input_tokens, usage.output_tokens) == whole
    assert usage.total_tokens is None


@pytest.mark.parametrize(
    ("usage", "sent", "answered"),
    [
        pytest.param(
            {"input": 9, "output": 20, "reasoning": 0, "cache": {"read": 80, "write": 11}}, 100, 20, id="opencode"
        ),
        pytest.param(
            {"input": 9, "output": 20, "cacheRead": 80, "cacheWrite": 11, "totalTokens": 120}, 100, 20, id="pi"
        ),
        pytest.param(
            {
                "inputTokens": 9,
                "outputTokens": 20,
                "custom": {"cache_read_input_tokens": 80, "cache_creation_input_tokens": 11},
            },
            100,
            20,
            id="Genkit with Anthropic",
        ),
        pytest.param(
            {"inputTokens": 100, "outputTokens": 20, "thoughtsTokens": 5, "totalTokens": 125}, 100, 25, id="Genkit"
        ),
        pytest.param(
            {"promptTokenCount": 100, "candidatesTokenCount": 20, "thoughtsTokenCount": 5, "totalTokenCount": 125},
            100,
            25,
            id="Gemini",
        ),
        pytest.param(
            {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120, "input_token_details": {"cache_read": 80}},
            100,
            20,
            id="LangChain",
        ),
    ],
)
def test_counts_beside_the_cache_are_added(usage: dict[str, Any], sent: int, answered: int) -> None:
    read = usage_of(usage)
    assert (read.input_tokens, read.output_tokens) == (sent, answered)


@pytest.mark.parametrize(
    "usage",
    [
        {
            "cache_creation_input_tokens": 300,
            "cache_creation": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 200},
        },
        {
            "total_tokens": 1010,
            "input_token_details": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 200},
        },
    ],
    ids=["Anthropic", "LangChain"],
)
def test_tokens_written_for_an_hour_are_told_apart(usage: dict[str, Any]) -> None:
    read = usage_of({"input_tokens": 1000, "output_tokens": 10, **usage})
    assert (read.cache_write_input_tokens, read.cache_write_1h_input_tokens) == (300, 200)


def test_modalities_of_gemini_are_told_apart() -> None:
    details = [{"modality": "TEXT", "tokenCount": 5}, {"modality": "IMAGE", "tokenCount": 258}]
    read = usage_of({"promptTokenCount": 263, "candidatesTokenCount": 4, "promptTokensDetails": details})
    assert (read.input_tokens, read.image_input_tokens, read.video_input_tokens) == (263, 258, None)


def test_zeros_of_an_answered_call_are_unknown() -> None:
    assert usage_on({**conventional(input=0, output=0), "gen_ai.usage.cost": 0.0}) == Usage()


def test_zeros_of_a_call_without_an_answer_stay() -> None:
    attributes = conventional(input=0, output=0)
    del attributes["gen_ai.output.messages"]
    assert usage_on(attributes) == Usage(input_tokens=0, output_tokens=0)


@pytest.mark.parametrize("where", ["usage", "mlflow.spanOutputs"])
def test_usage_is_read_where_mlflow_has_it(where: str) -> None:
    usage = {"prompt_tokens": 31, "completion_tokens": 4, "total_tokens": 35}
    value = json.dumps(usage if where == "usage" else {"choices": [], "usage": usage})
    read = usage_on({"mlflow.spanType": '"CHAT_MODEL"', where: value}, scope="mlflow.tracing")
    assert (read.input_tokens, read.output_tokens) == (31, 4)


@pytest.mark.parametrize(
    ("details", "sent"),
    [
        ({"input": 9, "output": 20, "cache_read_input_tokens": 80, "cache_creation_input_tokens": 11}, 100),
        ({"input": 9, "output": 20, "input_cache_read": 80, "input_cache_creation": 11, "total": 120}, 100),
        ({"input": 100, "output": 20, "input_cached_tokens": 80, "total": 120}, 100),
    ],
    ids=["anthropic", "beside", "included"],
)
def test_details_of_langfuse_are_counted_once(details: dict[str, int], sent: int) -> None:
    attributes = {"langfuse.observation.type": "generation", "langfuse.observation.usage_details": json.dumps(details)}
    read = usage_on(attributes, scope="langfuse-sdk")
    assert (read.input_tokens, read.output_tokens) == (sent, 20)
