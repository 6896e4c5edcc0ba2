"""Reads the answer of a server: a chat completion, an error instead of one, or neither."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

import orjson

from ..exchange.failure import ErrorResponse, Failure, Strange, brief, fields_in, of_status, without
from ..exchange.judge import Judge
from ..exchange.key import secrets_of
from ..exchange.reply import NoCompletion, Reply

__all__ = ["json_in", "reply_in", "reply_of", "unread"]

_MOST_SHOWN: Final = 100
_LEAST_SECRET_CHARACTERS: Final = 8
"""Shorter keys, such as `none` or `ollama`, are not secret, and may be words of an answer."""

_ANSWERED_BADLY: Final = 502


def json_in(content: bytes) -> Any:
    """Return the JSON in `content`, which may have a byte order mark, NaN, lone surrogates or bytes that are not UTF-8.

    Raises ValueError.
    """
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(content.decode("utf-8-sig", errors="replace"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def reply_in(judge: Judge, content: bytes) -> Reply:
    """Return the reply in the body of an answer with status 200. Raises Failure."""
    try:
        return reply_of(judge, json_in(content))
    except ValueError as error:
        shown = without(secrets_of(judge), content.decode(errors="replace"))[:_MOST_SHOWN]
        strange = Strange(
            f"{judge.address} does not answer with a chat completion: {shown!r} "
            "(look at `base_url`, which usually ends in /v1)"
        )
        strange.took = error.took if isinstance(error, NoCompletion) else _took(judge, content)
        raise strange from error


def reply_of(judge: Judge, body: Any) -> Reply:
    """Return the reply in the JSON of an answer with status 200, without secrets of the judge.

    Raises NoCompletion, or Failure if the JSON contains an error.
    """
    body = _cleaned(body, [secret for secret in secrets_of(judge) if len(secret) >= _LEAST_SECRET_CHARACTERS])
    if (failure := _failure(judge, body)) is not None:
        raise failure
    return Reply.of_completion(body, model=judge.model)


def unread(judge: Judge) -> Reply:
    """Return the reply that represents an answer which could not be read, but may be charged."""
    return Reply(text="", model=judge.model)


def _took(judge: Judge, content: bytes) -> Reply | None:
    """Return the tokens of an answer that is not JSON; None if it is a web page, which costs nothing."""
    return None if content.lstrip().startswith(b"<") else unread(judge)


def _cleaned(body: Any, secrets: Sequence[str]) -> Any:
    """Replace secrets and lone surrogates in all texts of `body`, and return it. Not recursive: it may be deep."""
    whole = [body]
    rest: list[Any] = [whole]
    while rest:
        holder = rest.pop()
        for place, value in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            if isinstance(value, str):
                holder[place] = _whole(without(secrets, value))
            elif isinstance(value, (dict, list)):
                rest.append(value)
    return whole[0]


def _whole(text: str) -> str:
    return text if text.isascii() else text.encode(errors="replace").decode()


def _failure(judge: Judge, body: Any) -> Failure | None:
    """Return the Failure of an error in the completion or in its first choice; None if there is no error."""
    completion = _object(body)
    choices = completion.get("choices")
    choice = _object(choices[0]) if isinstance(choices, list) and choices else {}
    error = completion.get("error") or choice.get("error") or choice.get("finish_reason") == "error"
    if not error:
        return None
    failure = of_status(judge, _error_response(error, secrets_of(judge)))
    if completion.get("usage"):  # an error is charged only if it reports usage
        failure.took = Reply.taken(completion, model=judge.model)
    return failure


def _error_response(error: Any, secrets: Iterable[str]) -> ErrorResponse:
    fields = _object(error)
    code = str(fields.get("code") or "")
    status = int(code) if code.isdecimal() and len(code) == 3 else 0
    message = fields.get("message") or (error if isinstance(error, str) else "an error instead of an answer")
    return ErrorResponse(
        status=status if 400 <= status < 600 else _ANSWERED_BADLY,
        message=brief(secrets, str(message)),
        fields=fields_in(fields),
        code=code or str(fields.get("type") or ""),
        headers={},
        secrets=tuple(secrets),
    )


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
