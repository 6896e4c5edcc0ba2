"""The three ways of asking."""

from __future__ import annotations

from typing import Protocol

from ..model import JsonObject
from .endpoint import Endpoint
from .function import Function
from .judge import Judge
from .reply import Reply
from .request import Request
from .through_litellm import ThroughLitellm

__all__ = ["Way", "way_of"]


class Way(Protocol):
    """Asks once. Raises Failure."""

    async def ready(self) -> None:
        """Loads what it takes to ask, which may take seconds. Raises Unready."""

    async def say(self, request: Request) -> Reply:
        """What the judge says to `request`."""

    def sent(self, request: Request) -> JsonObject:
        """What is sent, as the cache keeps it."""

    async def close(self) -> None:
        """Lets go of connections."""


def way_of(judge: Judge) -> Way:
    """Loads nothing and opens nothing yet."""
    match judge.way:
        case "endpoint":
            return Endpoint(judge)
        case "litellm":
            return ThroughLitellm(judge)
        case "function":
            return Function(judge)
