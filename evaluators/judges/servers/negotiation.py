"""Finds out, by requests, which format the server of a judge accepts."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final
from weakref import WeakKeyDictionary

from ...model import JsonObject
from ..exchange.failure import ErrorResponse, Failure, Misconfigured, Refused
from ..exchange.reply import Reply
from ..exchange.request import Request
from ..exchange.request_format import RequestFormat, features

__all__ = ["Negotiation"]

_ABOUT_THE_REQUEST: Final = frozenset({400, 422, 500, 501})
_ABOUT_THE_AMOUNT: Final = frozenset({402, 413, 429})
_UNEXPLAINED: Final = frozenset({400, 422})
_ABOUT_THE_QUESTION: Final = re.compile(
    r"\bcontext\b|too (long|large|many)|maximum|\btokens\b|content[ _-]?(filter|management|moderation|policy)"
    r"|polic(y|ies)|safety",
    re.IGNORECASE,
)
_ABOUT_ITS_LENGTH: Final = re.compile(r"\b(context|messages|prompt|input(?!['\"]))\b", re.IGNORECASE)
"""`input` in quotes is a key of pydantic's errors, whose value was refused."""

_SETTINGS: Final[Mapping[str, str]] = {
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "temperature": "temperature",
}
"""The settings of a judge, by the fields of a request that they fill."""

_FIELD: Final = re.compile(r"[\w-]+")
_MOST_IN_VAIN: Final = 2
"""After this many questions that were refused in every format, a refusal counts as being about the question."""


class Negotiation:
    """Retries a refused request in another format, and remembers the format that works.

    Features that the server has once accepted are proven: they are only left out for single questions.
    """

    def __init__(self) -> None:
        self.request_format = RequestFormat()
        self._own: WeakKeyDictionary[Request, RequestFormat] = WeakKeyDictionary()
        self._proven: set[str] = set()
        self._guessed_in_vain = 0

    def body(self, request: Request) -> JsonObject:
        """Return the request in the format in which it will be sent next, or was answered."""
        return request.body(self._own.get(request, self.request_format))

    async def converse(self, request: Request, post: Callable[[JsonObject], Awaitable[Reply]]) -> Reply:
        """Return the reply that `post` gets to the request. Raises Failure if no format helps, Misconfigured if the
        server refuses a setting."""
        while True:
            body = self.body(request)
            try:
                reply = await post(body)
            except Failure as failure:
                if not self.changes(request, body, failure):
                    raise
            else:
                self.took(request, body)
                return reply

    def took(self, request: Request, body: JsonObject) -> None:
        """Remember the format of `body`, which the server has answered."""
        request_format = self._own[request] = self._request_format(request, body)
        self._proven |= features(body)
        given_up = features(request.body(self.request_format)) - features(body)
        if not given_up & self._proven:
            self.request_format = request_format

    def changes(self, request: Request, body: JsonObject, failure: Failure) -> bool:
        """Return whether another format than that of `body` may help, in which the request is sent next.

        Raises Misconfigured if no format helps and the server refuses a setting.
        """
        if failure.response is None or not _is_about_the_request(failure.response, body):
            return False
        request_format = self._request_format(request, body)
        changed = request_format.after(_complaint(failure.response), body)
        if changed is None and _is_unexplained(failure):
            changed = self._guess(request, request_format, body)
        if changed is None:
            self._own.pop(request, None)
            self._blame_setting(request, failure)
            return False
        self._own[request] = changed
        return True

    def _guess(self, request: Request, request_format: RequestFormat, body: JsonObject) -> RequestFormat | None:
        """Return the format to try next if the server does not say what it refuses: with fewer unproven features."""
        if self._guessed_in_vain >= _MOST_IN_VAIN or not features(body) - self._proven:
            return None
        simpler = request_format.simpler(
            self.request_format, features(request.body(self.request_format)) - self._proven
        )
        if simpler is None:
            self._guessed_in_vain += request_format != self.request_format
        return simpler

    def _blame_setting(self, request: Request, failure: Failure) -> None:
        """Raise Misconfigured if the server refuses a setting. A server that has answered before accepts all settings,
        so it refuses the question."""
        response = failure.response
        if self._proven or response is None or not isinstance(failure, Refused):
            return
        if (setting := _setting_in(_complaint(response), request)) is not None:
            blamed = Misconfigured(f"the server does not accept a setting ({response}); correct `{setting}`")
            blamed.response = response
            raise blamed from failure

    def _request_format(self, request: Request, body: JsonObject) -> RequestFormat:
        return self.request_format.as_in(body, request.body(RequestFormat()))


def _is_about_the_request(response: ErrorResponse, body: JsonObject) -> bool:
    """Return whether the error is about a field of the request. With most statuses it must name one, since words such
    as `logprobs` may be part of the name of a model."""
    if response.status in _ABOUT_THE_REQUEST or response.is_about_support:
        return True
    fields = {*_FIELD.findall(_complaint(response))} & (body.keys() - {"model", "messages"})
    return bool(fields) and response.status not in _ABOUT_THE_AMOUNT


def _complaint(response: ErrorResponse) -> str:
    """Return the fields that the error names, then its message."""
    return f"{response.fields} {response.message}"


def _setting_in(complaint: str, request: Request) -> str | None:
    """Return the setting of the field that the error message names first; None if there is none, or if the message is
    about the length of the question."""
    if _ABOUT_ITS_LENGTH.search(complaint):
        return None
    settings = {**_SETTINGS, **{name: f"parameters.{name}" for name in request.judge.parameters}}
    fields = settings.keys() | request.body(RequestFormat()).keys() - {"model"}
    field = next((name for name in _FIELD.findall(complaint) if name in fields), "")
    return settings.get(field)


def _is_unexplained(failure: Failure) -> bool:
    """Return whether the server does not say what it refuses. An error about the question itself does."""
    response = failure.response
    if response is not None and response.is_about_support:
        return True
    if response is None or not isinstance(failure, Refused) or response.status not in _UNEXPLAINED:
        return False
    return _ABOUT_THE_QUESTION.search(response.message) is None
