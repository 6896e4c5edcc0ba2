"""What a judge said, as it is used and as the cache keeps it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson

from ..dialogue import Token
from ..model import JsonObject
from .estimate import tokens_of

__all__ = ["MOST_CHARACTERS", "NoCompletion", "Reply"]

MOST_CHARACTERS: Final = 65_536
"""What is kept of a text. No verdict is longer."""

_OF_EVERY_MESSAGE: Final = frozenset({"role", "content", "refusal"})


class NoCompletion(ValueError):
    """What a server sent is no chat completion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """`fault` says why the text is no answer, if it is none. Token counts are None where nobody told them, unless they
    are estimated. `posts` is how many requests it took."""

    text: str
    model: str
    fault: str | None = None
    input_tokens: int | None = None
    cached_input_tokens: int = 0
    output_tokens: int | None = None
    is_estimated: bool = False
    tokens: tuple[Token, ...] = ()
    posts: int = 1

    @classmethod
    def of_completion(cls, told: Any, *, model: str) -> Reply:
        """Of the JSON of a chat completion, whatever a server makes of that. Raises NoCompletion."""
        completion = _object(told)
        choice = next(iter(_list(completion.get("choices"))), None)
        message = _object(_object(choice).get("message"))
        if not message:
            raise NoCompletion("what it answers is no chat completion")
        text, fault = _said(message)
        usage = _object(completion.get("usage"))
        return cls(
            text=text[:MOST_CHARACTERS],
            model=_text(completion.get("model")) or model,
            fault=_fault(_object(choice), message) or fault or _too_long(text),
            input_tokens=_count(usage.get("prompt_tokens")),
            cached_input_tokens=_count(_object(usage.get("prompt_tokens_details")).get("cached_tokens")) or 0,
            output_tokens=_count(usage.get("completion_tokens")),
            tokens=_tokens(_list(_object(_object(choice).get("logprobs")).get("content"))),
        )

    @classmethod
    def of_text(cls, text: str, *, model: str) -> Reply:
        return cls(text=text[:MOST_CHARACTERS], model=model, fault=_too_long(text))

    @classmethod
    def of_kept(cls, kept: Mapping[str, Any] | None) -> Reply | None:
        """Of what `kept` gave; None where that is not there any more."""
        if not kept or "text" not in kept:
            return None
        tokens = tuple(Token(text, chances) for text, chances in kept.get("tokens", ()))
        return cls(text=kept["text"], model=kept["model"], fault=kept.get("fault"), tokens=tokens)

    def estimated(self, *, input_tokens: int) -> Reply:
        """With what nobody counted: about `input_tokens`, and those of the text."""
        sent, said = self.input_tokens, self.output_tokens
        if sent is not None and said is not None:
            return self
        return replace(
            self,
            input_tokens=input_tokens if sent is None else sent,
            output_tokens=tokens_of(len(self.text)) if said is None else said,
            is_estimated=True,
        )

    @property
    def took_tokens(self) -> int:
        """Both ways, as far as anybody knows."""
        return (self.input_tokens or 0) + (self.output_tokens or 0)

    @property
    def kept(self) -> JsonObject:
        """What an answer from the cache is made of."""
        told: JsonObject = {"text": self.text, "model": self.model}
        if self.fault is not None:
            told["fault"] = self.fault
        if self.is_estimated:
            told["estimated"] = True
        if self.tokens:
            told["tokens"] = [[token.text, dict(token.alternatives)] for token in self.tokens]
        return told


def _said(message: Mapping[str, Any]) -> tuple[str, str | None]:
    """The text; where there is none but something else, the whole message, and why it is no answer."""
    text = _text(message.get("content"))
    if text or not any(value for name, value in message.items() if name not in _OF_EVERY_MESSAGE):
        return text, None
    calls_tool = message.get("tool_calls") or message.get("function_call")
    return _json(message), "it answered by calling a tool" if calls_tool else "it answered without text"


def _json(message: Mapping[str, Any]) -> str:
    try:
        return orjson.dumps(message, default=str).decode()
    except TypeError:  # too deep, or a number too long
        return f"a message with {', '.join(map(repr, message))}"


def _fault(choice: Mapping[str, Any], message: Mapping[str, Any]) -> str | None:
    if refusal := _text(message.get("refusal")):
        return f"it refused: {refusal[:500]}"
    match choice.get("finish_reason"):
        case "content_filter":
            return "the server's content filter held it back"
        case "length":
            return "it was cut off; raise max_output_tokens of the judge"
    return None


def _too_long(text: str) -> str | None:
    if len(text) <= MOST_CHARACTERS:
        return None
    return f"it has {len(text):,} characters; no verdict is longer than {MOST_CHARACTERS:,}"


def _tokens(content: Sequence[Any]) -> tuple[Token, ...]:
    tokens = []
    for one in map(_object, content):
        likely = {_text(other.get("token")): _chance(other) for other in map(_object, _list(one.get("top_logprobs")))}
        tokens.append(Token(_text(one.get("token")), likely or {_text(one.get("token")): _chance(one)}))
    return tuple(tokens)


def _chance(token: Mapping[str, Any]) -> float:
    logprob = token.get("logprob")
    if not isinstance(logprob, (int, float)) or math.isnan(logprob):
        return 0.0
    return math.exp(min(logprob, 0.0))


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else []


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def _text(value: Any) -> str:
    """Text, or the texts of a list of parts."""
    if isinstance(value, list):
        return "".join(_text(_object(part).get("text")) for part in value)
    return value if isinstance(value, str) else ""
