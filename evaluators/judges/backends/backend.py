"""The three backends of judges: an OpenAI-compatible server, litellm, a Python function."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from ...model import JsonObject
from ..batch.batch_polling import BatchPolling
from ..batch.batches import Batches
from ..exchange.judge import Judge
from ..exchange.reply import Reply
from ..exchange.request import Request
from ..exchange.request_format import Form
from ..limits.throttle import Throttle
from .endpoint import Endpoint
from .function import Function
from .through_litellm import ThroughLitellm

__all__ = ["Backend", "backend_of"]


class Backend(Protocol):
    """Asks a judge, without limits or retries."""

    @property
    def form(self) -> Form | None:
        """The form of answers that the judge was found to support; None where it is not asked for one."""

    async def ready(self) -> None:
        """Loads what asking needs, which may take seconds. Raises Unready."""

    async def say(self, request: Request) -> Reply:
        """Return the judge's reply to `request`. Raises Failure."""

    def sent(self, request: Request) -> JsonObject:
        """Return the request as it is sent and stored."""

    def batches(self, throttle: Throttle, *, polling: BatchPolling, now: Callable[[], datetime]) -> Batches | None:
        """Return the batches of one job; None where the judge has no batch API. `now` gives UTC."""

    async def close(self) -> None:
        """Closes connections."""


def backend_of(judge: Judge) -> Backend:
    """Return the backend for this judge; nothing is loaded or opened until it is used."""
    match judge.backend:
        case "endpoint":
            return Endpoint(judge)
        case "litellm":
            return ThroughLitellm(judge)
        case "function":
            return Function(judge)
