"""Token counts: out of one object, in the spellings of the providers, and with the meaning that the columns promise."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from ...spans.frozen import replace
from ...spans.step import NO_USAGE, Step, Usage
from ...spans.values import as_count, as_object

__all__ = ["read_usage", "with_whole_counts"]

_USAGE = {
    "input_tokens": ("input_tokens", "prompt_tokens", "input", "inputTokens", "promptTokens", "promptTokenCount"),
    "output_tokens": (
        "output_tokens",
        "completion_tokens",
        "output",
        "outputTokens",
        "completionTokens",
        "candidatesTokenCount",
    ),
    "cached_input_tokens": (
        "cache_read_input_tokens",
        "input_cached_tokens",
        "cached_input_tokens",
        "cachedInputTokens",
        "prompt_tokens_details.cached_tokens",
        "input_tokens_details.cached_tokens",
        "input_token_details.cache_read",
        "inputTokenDetails.cacheReadTokens",
        "cacheReadInputTokens",
        "cachedContentTokens",
        "cachedContentTokenCount",
        "custom.cache_read_input_tokens",
        "cache_read_tokens",
        "cacheRead",
        "cache.read",
    ),
    "cache_write_input_tokens": (
        "cache_creation_input_tokens",
        "cache_write_input_tokens",
        "input_tokens_details.cache_write_tokens",
        "prompt_tokens_details.cache_write_tokens",
        "prompt_tokens_details.cache_creation_tokens",
        "input_token_details.cache_creation",
        "inputTokenDetails.cacheWriteTokens",
        "cacheCreationInputTokens",
        "cacheWriteInputTokens",
        "custom.cache_creation_input_tokens",
        "cache_write_tokens",
        "cacheWrite",
        "cache.write",
    ),
    "cache_write_1h_input_tokens": (
        "cache_creation.ephemeral_1h_input_tokens",
        "cacheCreation.ephemeral1hInputTokens",
        "input_token_details.ephemeral_1h_input_tokens",
        "prompt_tokens_details.cache_creation_token_details.ephemeral_1h_input_tokens",
        "custom.ephemeral_1h_input_tokens",
        "custom.cache_creation.ephemeral_1h_input_tokens",
        "ephemeral_1h_input_tokens",
    ),
    "audio_input_tokens": (
        "prompt_tokens_details.audio_tokens",
        "input_tokens_details.audio_tokens",
        "input_token_details.audio",
        "promptTokensDetails.AUDIO",
        "prompt_tokens_details.AUDIO",
    ),
    "image_input_tokens": (
        "prompt_tokens_details.image_tokens",
        "input_tokens_details.image_tokens",
        "input_token_details.image",
        "promptTokensDetails.IMAGE",
        "prompt_tokens_details.IMAGE",
    ),
    "video_input_tokens": (
        "prompt_tokens_details.video_tokens",
        "input_tokens_details.video_tokens",
        "input_token_details.video",
        "promptTokensDetails.VIDEO",
        "prompt_tokens_details.VIDEO",
    ),
    "reasoning_tokens": (
        "reasoning_tokens",
        "output_reasoning_tokens",
        "reasoning_output_tokens",
        "reasoningTokens",
        "completion_tokens_details.reasoning_tokens",
        "output_tokens_details.reasoning_tokens",
        "output_token_details.reasoning",
        "outputTokenDetails.reasoningTokens",
        "thoughtsTokens",
        "thoughtsTokenCount",
        "reasoning",
    ),
    "audio_output_tokens": (
        "completion_tokens_details.audio_tokens",
        "output_tokens_details.audio_tokens",
        "output_token_details.audio",
        "candidatesTokensDetails.AUDIO",
        "completion_tokens_details.AUDIO",
    ),
    "image_output_tokens": (
        "completion_tokens_details.image_tokens",
        "output_tokens_details.image_tokens",
        "output_token_details.image",
        "candidatesTokensDetails.IMAGE",
        "completion_tokens_details.IMAGE",
    ),
    "total_tokens": ("total_tokens", "totalTokens", "total", "totalTokenCount"),
}
"""Spellings of OpenAI's two APIs, Anthropic, Gemini, LangChain, Genkit, the AI SDK, opencode and the platforms; behind
a dot a key of an object within, or a modality in a list of `{"modality", "tokenCount"}`."""

_5_MINUTES = (
    "cache_creation.ephemeral_5m_input_tokens",
    "input_token_details.ephemeral_5m_input_tokens",
    "prompt_tokens_details.cache_creation_token_details.ephemeral_5m_input_tokens",
    "custom.ephemeral_5m_input_tokens",
    "ephemeral_5m_input_tokens",
)
_APART = ("cache_creation_input_tokens", "cacheRead", "cacheWrite", "cache", "custom")
"""Where Anthropic, pi, opencode and Genkit's plugin for Anthropic count cached tokens, which the input leaves out."""
_THOUGHTS = ("thoughtsTokens", "thoughtsTokenCount")
"""Where Genkit and Gemini count reasoning, which the output leaves out."""

