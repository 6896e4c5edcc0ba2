"""The reply of a judge, as it is used and as it is stored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import orjson

from ...definition.dialogue import Token
from ...model import JsonObject
from .estimate import tokens_of

if TYPE_CHECKING:
    from .request import Request

__all__ = ["MOST_CHARACTERS", "NoCompletion", "Reply"]

MOST_CHARACTERS: Final = 65_536
"""A longer text is cut, and cannot be used as an answer."""

_OF_EVERY_MESSAGE: Final = frozenset({"role", "content", "refusal"})
_MOST_DIGITS: Final = 15
_BEYOND_BELIEF: Final = 100
"""Token counts that are wrong by this factor are replaced by estimates.

More than this many times the most that a request may take would use up any budget; less than the tokens of its text
divided by this, such as 0, would let a budget be exceeded."""


class NoCompletion(ValueError):
    """A response is not a chat completion. `took` has its token counts, if it gives any."""

    def __init__(self, took: Reply) -> None:
        super().__init__("the answer is not a chat completion")
        self.took = took


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The reply of a judge. `fault` says why its text cannot be used; None if it can.

    Token counts are None if the server gives none and they are not estimated; `total_tokens` is the server's sum of
    input and output. `posts` is the number of requests that were made for the reply.
    """

    text: str
    model: str
    fault: str | None = None
    input_tokens: int | None = None
    cached_input_tokens: int = 0
    output_tokens: int | None = None
    total_tokens: int | None = None
    is_estimated: bool = False
    tokens: tuple[Token, ...] = ()
    posts: int = 1

    @classmethod
    def of_completion(cls, body: Any, *, model: str) -> Reply:
        """Return the reply in the JSON of a chat completion, from which servers may deviate. Raises NoCompletion."""
        completion = _object(body)
        choice = _object(next(iter(_list(completion.get("choices"))), None))
        message = _object(choice.get("message"))
        took = cls.taken(completion, model=model)
        if not message and not (choice and (choice.get("finish_reason") or completion.get("usage"))):
            raise NoCompletion(took)
        text, fault = _message_text(message) if message else (_json(choice), "it answered without a message")
        return replace(
            took,
            text=text[:MOST_CHARACTERS],
            fault=_fault(choice, message) or fault or _too_long(text),
            tokens=_tokens(_list(_object(choice.get("logprobs")).get("content"))),
        )

    @classmethod
    def taken(cls, completion: Mapping[str, Any], *, model: str) -> Reply:
        """Return a reply without text, with the tokens that the JSON of a response reports."""
        usage = _object(completion.get("usage"))
        return cls(
            text="",
            model=_text(completion.get("model")) or model,
            input_tokens=_count(usage.get("prompt_tokens")),
            cached_input_tokens=_count(_object(usage.get("prompt_tokens_details")).get("cached_tokens")) or 0,
            output_tokens=_count(usage.get("completion_tokens")),
            total_tokens=_count(usage.get("total_tokens")),
        )

    @classmethod
    def of_text(cls, text: str, *, model: str) -> Reply:
        return cls(text=text[:MOST_CHARACTERS], model=model, fault=_too_long(text))

    @classmethod
    def of_kept(cls, stored: Mapping[str, Any] | None) -> Reply | None:
        """Return the reply whose `kept` is `stored`; None if its content has been deleted."""
        if not stored or "text" not in stored:
            return None
        tokens = tuple(Token(text, chances) for text, chances in stored.get("tokens", ()))
        return cls(text=stored["text"], model=stored["model"], fault=stored.get("fault"), tokens=tokens)

    def estimated(self, request: Request) -> Reply:
        """Return the reply with estimates for token counts that are missing or implausible.

        Estimates follow the length of the text, or are the most that is allowed if no text could be read. Their sum is
        at least the total of the server. A server that counts its input may report 0 tokens for an answer without text.
        """
        most_output = request.judge.max_output_tokens
        most = _BEYOND_BELIEF * (request.input_tokens + most_output)
        sent = _believed(self.input_tokens, most, text=request.input_tokens)
        answered = tokens_of(len(self.text)) if self.text or sent is None else 0
        given_output = _believed(self.output_tokens, most, text=answered)
        total = _believed(self.total_tokens, most, text=request.input_tokens)
        guessed = tokens_of(len(self.text)) if self.text else most_output
        took_out = guessed if given_output is None else given_output
        unsaid = 0 if given_output is None or total is None else total - given_output
        took_in = max(request.input_tokens, unsaid) if sent is None else sent
        return replace(
            self,
            input_tokens=took_in,
            output_tokens=max(took_out, (total or 0) - took_in),  # reasoning tokens may be only in the total
            is_estimated=sent is None or given_output is None,
        )

    def plus(self, other: Reply | None) -> Reply:
        """Return the reply with the tokens of `other` added to its own."""
        if other is None:
            return self
        return replace(
            self,
            input_tokens=(self.input_tokens or 0) + (other.input_tokens or 0),
            cached_input_tokens=self.cached_input_tokens + other.cached_input_tokens,
            output_tokens=(self.output_tokens or 0) + (other.output_tokens or 0),
            is_estimated=self.is_estimated or other.is_estimated,
        )

    @property
    def took_tokens(self) -> int:
        """Input and output tokens, as far as they are known."""
        return (self.input_tokens or 0) + (self.output_tokens or 0)

    @property
    def kept(self) -> JsonObject:
        """The reply in the form in which it is stored."""
        stored: JsonObject = {"text": self.text, "model": self.model}
        if self.fault is not None:
            stored["fault"] = self.fault
        if self.is_estimated:
            stored["estimated"] = True
        if self.tokens:
            stored["tokens"] = [[token.text, dict(token.alternatives)] for token in self.tokens]
        return stored


def _message_text(message: Mapping[str, Any]) -> tuple[str, str | None]:
    """Return the text of the message and None; without text, the message as JSON and why it cannot be used."""
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
    return f"it has {len(text):,} characters; no answer may be longer than {MOST_CHARACTERS:,}"


def _tokens(content: Sequence[Any]) -> tuple[Token, ...]:
    tokens = []
    for token in map(_object, content):
        likely = {
            _text(alternative.get("token")): _chance(alternative)
            for alternative in map(_object, _list(token.get("top_logprobs")))
        }
        tokens.append(Token(_text(token.get("token")), likely or {_text(token.get("token")): _chance(token)}))
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
    """Return a whole number, which some servers write as a float or as text; None for any other value."""
    if isinstance(value, str) and value.isdecimal() and len(value) <= _MOST_DIGITS:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 10**_MOST_DIGITS:
        return None
    return int(value) if value == int(value) else None


def _believed(count: int | None, most: int, *, text: int) -> int | None:
    """Return `count`; None if it is above `most`, or far too low for about `text` tokens."""
    if count is None or count > most or (text and not count) or count * _BEYOND_BELIEF < text:
        return None
    return count


def _text(value: Any) -> str:
    """Return a text, or the joined texts of a list of content parts."""
    if isinstance(value, list):
        return "".join(_text(_object(part).get("text")) for part in value)
    return value if isinstance(value, str) else ""
