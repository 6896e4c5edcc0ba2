"""What a judge said, as it is used and as the cache keeps it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..dialogue import Token
from ..model import JsonObject

__all__ = ["MOST_CHARACTERS", "NoCompletion", "Reply"]

MOST_CHARACTERS: Final = 65_536
"""What is kept of a text. No verdict is longer."""


class NoCompletion(ValueError):
    """What a server sent is no chat completion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """`fault` says why the text is no answer, if it is none. Token counts are None where nobody told them."""

    text: str
    model: str
    fault: str | None = None
    input_tokens: int | None = None
    cached_input_tokens: int = 0
    output_tokens: int | None = None
    tokens: tuple[Token, ...] = ()

    @classmethod
    def of_completion(cls, told: Any, *, model: str) -> Reply:
        """Of the JSON of a chat completion, whatever a server makes of that. Raises NoCompletion."""
        completion = _object(told)
        choice = next(iter(_list(completion.get("choices"))), None)
        message = _object(_object(choice).get("message"))
        if not message:
            raise NoCompletion("what it answers is no chat completion")
        text = _text(message.get("content"))
        usage = _object(completion.get("usage"))
        return cls(
            text=text[:MOST_CHARACTERS],
            model=_text(completion.get("model")) or model,
            fault=_fault(_object(choice), message, text),
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
        return cls(text=kept["text"], model=kept["model"], tokens=tokens)

    @property
    def counted_tokens(self) -> int | None:
        """Both ways; None where nobody told."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens

    @property
    def kept(self) -> JsonObject:
        """What an answer from the cache is made of."""
        told: JsonObject = {"text": self.text, "model": self.model}
        if self.tokens:
            told["tokens"] = [[token.text, dict(token.alternatives)] for token in self.tokens]
        return told


def _fault(choice: Mapping[str, Any], message: Mapping[str, Any], text: str) -> str | None:
    if refusal := _text(message.get("refusal")):
        return f"it refused: {refusal[:500]}"
    match choice.get("finish_reason"):
        case "content_filter":
            return "the server's content filter held it back"
        case "length":
            return "it was cut off; raise max_output_tokens of the judge"
    return _too_long(text)


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
