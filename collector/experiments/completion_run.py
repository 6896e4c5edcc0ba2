"""The run in a chat completion of OpenAI: the answer of a model, and the calls that it asks for.

Source: https://platform.openai.com/docs/api-reference/chat/object
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tracegrade.evaluators.formats.openai import calls_in, messages
from tracegrade.evaluators.model import AgentTrace, JsonObject

__all__ = ["is_completion", "run_of_completion"]


def is_completion(value: object) -> bool:
    """Return whether a value is a chat completion with an answer."""
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(first, dict) and isinstance(first.get("message"), dict)


def run_of_completion(completion: Mapping[str, Any], asked: Sequence[JsonObject] = ()) -> AgentTrace:
    """Return the run of a completion, which answers the messages in `asked`.

    The calls are not made, so they have no results. Raises ValueError if there is no answer, or for messages that
    cannot be read.
    """
    if not completion.get("choices"):
        raise ValueError("the response has no choices")
    answer = completion["choices"][0]["message"]
    conversation = messages([*asked, answer])
    texts = {message.role: message.text for message in conversation[:-1]}
    usage = completion.get("usage") or {}
    content = answer.get("content")
    return AgentTrace(
        model=completion.get("model"),
        input=texts.get("user"),
        messages=conversation,
        tool_calls=calls_in(conversation[-1:]),
        final_response=content if isinstance(content, str) else conversation[-1].text,
        input_tokens=usage.get("prompt_tokens"),
        output_tokens=usage.get("completion_tokens"),
    )
