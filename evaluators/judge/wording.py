"""How a judge's server takes its questions, which is found out by asking it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Final
from weakref import WeakKeyDictionary

from ..model import JsonObject
from .failure import Failure, Refused, Said
from .manner import Manner, features
from .reply import Reply
from .request import Request

__all__ = ["Wording"]

_ABOUT_THE_REQUEST: Final = frozenset({400, 422, 500, 501})
_ABOUT_THE_AMOUNT: Final = frozenset({402, 413, 429})
_UNEXPLAINED: Final = frozenset({400, 422})
_ABOUT_THE_QUESTION: Final = re.compile(
    r"\bcontext\b|too (long|large|many)|maximum|\btokens\b|content[ _-]?(filter|management|moderation|policy)"
    r"|polic(y|ies)|safety",
    re.IGNORECASE,
)
_FIELD: Final = re.compile(r"[\w-]+")
_MOST_IN_VAIN: Final = 2
"""So many questions may be put in every way, before it is taken to be their fault."""


class Wording:
    """Puts a question otherwise where the server refuses it. Only what helped is learned, and put so for all from then
    on; what the server has once answered is proven, and given up for one question at most."""

    def __init__(self) -> None:
        self.manner = Manner()
        self._own: WeakKeyDictionary[Request, Manner] = WeakKeyDictionary()
        self._proven: set[str] = set()
        self._guessed_in_vain = 0

    def body(self, request: Request) -> JsonObject:
        """The request as it is put now, or was when it was answered."""
        return request.body(self._own.get(request, self.manner))

    async def said(self, request: Request, post: Callable[[JsonObject], Awaitable[Reply]]) -> Reply:
        """What `post` makes of the request. Raises Failure where no wording helps."""
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
        """The server has answered what was put like that."""
        manner = self._own[request] = self._manner(request, body)
        self._proven |= features(body)
        given_up = features(request.body(self.manner)) - features(body)
        if not given_up & self._proven:
            self.manner = manner

    def changes(self, request: Request, body: JsonObject, failure: Failure) -> bool:
        """Whether it helps to put the request otherwise than in `body`; it is put so from then on."""
        if failure.said is None or not _is_about_the_request(failure.said, body):
            return False
        manner = self._manner(request, body)
        changed = manner.after(_complaint(failure.said), body)
        if changed is None and _is_unexplained(failure):
            changed = self._guess(request, manner, body)
        if changed is None:
            self._own.pop(request, None)
            return False
        self._own[request] = changed
        return True

    def _guess(self, request: Request, manner: Manner, body: JsonObject) -> Manner | None:
        """Perhaps it is a field that the server has never taken."""
        if self._guessed_in_vain >= _MOST_IN_VAIN or not features(body) - self._proven:
            return None
        simpler = manner.simpler(self.manner, features(request.body(self.manner)) - self._proven)
        if simpler is None:
            self._guessed_in_vain += manner != self.manner
        return simpler

    def _manner(self, request: Request, body: JsonObject) -> Manner:
        return self.manner.as_in(body, request.body(Manner()))


def _is_about_the_request(said: Said, body: JsonObject) -> bool:
    """With most statuses only where it names a field of it: words alone may be in the name of a model."""
    if said.status in _ABOUT_THE_REQUEST:
        return True
    named = {*_FIELD.findall(_complaint(said))} & (body.keys() - {"model", "messages"})
    return bool(named) and said.status not in _ABOUT_THE_AMOUNT


def _complaint(said: Said) -> str:
    """What names the field comes first."""
    return f"{said.fields} {said.message}"


def _is_unexplained(failure: Failure) -> bool:
    """Whether it may be about anything; what is about the question itself is not mended by other words."""
    if not isinstance(failure, Refused) or failure.said is None or failure.said.status not in _UNEXPLAINED:
        return False
    return _ABOUT_THE_QUESTION.search(failure.said.message) is None
