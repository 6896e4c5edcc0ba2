"""Token counts out of one object, in the spellings of the providers."""

from __future__ import annotations

from typing import Any

from ...spans.values import as_count, as_object

__all__ = ["read_usage"]

_USAGE = {
    "input_tokens": ("input_tokens", "prompt_tokens", "input", "inputTokens", "promptTokens"),
    "output_tokens": ("output_tokens", "completion_tokens", "output", "outputTokens", "completionTokens"),
    "cached_input_tokens": (
        "cache_read_input_tokens",
        "input_cached_tokens",
        "cached_input_tokens",
        "cachedInputTokens",
        "prompt_tokens_details.cached_tokens",
        "input_tokens_details.cached_tokens",
        "input_token_details.cache_read",
    ),
    "cache_write_input_tokens": (
        "cache_creation_input_tokens",
        "input_tokens_details.cache_write_tokens",
        "input_token_details.cache_creation",
    ),
    "audio_input_tokens": (
        "prompt_tokens_details.audio_tokens",
        "input_tokens_details.audio_tokens",
        "input_token_details.audio",
    ),
    "reasoning_tokens": (
        "reasoning_tokens",
        "output_reasoning_tokens",
        "reasoningTokens",
        "completion_tokens_details.reasoning_tokens",
        "output_tokens_details.reasoning_tokens",
        "output_token_details.reasoning",
    ),
    "audio_output_tokens": (
        "completion_tokens_details.audio_tokens",
        "output_tokens_details.audio_tokens",
        "output_token_details.audio",
    ),
}
"""Spellings of OpenAI's two APIs, Anthropic, LangChain and the platforms; behind a dot a key of an object within."""

_PATHS = tuple((field, tuple(name.partition(".")[::2] for name in names)) for field, names in _USAGE.items())


def read_usage(value: Any) -> dict[str, int] | None:
    """Return the counts in one object, by field of `Usage`.

    Anthropic's has no total, and counts cached and written tokens apart from its `input_tokens`:
    https://platform.claude.com/docs/en/build-with-claude/prompt-caching.
    """
    recorded = as_object(value) or {}
    counts: dict[str, int] = {}
    for field, paths in _PATHS:
        for outer, inner in paths:
            if outer in recorded and (count := _count_at(recorded[outer], inner)) is not None:
                counts[field] = count
                break
    if "cache_creation_input_tokens" in recorded and "total_tokens" not in recorded and "input_tokens" in counts:
        counts["input_tokens"] += counts.get("cached_input_tokens", 0) + counts.get("cache_write_input_tokens", 0)
    return counts or None


def _count_at(value: Any, key: str) -> int | None:
    if key:
        value = value.get(key) if isinstance(value, dict) else None
    return as_count(value)
