"""Judges that litellm knows by the name of their model."""

from __future__ import annotations

import asyncio
import importlib
from typing import Any

from ..model import JsonObject
from .endpoint import failure_of
from .failure import Misconfigured, Refused, Unreachable
from .judge import Judge
from .key import key_of
from .manner import Manner
from .prompt import Prompt
from .reply import NoCompletion, Reply

__all__ = ["ThroughLitellm"]


class ThroughLitellm:
    """Asks by `litellm.acompletion`, which finds keys by itself where `api_key_env` is not set."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._manner = Manner()

    async def say(self, prompt: Prompt) -> Reply:
        litellm = await asyncio.to_thread(_litellm)  # it takes seconds, and looks for news first
        while True:
            manner = self._manner
            body = prompt.body(manner)
            try:
                return await self._said(litellm, body)
            except Refused as refused:
                changed = manner.after(str(refused), body)
                if changed is None:
                    raise
                self._manner = changed if self._manner == manner else self._manner

    def request(self, prompt: Prompt) -> JsonObject:
        return prompt.body(self._manner)

    async def close(self) -> None:
        """There is nothing to let go of."""

    async def _said(self, litellm: Any, body: dict[str, Any]) -> Reply:
        access = self._access()
        try:
            async with asyncio.timeout(self._judge.timeout_s):
                completion = await litellm.acompletion(**body, **access, num_retries=0)
        except Exception as error:
            raise failure_of(self._judge, error) from error
        try:
            return Reply.of_completion(completion.model_dump(), model=self._judge.model)
        except NoCompletion as error:
            raise Unreachable(f"{self._judge.model} answers what is no chat completion") from error

    def _access(self) -> dict[str, Any]:
        judge = self._judge
        access: dict[str, Any] = {"timeout": judge.timeout_s}
        if judge.address is not None:
            access["api_base"] = judge.address
        if judge.names_key and (key := key_of(judge)) is not None:
            access["api_key"] = key
        return access


def _litellm() -> Any:
    try:
        litellm: Any = importlib.import_module("litellm")
    except ImportError as error:
        raise Misconfigured("litellm is not installed; pip install 'tracegrade[litellm]'") from error
    litellm.suppress_debug_info = True  # it prints advice otherwise
    return litellm
