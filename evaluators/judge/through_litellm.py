"""Judges that litellm knows by the name of their model."""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

from ..model import JsonObject
from .endpoint import failure_of
from .failure import Strange, Unready
from .judge import Judge
from .key import key_of
from .posts import counted
from .reply import NoCompletion, Reply
from .request import Request
from .wording import Wording

__all__ = ["ThroughLitellm"]


class ThroughLitellm:
    """Asks by `litellm.acompletion`, which finds keys by itself where `api_key_env` is not set."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._litellm: Any = None
        self.wording = Wording()

    async def ready(self) -> None:
        self._litellm = self._litellm or await asyncio.to_thread(_litellm)  # it takes seconds, and looks for news first
        self._access()

    async def say(self, request: Request) -> Reply:
        await self.ready()
        return await counted(self.wording.said, request, self._said)

    def sent(self, request: Request) -> JsonObject:
        return self.wording.body(request)

    async def close(self) -> None:
        """There is nothing to let go of."""

    async def _said(self, body: JsonObject) -> Reply:
        access = self._access()
        try:
            async with asyncio.timeout(self._judge.timeout_s):
                completion = await self._litellm.acompletion(**body, **access, num_retries=0)
        except Exception as error:
            raise failure_of(self._judge, error) from error
        try:
            return Reply.of_completion(completion.model_dump(), model=self._judge.model)
        except NoCompletion as error:
            raise Strange(f"{self._judge.model} answers what is no chat completion") from error

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