_Path = tuple[str, ...]
_PATHS: tuple[tuple[str, tuple[_Path, ...]], ...] = tuple(
    (field, tuple(tuple(name.split(".")) for name in names)) for field, names in _USAGE.items()
)
_PATHS_OF_5_MINUTES = tuple(tuple(name.split(".")) for name in _5_MINUTES)


def read_usage(value: Any) -> dict[str, int] | None:
    """Return the counts in one object, by field of `Usage`.

    Anthropic counts cached and written tokens apart from its `input_tokens`:
    https://platform.claude.com/docs/en/build-with-claude/prompt-caching. So do others who use its names and give no
    total that says otherwise.
    """
    recorded = as_object(value) or {}
    counts = {field: count for field, paths in _PATHS if (count := _first_count(recorded, paths)) is not None}
    _complete_written(recorded, counts)
    if "total_tokens" not in counts:
        if "input_tokens" in counts and _is_apart(recorded):
            counts["input_tokens"] += counts.get("cached_input_tokens", 0) + counts.get("cache_write_input_tokens", 0)
        if "output_tokens" in counts and not recorded.keys().isdisjoint(_THOUGHTS):
            counts["output_tokens"] += counts.get("reasoning_tokens", 0)
    return counts or None


def _complete_written(recorded: dict[str, Any], counts: dict[str, int]) -> None:
    """Set the tokens that were written to the sum by lifetime, where that is more: some count each token only there."""
    for_an_hour = counts.get("cache_write_1h_input_tokens")
    for_minutes = _first_count(recorded, _PATHS_OF_5_MINUTES)
    if for_an_hour is not None or for_minutes is not None:
        written = (for_an_hour or 0) + (for_minutes or 0)
        counts["cache_write_input_tokens"] = max(counts.get("cache_write_input_tokens", 0), written)


def _is_apart(recorded: dict[str, Any]) -> bool:
    return "prompt_tokens" not in recorded and not recorded.keys().isdisjoint(_APART)


def _first_count(recorded: dict[str, Any], paths: tuple[_Path, ...]) -> int | None:
    return next(
        (count for path in paths if path[0] in recorded and (count := _count_at(recorded, path)) is not None), None
    )


def _count_at(value: Any, path: _Path) -> int | None:
    for key in path:
        if isinstance(value, list):
            value = next((item.get("tokenCount", item.get("token_count")) for item in _of_modality(value, key)), None)
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return as_count(value)


def _of_modality(items: list[Any], modality: str) -> Iterator[dict[str, Any]]:
    return (item for item in items if isinstance(item, dict) and str(item.get("modality")).upper() == modality)


def with_whole_counts(step: Step) -> Step:
    """Return `step` with counts that include their parts, and without those that are 0 although something was said.

    A stream whose instrumentation did not see its last chunk, and some proxies, count 0 tokens. An exchange of
    messages takes some, so their number is not known.
    """
    usage = step.usage
    if usage == NO_USAGE:
        return step
    whole = _include_parts(usage)
    whole = whole if whole.total_tokens is None else whole._replace(total_tokens=None)
    if step.kind == "model":
        whole = _drop_zeros(whole, step)
    return step if whole == usage else replace(step, usage=whole)


def _include_parts(usage: Usage) -> Usage:
    """Return the counts with their parts included, if the total, or a part larger than the whole, says they are not."""
    sent, answered, total = usage.input_tokens, usage.output_tokens, usage.total_tokens
    cached, written = usage.cached_input_tokens or 0, usage.cache_write_input_tokens or 0
    reasoning = usage.reasoning_tokens or 0
    beside = 0 if sent is None or cached + written <= sent else cached + written
    beside_answer = 0 if answered is None or reasoning <= answered else reasoning
    if total is not None and sent is not None and answered is not None and total > sent + answered:
        sums = product((0, cached + written, cached, written), (0, reasoning))
        found = next((added for added in sums if sent + answered + sum(added) == total), None)
        beside, beside_answer = found if found is not None else (beside, beside_answer)
    if not beside and not beside_answer:
        return usage
    return usage._replace(
        input_tokens=None if sent is None else sent + beside,
        output_tokens=None if answered is None else answered + beside_answer,
    )


def _drop_zeros(usage: Usage, step: Step) -> Usage:
    if usage.input_tokens and usage.output_tokens:
        return usage
    is_answered = any(message.parts for message in step.output or ()) or bool(step.output_text)
    is_asked = any(message.parts for message in step.input or ()) or bool(step.input_text)
    has_counts = bool(usage.input_tokens or usage.output_tokens)
    if not is_answered or not (is_asked or has_counts):
        return usage
    return usage._replace(
        input_tokens=usage.input_tokens or None,
        output_tokens=usage.output_tokens or None,
        cost_usd=usage.cost_usd if has_counts else usage.cost_usd or None,
    )
