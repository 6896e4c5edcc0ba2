from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.dialect_steps import read_step

from tracegrade.collector.spans.step import Step

USER = [{"role": "user", "content": "Hi"}]


def step(attributes: dict[str, Any], *, name: str = "call", scope: str = "my-agent") -> Step:
    return read_step(agent_spans.span(1, name=name, attributes=attributes, scope_name=scope), "vercel_ai")


@pytest.mark.parametrize(
    ("name", "attributes", "kind"),
    [
        ("ai.generateText", {"ai.response.text": "Hello"}, "agent"),
        ("ai.streamText.doStream my-agent", {"ai.response.text": "Hello"}, "model"),
        ("ai.toolCall", {"ai.toolCall.name": "search"}, "tool"),
        ("generation", {"ai.prompt.messages": json.dumps(USER)}, "model"),
        ("tool", {"ai.toolCall.name": "search"}, "tool"),
    ],
    ids=["loop by name", "model by name", "tool by name", "model by keys", "tool by keys"],
)
def test_operation_that_is_not_recorded_is_told_by_the_name_or_the_keys(
    name: str, attributes: dict[str, Any], kind: str
) -> None:
    assert step(attributes, name=name).kind == kind


def test_tool_without_a_name_of_its_own_is_in_the_span_s() -> None:
    assert step({"ai.operationId": "ai.toolCall"}, name="ai.toolCall book").tool_name == "book"


def test_details_of_tokens_since_version_6() -> None:
    usage = step(
        {
            "ai.operationId": "ai.generateText.doGenerate",
            "ai.usage.inputTokens": 100,
            "ai.usage.inputTokenDetails.cacheReadTokens": 60,
            "ai.usage.outputTokens": 30,
            "ai.usage.outputTokenDetails.reasoningTokens": 20,
        }
    ).usage

    assert (usage.input_tokens, usage.cached_input_tokens) == (100, 60)
    assert (usage.output_tokens, usage.reasoning_tokens) == (30, 20)


@pytest.mark.parametrize(
    "said",
    [
        {"bedrock": {"usage": {"cacheReadInputTokens": 60}}},
        {"anthropic": {"usage": {"cache_read_input_tokens": 60}}},
        {"openai": {"cachedPromptTokens": 60}},
    ],
    ids=["bedrock", "anthropic", "openai"],
)
def test_cached_tokens_are_among_what_the_provider_says(said: dict[str, Any]) -> None:
    call = step(
        {"ai.operationId": "ai.generateText.doGenerate", "ai.response.providerMetadata": json.dumps(said)}, scope="ai"
    )

    assert call.usage.cached_input_tokens == 60


@pytest.mark.parametrize(
    "said",
    [
        {"bedrock": {"usage": {"cacheReadInputTokens": 60, "cacheWriteInputTokens": 20}}},
        {"anthropic": {"usage": {"cache_creation_input_tokens": 20}, "cacheCreationInputTokens": 20}},
        {"bedrock": {"usage": {"cacheWriteInputTokens": 0, "cacheCreationInputTokens": 20}}},
    ],
    ids=["bedrock", "anthropic", "under two names"],
)
def test_tokens_written_to_the_cache_are_among_what_the_provider_says(said: dict[str, Any]) -> None:
    call = step(
        {
            "ai.operationId": "ai.generateText.doGenerate",
            "ai.usage.cachedInputTokens": 61,
            "ai.response.providerMetadata": json.dumps(said),
        },
        scope="ai",
    )

    assert (call.usage.cached_input_tokens, call.usage.cache_write_input_tokens) == (61, 20)


def test_model_and_answer_may_be_objects() -> None:
    model, answer = {"id": "gpt-4o", "provider": "openai.chat"}, {"text": "Hello"}
    call = step({"ai.model": json.dumps(model), "ai.response": json.dumps(answer)}, name="ai.generateText.doGenerate")

    assert (call.request_model, call.provider_name) == ("gpt-4o", "openai.chat")
    assert call.output is not None
    assert call.output[0].text == "Hello"


@pytest.mark.parametrize("prompt", [json.dumps(USER), "Hi"], ids=["messages", "text"])
def test_prompt_may_be_no_object(prompt: str) -> None:
    run = step({"ai.operationId": "ai.generateObject", "ai.prompt": prompt})

    assert run.input is not None
    assert run.input[0].text == "Hi"


def test_calls_may_be_in_the_form_of_openai() -> None:
    request = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    call = step({"ai.operationId": "ai.generateText.doGenerate", "ai.response.toolCalls": json.dumps(request)})

    assert call.output is not None
    assert [(part.id, part.name) for part in call.output[0].tool_calls] == [("c", "f")]
