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
