"""Questions that are sent together and answered within hours, by the batch API of the server.

Nothing about a batch is kept in this process: its calls stand in the cache as `pending` until their answers are there.
They stand there before it is sent, under a mark that the batch bears, too: whoever finds a mark looks for its batch.
https://platform.openai.com/docs/guides/batch
"""

from __future__ import annotations

import asyncio
import math
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from ..ports import JudgeCall
from .batch_lines import PATH, Ended, Outgoing, answers, parts
from .endpoint import Endpoint, failure_of
from .failure import Endless, Failure, Misconfigured, Refused, Waits
from .judge import Judge
from .line import Line
from .polls import Polls
from .reply import NoCompletion, Reply
from .request import Request

__all__ = ["Batches", "Reworded", "Sending"]

_UNDER_WAY: Final = frozenset({"validating", "in_progress", "finalizing", "cancelling"})
_AGAIN_AFTER_S: Final = 300.0
_TRANSFER_S: Final = 600.0
_CANCELLED_WITHIN_S: Final = 900.0
_MARK: Final = "tracegrade"
_SENDING: Final = "sending:"
"""Stands with the mark in place of the id of a batch that has none yet."""

_MOST_LISTED: Final = 1_000
_TAKES_NONE: Final = frozenset({404, 405})
_LISTS_NONE: Final = frozenset({403, 404, 405, 501})


class Sending(Waits):
    """The question goes out with the batch of this job."""


class Reworded(Failure):
    """The server did not like how it was asked, and may like how it will be asked now."""


