"""Reads whole requests to a model, for the APIs of OpenAI (chat completions, responses), Anthropic and Gemini.

Source: https://platform.openai.com/docs/api-reference (chat/create, responses/create),
https://docs.anthropic.com/en/api/messages, https://ai.google.dev/api/generate-content
"""

from __future__ import annotations

from typing import Any

from tracegrade.evaluators.model import Message

from ...spans.values import as_object, decode_text
from . import gemini, langchain
from .messages import message
from .openai import read_items

__all__ = ["read_request"]

_INSTRUCTIONS = ("instructions", "system", "system_instruction", "systemInstruction")
_INPUTS = ("messages", "input", "contents")
_BESIDE = frozenset({"model", "tools", "config", *_INSTRUCTIONS})
"""With one of these beside it, a text was put to a model; alone it is any function's argument."""


def read_request(value: Any) -> tuple[Message, ...] | None:
    """Return the messages sent to a model, the instructions first; None when `value` is not a request."""
    body = as_object(value)
    if body is None:
        return None
    history = langchain.read_state(body) or next(
        (turns for key in _INPUTS if (turns := _read_input(body, body.get(key)))), None
    )
    return (*_read_instructions(body), *history) if history else None


def _read_input(body: dict[str, Any], content: Any) -> tuple[Message, ...] | None:
    decoded = decode_text(content)
    if isinstance(decoded, list) and any(isinstance(item, dict) and "parts" in item for item in decoded):
        return gemini.read_contents(decoded, "user")
    is_text = isinstance(content, str) and content and not isinstance(decoded, list)
    if is_text or (isinstance(decoded, list) and all(isinstance(text, str) for text in decoded)):
        turn = message({"role": "user", "content": content if is_text else decoded})
        return (turn,) if turn.parts and body.keys() & _BESIDE else None
    return read_items(decoded)


def _read_instructions(body: dict[str, Any]) -> tuple[Message, ...]:
    """Return the instructions beside the messages; Google's SDK has them among the settings of the call."""
    fields = {**(as_object(body.get("config")) or {}), **body}
    instructions = next((instructions for key in _INSTRUCTIONS if (instructions := fields.get(key))), None)
    if isinstance(instructions, dict):
        return gemini.read_contents(instructions, "system")
    return (message({"role": "system", "content": instructions}),) if isinstance(instructions, (str, list)) else ()
