from __future__ import annotations

import pytest

from tracegrade.evaluators.pricing.model_name import model_name


@pytest.mark.parametrize(
    ("recorded", "name"),
    [
        pytest.param("gpt-4.1-mini", "gpt-4.1-mini", id="plain"),
        pytest.param("GPT-4.1-Mini", "gpt-4.1-mini", id="capitals"),
        pytest.param("gpt-4.1-mini-2025-04-14", "gpt-4.1-mini", id="date"),
        pytest.param("claude-sonnet-4-20250514", "claude-sonnet-4", id="compact date"),
        pytest.param("claude-sonnet-4@20250514", "claude-sonnet-4", id="Vertex date"),
        pytest.param("gpt-4-0613", "gpt-4", id="month and day"),
        pytest.param("mistral-large-2411", "mistral-large", id="year and month"),
        pytest.param("command-r-plus-08-2024", "command-r-plus", id="month and year"),
        pytest.param("gemini-2.0-flash-001", "gemini-2.0-flash", id="Gemini version"),
        pytest.param("gemini-2.5-pro-preview-05-06", "gemini-2.5-pro-preview", id="preview stays one"),
        pytest.param("llama3.2:latest", "llama3.2", id="latest tag"),
        pytest.param("mistral:latest", "mistral", id="latest tag behind a maker"),
        pytest.param("ollama/mistral:7b-instruct-q4_0", "mistral:7b-instruct-q4_0", id="tag behind a provider"),
        pytest.param("mistral:ministral-8b-latest", "ministral-8b", id="maker with colon"),
        pytest.param("claude-3-opus-latest", "claude-3-opus", id="latest alias"),
        pytest.param("openai/gpt-4.1-mini", "gpt-4.1-mini", id="provider"),
        pytest.param("openrouter/openai/gpt-4.1-mini", "gpt-4.1-mini", id="two providers"),
        pytest.param("openai:gpt-4.1-mini", "gpt-4.1-mini", id="provider with colon"),
        pytest.param("azure/gpt-35-turbo", "gpt-3.5-turbo", id="Azure spelling"),
        pytest.param("models/gemini-2.0-flash", "gemini-2.0-flash", id="Gemini API path"),
        pytest.param("publishers/google/models/gemini-2.0-flash", "gemini-2.0-flash", id="Vertex path"),
        pytest.param("accounts/fireworks/models/llama-v3p1-8b-instruct", "llama-v3p1-8b-instruct", id="Fireworks path"),
        pytest.param("us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4", id="Bedrock profile"),
        pytest.param("amazon.nova-pro-v1:0", "nova-pro", id="Bedrock model"),
        pytest.param("deepseek.r1-v1:0", "deepseek-r1", id="Bedrock short name"),
        pytest.param(
            "arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-sonnet-4-20250514-v1:0",
            "claude-sonnet-4",
            id="Bedrock ARN",
        ),
    ],
)
def test_spellings_of_a_model_have_one_name(recorded: str, name: str) -> None:
    assert model_name(recorded) == name


@pytest.mark.parametrize(
    "name",
    [
        "gpt-4.1",
        "gpt-4-1106-preview",
        "llama3.2:3b",
        "mistral:7b",
        "qwen:1.8b-chat",
        "mistral-7b-instruct-v0:2",
        "claude-v2:1",
        "text-embedding-004",
        "deepseek-v3",
        "acme/llama-3",
        "gpt-4.1-mini:free",
        "ft:gpt-4.1-mini-2025-04-14:Acme::AbC",
        "projects/p/locations/l/endpoints/17",
        "latest",
        "openai/",
        "x" * 10_000,
        "",
    ],
    ids=lambda name: name[:40] or "empty",
)
def test_name_that_may_tell_models_apart_stays(name: str) -> None:
    assert model_name(name) == name


def test_fine_tuned_model_keeps_its_name_without_the_provider() -> None:
    assert model_name("openai/ft:gpt-4.1-mini-2025-04-14:Acme::AbC") == "ft:gpt-4.1-mini-2025-04-14:Acme::AbC"
