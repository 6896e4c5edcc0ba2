"""Judges that are asked through litellm, by the names that it gives to models."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from datetime import datetime
from typing import Any

from ...model import JsonObject
from ..batch.batch_polling import BatchPolling
from ..exchange.failure import Strange, Unready
from ..exchange.judge import Judge
from ..exchange.key import key_of
from ..exchange.reply import NoCompletion, Reply
from ..exchange.request import Request
from ..exchange.request_format import Form
from ..limits.throttle import Throttle
from ..servers.attempts import counted
from ..servers.completion import reply_of
from ..servers.negotiation import Negotiation
from ..servers.openai_errors import failure_of

__all__ = ["ThroughLitellm"]


class ThroughLitellm:
    """Asks with `litellm.acompletion`, which looks for keys itself where `api_key_env` is not set."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._litellm: Any = None
        self._negotiation = Negotiation()

    async def ready(self) -> None:
        self._litellm = self._litellm or await asyncio.to_thread(_litellm)  # it takes seconds and uses the network
        self._access()

    async def say(self, request: Request) -> Reply:
        await self.ready()
        return await counted(self._negotiation.converse, request, self._post)

    def sent(self, request: Request) -> JsonObject:
        return self._negotiation.body(request)

    @property
    def form(self) -> Form:
        return self._negotiation.request_format.form

    def batches(self, throttle: Throttle, *, polling: BatchPolling, now: Callable[[], datetime]) -> None:
        """litellm is sent no batches."""

    async def close(self) -> None:
        """Nothing is open."""

    async def _post(self, body: JsonObject) -> Reply:
        access = self._access()
        try:
            async with asyncio.timeout(self._judge.timeout_s):
                completion = await self._litellm.acompletion(**body, **access, num_retries=0)
        except Exception as error:
            raise failure_of(self._judge, error) from error
        try:
            return reply_of(self._judge, completion.model_dump())
        except NoCompletion as error:
            strange = Strange(f"{self._judge.model} answers what is no chat completion")
            strange.took = error.took
            raise strange from error

    def _access(self) -> dict[str, Any]:
        judge = self._judge
        access: dict[str, Any] = {"timeout": judge.timeout_s}
        if judge.address is not None:
            access["api_base"] = judge.base_url
        if judge.names_key and (key := key_of(judge)) is not None:
            access["api_key"] = key
        return access


def _litellm() -> Any:
    try:
        litellm: Any = importlib.import_module("litellm")
    except ImportError as error:
        raise Unready("litellm is not installed; pip install 'tracegrade[litellm]'") from error
    litellm.suppress_debug_info = True  # it prints advice otherwise
    return litellm
