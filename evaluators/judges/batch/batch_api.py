"""The requests of the batch API. https://platform.openai.com/docs/api-reference/batch"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from ..exchange.failure import Endless, Failure, Misconfigured, Refused
from ..exchange.judge import Judge
from ..servers.openai_errors import failure_of
from .batch_lines import PATH

if TYPE_CHECKING:
    import openai
    from openai.types import Batch

__all__ = ["BatchApi"]

_TRANSFER_S: Final = 600.0
_MARK: Final = "tracegrade"
_MOST_LISTED: Final = 1_000
_TAKES_NONE: Final = frozenset({404, 405})
_LISTS_NONE: Final = frozenset({403, 404, 405, 501})


class BatchApi:
    """The batch API of a judge's server. Every method raises Failure. `client` raises Unready if there is no key."""

    def __init__(self, judge: Judge, client: Callable[[], openai.AsyncOpenAI]) -> None:
        self._judge = judge
        self._client = client

    async def send(self, lines: bytes, mark: str) -> str:
        """Send a batch of these lines with `mark` in its metadata, and return its id."""
        try:
            async with self._transfer() as client:
                file = await client.files.create(file=("questions.jsonl", lines), purpose="batch")
                batch = await client.batches.create(
                    input_file_id=file.id, endpoint=PATH, completion_window="24h", metadata={_MARK: mark}
                )
        except Failure as failure:
            if _status(failure) in _TAKES_NONE:
                raise Misconfigured(f"{self._judge.address} takes no batches; leave out `mode: batch`") from failure
            raise
        return batch.id

    async def found(self, mark: str) -> str | None:
        """Return the id of the batch with this mark among the latest of the server; None if there is none."""
        listed = 0
        try:
            async with self._transfer() as client:
                async for batch in client.batches.list(limit=100):
                    listed += 1
                    if (batch.metadata or {}).get(_MARK) == mark:
                        return batch.id
                    if listed >= _MOST_LISTED:
                        break
        except Failure as failure:
            if not isinstance(failure, (Refused, Endless)) and _status(failure) not in _LISTS_NONE:
                raise
        return None

    async def batch(self, batch_id: str) -> Batch | None:
        """Return the present state of the batch; None if the server does not know it."""
        try:
            async with self._transfer() as client:
                return await client.batches.retrieve(batch_id)
        except Failure as failure:
            if _status(failure) == 404:
                return None
            raise

    async def files(self, batch: Batch) -> Mapping[str, bytes | None]:
        """Return {file id: content} of the files of answers; None for a file that the server no longer has."""
        names = [name for name in (batch.output_file_id, batch.error_file_id) if name]
        return {name: await self._content(name) for name in names}

    async def cancel(self, batch_id: str) -> None:
        async with self._transfer() as client:
            await client.batches.cancel(batch_id)

    async def _content(self, name: str) -> bytes | None:
        try:
            async with self._transfer() as client:
                return (await client.files.content(name)).content
        except Failure as failure:
            if _status(failure) == 404:
                return None
            raise

    @asynccontextmanager
    async def _transfer(self) -> AsyncIterator[openai.AsyncOpenAI]:
        """Yield the client for requests that may take `_TRANSFER_S` together. Raises Failure for their errors."""
        try:
            async with asyncio.timeout(_TRANSFER_S):
                yield self._client()
        except Exception as error:
            raise failure_of(self._judge, error, limit_s=_TRANSFER_S) from error


def _status(failure: Failure) -> int | None:
    """Return the HTTP status of the error response of the failure; None if there was no response."""
    return None if failure.response is None else failure.response.status
