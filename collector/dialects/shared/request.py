"""A request to a model, whole: what OpenAI (chat completions, responses), Anthropic and Gemini are sent.

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

_TOLD = ("instructions", "system", "system_instruction", "systemInstruction")
_ASKED = ("messages", "input", "contents")
_BESIDE = frozenset({"model", "tools", "config", *_TOLD})
"""With one of these beside it, a text was put to a model; alone it is any function's argument."""


def read_request(value: Any) -> tuple[Message, ...] | None:
    """What a model was told and asked, the instructions first; None when `value` is no request."""
    body = as_object(value)
    if body is None:
        return None
    asked = langchain.read_state(body) or next((said for key in _ASKED if (said := _asked(body, body.get(key)))), None)
    return (*_told(body), *asked) if asked else None


def _asked(body: dict[str, Any], held: Any) -> tuple[Message, ...] | None:
    listed = decode_text(held)
    if isinstance(listed, list) and any(isinstance(one, dict) and "parts" in one for one in listed):
        return gemini.read_contents(listed, "user")
    is_text = isinstance(held, str) and held and not isinstance(listed, list)
    if is_text or (isinstance(listed, list) and all(isinstance(text, str) for text in listed)):
        said = message({"role": "user", "content": held if is_text else listed})
        return (said,) if said.parts and body.keys() & _BESIDE else None
    return read_items(listed)


def _told(body: dict[str, Any]) -> tuple[Message, ...]:
    """What stands beside the messages; with Google's SDK among the settings of the call."""
    fields = {**(as_object(body.get("config")) or {}), **body}
    told = next((told for key in _TOLD if (told := fields.get(key))), None)
    if isinstance(told, dict):
        return gemini.read_contents(told, "system")
    return (message({"role": "system", "content": told}),) if isinstance(told, (str, list)) else ()
