"""How a judge's server takes its questions, which is found out by asking it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any, Final

from .failure import Refused
from .manner import Manner
from .reply import Reply
from .request import Request

__all__ = ["Wording", "features", "is_unexplained"]

_UNEXPLAINED: Final = frozenset({400, 422})
_ABOUT_THE_QUESTION: Final = re.compile(r"context|too (long|large)|maximum|tokens|content|policy|safety", re.IGNORECASE)
_MOST_GUESSES: Final = 3


class Wording:
    """Puts a question otherwise where the server refuses it, and remembers what it took."""

    def __init__(self) -> None:
        self.manner = Manner()
        self._proven: set[str] = set()
        self._vain_guesses = 0

    async def said(self, request: Request, post: Callable[[dict[str, Any]], Awaitable[Reply]]) -> Reply:
        """What `post` makes of the request. Raises Refused where no wording helps."""
        while True:
            manner = self.manner
            body = request.body(manner)
            try:
                reply = await post(body)
            except Refused as refused:
                changed = manner.after(str(refused), body)
                if changed is None:
                    return await self._guessed(request, post, manner, refused)
                self._learn(manner, changed)
            else:
                self._proven |= features(body)
                return reply

    async def _guessed(
        self, request: Request, post: Callable[[dict[str, Any]], Awaitable[Reply]], asked: Manner, refused: Refused
    ) -> Reply:
        """The same where the server does not say what it has against it: perhaps a field that it has never taken."""
        if refused.status not in _UNEXPLAINED or not is_unexplained(str(refused)):
            raise refused
        manner, body = asked, request.body(asked)
        while self._vain_guesses < _MOST_GUESSES:
            simpler = manner.without(features(body) - self._proven)
            if simpler is None:
                self._vain_guesses += manner != asked
                break
            manner, body = simpler, request.body(simpler)
            try:
                reply = await post(body)
            except Refused:
                continue
            self._proven |= features(body)
            self._learn(asked, manner)
            return reply
        raise refused

    def _learn(self, before: Manner, after: Manner) -> None:
        """Unless somebody else has found out meanwhile."""
        self.manner = after if self.manner == before else self.manner


def is_unexplained(complaint: str) -> bool:
    """Whether it may be about anything; what is about the question itself is not mended by other words."""
    return _ABOUT_THE_QUESTION.search(complaint) is None


def features(body: dict[str, Any]) -> set[str]:
    """What of a request a server may not know."""
    form = body.get("response_format", {}).get("type")
    return {name for name in (form, "logprobs" if "logprobs" in body else None) if name is not None}