class Batches:
    """The batches of one job: those that it looks into, each once, and what it sends at its end."""

    def __init__(
        self, judge: Judge, endpoint: Endpoint, line: Line, *, polls: Polls, now: Callable[[], datetime]
    ) -> None:
        self._judge = judge
        self._endpoint = endpoint
        self._line = line
        self._polls = polls
        self._now = now
        self._looked_into: dict[str, asyncio.Task[Ended | str]] = {}
        self._looked_for: dict[str, asyncio.Task[str | None]] = {}
        self._outgoing: dict[str, Outgoing] = {}

    @property
    def next_look(self) -> datetime:
        return self._now() + timedelta(seconds=self._judge.poll_every_s)

    @property
    def sending(self) -> Sending:
        every_s = self._judge.poll_every_s
        return Sending(self.next_look, f"asked in a batch, whose answers are looked for every {every_s:g} s")

    def later(self, failure: Failure) -> Waits:
        """For what this batch has not answered, though another one may."""
        until = self._now() + timedelta(seconds=_AGAIN_AFTER_S)
        return Waits(until, f"{failure}; asked again at {until:%H:%M:%S} UTC", tried=failure)

    def holds(self, request_hash: str) -> bool:
        return request_hash in self._outgoing

    def put(self, request: Request, call: JudgeCall) -> None:
        """To be sent. `call` has what it is expected to take, so that a budget knows of it until it is answered."""
        body = self._endpoint.wording.body(request)
        self._outgoing[request.request_hash] = Outgoing.of(replace(call, request=body), body)

    async def sent(self) -> AsyncIterator[list[JudgeCall]]:
        """Sends what was put, and gives the calls of each batch as pending: to be recorded before it is sent, when they
        have taken nothing yet, and when it has an id. Raises Waits."""
        for part in parts(list(self._outgoing.values())):
            mark = uuid.uuid4().hex
            calls = [replace(one.call, batch_id=_SENDING + mark, started_at=self._now()) for one in part]
            yield [replace(call, input_tokens=None, output_tokens=None, cost_usd=None) for call in calls]
            batch_id = await self._line.through(partial(self._send, part, mark))
            yield [replace(call, batch_id=batch_id) for call in calls]

    async def confirmed(self, pending: JudgeCall) -> JudgeCall | None:
        """With the id of its batch; None where the server tells of no batch with its mark. Raises Waits."""
        batch_id = pending.batch_id or ""
        if not batch_id.startswith(_SENDING):
            return pending
        if batch_id not in self._looked_for:
            look = self._line.through(partial(self._look_for, batch_id.removeprefix(_SENDING)))
            self._looked_for[batch_id] = asyncio.create_task(look)
        found = await asyncio.shield(self._looked_for[batch_id])
        return None if found is None else replace(pending, batch_id=found)

    async def reply(self, request: Request, pending: JudgeCall) -> Reply:
        """The answer to a call that was sent. Raises Waits, and a Failure where this batch will never have one."""
        batch_id = pending.batch_id or ""
        if batch_id not in self._looked_into:
            look = self._line.through(partial(self._look_into, batch_id))
            self._looked_into[batch_id] = asyncio.create_task(look)
        ended = await asyncio.shield(self._looked_into[batch_id])
        if isinstance(ended, str):
            raise Waits(self.next_look, ended)
        wording, sent = self._endpoint.wording, pending.request or {}
        if sent and ended.proven:
            wording.took(request, sent)
        try:
            return Reply.of_completion(ended.completion(self._judge, pending), model=self._judge.model)
        except NoCompletion as error:
            raise Refused(str(error)) from error
        except Failure as failure:
            if sent and wording.changes(request, sent, failure):
                raise Reworded(f"{failure}; asked once more in another way") from failure
            raise

    async def close(self) -> None:
        tasks = [*self._looked_for.values(), *self._looked_into.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _look_into(self, batch_id: str) -> Ended | str:
        """What the batch has answered; while it is under way, what is waited for."""
        try:
            client = self._endpoint.client
            async with asyncio.timeout(_TRANSFER_S):
                batch = await client.batches.retrieve(batch_id)
                if batch.status in _UNDER_WAY:
                    return await self._unfinished(batch_id, batch.status)
                files = [name for name in (batch.output_file_id, batch.error_file_id) if name]
                contents = [(await client.files.content(name)).content for name in files]
        except Exception as error:
            if _status(error) == 404:
                return Ended("is unknown to the server: it has ended", {})
            raise failure_of(self._judge, error) from error
        said = "; ".join(one.message for one in (batch.errors and batch.errors.data) or () if one.message)
        how = {"completed": "has ended", "failed": "has failed"}.get(batch.status, f"was {batch.status}")
        if batch.status == "cancelled" and self._polls.of(batch_id) > self._judge.max_polls:
            how = self._cancelled
        return Ended(f"{how} ({said})" if said else how, answers(contents))

    async def _unfinished(self, batch_id: str, status: str) -> Ended | str:
        """What is waited for. One that takes too long is cancelled, and what it has answered until then is used."""
        judge = self._judge
        polls = self._polls.count(batch_id, self._now(), every_s=judge.poll_every_s)
        if polls <= judge.max_polls:
            return f"batch {batch_id} is not done; its answers are looked for every {judge.poll_every_s:g} s"
        if polls > judge.max_polls + math.ceil(_CANCELLED_WITHIN_S / judge.poll_every_s):
            return Ended(self._cancelled, {})
        if status != "cancelling":
            with suppress(Exception):  # it would cost money for nothing; but nothing hangs on it
                await self._endpoint.client.batches.cancel(batch_id)
        return f"batch {batch_id} takes too long and was cancelled by us; what it has answered is looked for"

    @property
    def _cancelled(self) -> str:
        judge = self._judge
        return (
            f"was cancelled by us, not being done after {judge.max_polls} looks, one every {judge.poll_every_s:g} s "
            "(`max_polls`, `poll_every`), and ended"
        )

    async def _look_for(self, mark: str) -> str | None:
        """The id of the batch with this mark, among the latest of the server; None where it tells of none."""
        listed = 0
        try:
            async with asyncio.timeout(_TRANSFER_S):
                async for batch in self._endpoint.client.batches.list(limit=100):
                    listed += 1
                    if (batch.metadata or {}).get(_MARK) == mark:
                        return batch.id
                    if listed >= _MOST_LISTED:
                        break
        except Exception as error:
            failure = failure_of(self._judge, error)
            if not isinstance(failure, (Refused, Endless)) and _status(error) not in _LISTS_NONE:
                raise failure from error
        return None

    async def _send(self, part: Sequence[Outgoing], mark: str) -> str:
        """The id of the batch."""
        lines = b"\n".join(one.line for one in part)
        try:
            client = self._endpoint.client
            async with asyncio.timeout(_TRANSFER_S):
                file = await client.files.create(file=("questions.jsonl", lines), purpose="batch")
                batch = await client.batches.create(
                    input_file_id=file.id, endpoint=PATH, completion_window="24h", metadata={_MARK: mark}
                )
        except Exception as error:
            if _status(error) in _TAKES_NONE:
                raise Misconfigured(f"{self._judge.address} takes no batches; leave out `mode: batch`") from error
            failure = failure_of(self._judge, error)
            if isinstance(failure, (Refused, Endless)):
                until = self._now() + timedelta(seconds=_AGAIN_AFTER_S)
                raise Waits(until, f"the batch could not be sent: {failure}", tried=failure) from error
            raise failure from error
        return batch.id


def _status(error: Exception) -> Any:
    return getattr(error, "status_code", None)
