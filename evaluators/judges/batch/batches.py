"""Questions that are sent together through the server's batch API and answered within hours.

No state of a batch is kept in this process: its calls are stored as `pending` until their answers have arrived. They
are stored before the batch is sent, with a mark that is also in the metadata of the batch. A batch whose id was never
stored is found by this mark.
https://platform.openai.com/docs/guides/batch
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from ...ports import JudgeCall
from ..exchange.failure import Endless, Failure, Misconfigured, Refused, Waits
from ..exchange.judge import Judge
from ..exchange.reply import NoCompletion, Reply
from ..exchange.request import Request
from ..limits.throttle import Throttle
from ..servers.completion import reply_of
from ..servers.negotiation import Negotiation
from .batch_api import BatchApi
from .batch_lines import Ended, Outgoing, Unanswered, answers, parts
from .batch_polling import BatchPolling

if TYPE_CHECKING:
    from openai.types import Batch

__all__ = ["Batches", "Record", "Reworded", "Sending"]

Record: TypeAlias = Callable[[Sequence[JudgeCall]], Awaitable[None]]
"""Stores calls; they are committed when it returns."""

_UNDER_WAY: Final = frozenset({"validating", "in_progress", "finalizing", "cancelling"})
_AGAIN_AFTER_S: Final = 300.0
_CANCELLED_WITHIN: Final = timedelta(minutes=15)
_SENDING: Final = "sending:"
"""The prefix of the mark that replaces the id of a batch until the id is known."""


class Sending(Waits):
    """The question with this `request_hash` is sent with the batches of this job."""

    def __init__(self, until: datetime, reason: str, *, request_hash: str) -> None:
        super().__init__(until, reason, kind="batch")
        self.request_hash = request_hash


class Reworded(Failure):
    """The server refused the format of the request; the next one has another format."""


class Batches:
    """The batches of one job: those that it polls, each once, and those that it sends at its end. `now` returns UTC."""

    def __init__(
        self,
        judge: Judge,
        api: BatchApi,
        negotiation: Negotiation,
        throttle: Throttle,
        *,
        polling: BatchPolling,
        now: Callable[[], datetime],
    ) -> None:
        self._judge = judge
        self._api = api
        self._negotiation = negotiation
        self._throttle = throttle
        self._polling = polling
        self._now = now
        self._looked_into: dict[str, asyncio.Task[Ended | str]] = {}
        self._looked_for: dict[str, asyncio.Task[str | None]] = {}
        self._outgoing: dict[str, Outgoing] = {}

    @property
    def next_look(self) -> datetime:
        return self._now() + timedelta(seconds=self._judge.poll_every_s)

    def sending(self, request_hash: str) -> Sending:
        every_s = self._judge.poll_every_s
        return Sending(self.next_look, f"sent in a batch; checked every {every_s:g} s", request_hash=request_hash)

    def later(self, failure: Failure) -> Waits:
        """Return the Waits for a question that this batch did not answer; another batch may."""
        return Waits(self._now() + timedelta(seconds=_AGAIN_AFTER_S), str(failure), kind="batch", tried=failure)

    def holds(self, request_hash: str) -> bool:
        return request_hash in self._outgoing

    def put(self, request: Request, call: JudgeCall) -> None:
        """Add a question for `send`. `call` has the most that it may cost, which counts against budgets until the
        answer has arrived."""
        body = self._negotiation.body(request)
        self._outgoing[request.request_hash] = Outgoing.of(replace(call, request=body), body)

    async def send(self, record: Record) -> Mapping[str, Waits]:
        """Send the questions that were put. Return {request_hash: reason} for those that were not sent."""
        unsent: dict[str, Waits] = {}
        for part in parts(list(self._outgoing.values())):
            try:
                await self._send_part(part, record)
            except Waits as waits:
                unsent |= {question.call.request_hash: waits for question in part}
        return unsent

    async def confirmed(self, pending: JudgeCall) -> JudgeCall | None:
        """Return the call with the id of its batch; None if the server has no batch with its mark. Raises Waits."""
        batch_id = pending.batch_id or ""
        if not batch_id.startswith(_SENDING):
            return pending
        if batch_id not in self._looked_for:
            look = self._throttle.run(partial(self._api.found, batch_id.removeprefix(_SENDING)))
            self._looked_for[batch_id] = asyncio.create_task(look)
        server_id = await asyncio.shield(self._looked_for[batch_id])
        return None if server_id is None else replace(pending, batch_id=server_id)

    async def reply(self, request: Request, pending: JudgeCall) -> Reply:
        """Return the answer to a call that was sent. Raises Waits, or a Failure if this batch will never answer it."""
        ended = await self._ended(pending)
        negotiation, sent = self._negotiation, pending.request or {}
        if sent and ended.proven:
            negotiation.took(request, sent)
        try:
            return self._reply_in(ended, pending)
        except Failure as failure:
            if sent and negotiation.changes(request, sent, failure):
                raise Reworded(f"{failure}; asked once more in another way") from failure
            raise

    async def fetch_abandoned_reply(self, pending: JudgeCall) -> Reply:
        """Return the answer to an abandoned call. Raises as `reply`."""
        return self._reply_in(await self._ended(pending), pending)

    async def close(self) -> None:
        tasks = [*self._looked_for.values(), *self._looked_into.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _send_part(self, part: Sequence[Outgoing], record: Record) -> None:
        """Send one batch. Its calls are recorded twice: before, without costs, and after, with its id. Raises Waits."""
        mark = uuid.uuid4().hex
        calls = [replace(question.call, batch_id=_SENDING + mark, started_at=self._now()) for question in part]
        await record([replace(call, input_tokens=None, output_tokens=None, cost_usd=None) for call in calls])
        batch_id = await self._throttle.run(partial(self._send, part, mark))
        await record([replace(call, batch_id=batch_id) for call in calls])

    async def _ended(self, pending: JudgeCall) -> Ended:
        """Return the ended batch of a call. Raises Waits until it has ended."""
        batch_id = pending.batch_id or ""
        if batch_id not in self._looked_into:
            look = self._throttle.run(partial(self._look_into, batch_id, pending.started_at))
            self._looked_into[batch_id] = asyncio.create_task(look)
        ended = await asyncio.shield(self._looked_into[batch_id])
        if isinstance(ended, str):
            raise Waits(self.next_look, ended, kind="batch")
        return ended

    def _reply_in(self, ended: Ended, pending: JudgeCall) -> Reply:
        """Return the answer of the batch to the call. Raises Failure if it has none."""
        try:
            return reply_of(self._judge, ended.completion(self._judge, pending))
        except NoCompletion as error:
            refused = Refused(str(error))
            refused.took = error.took
            raise refused from error

    async def _look_into(self, batch_id: str, sent_at: datetime) -> Ended | str:
        """Return the ended batch; until it has ended, the reason to wait."""
        batch = await self._api.batch(batch_id)
        if batch is None:
            return Ended("is unknown to the server: it has ended", {})
        takes_too_long = self._now() - sent_at > self._most
        if batch.status in _UNDER_WAY:
            return await self._unfinished(batch_id, batch.status, takes_too_long=takes_too_long)
        if batch.status == "cancelled" and takes_too_long:
            return await self._ended_as(batch, self._cancelled, Misconfigured)
        how = {"completed": "has ended", "failed": "has failed"}.get(batch.status, f"was {batch.status}")
        return await self._ended_as(batch, how, Refused if _is_invalid(batch) else Unanswered)

    async def _ended_as(self, batch: Batch, how: str, lacks: type[Failure]) -> Ended:
        files = await self._api.files(batch)
        gone = [f"the server no longer has its file {name}" for name, content in files.items() if content is None]
        reasons = "; ".join([*_messages(batch), *gone])
        return Ended(f"{how} ({reasons})" if reasons else how, answers([*filter(None, files.values())]), lacks)

    async def _unfinished(self, batch_id: str, status: str, *, takes_too_long: bool) -> Ended | str:
        """Return the reason to wait. A batch that takes too long is cancelled; answers that it already has are used."""
        if not takes_too_long:
            return f"batch {batch_id} is not done; checked every {self._judge.poll_every_s:g} s"
        if self._polling.since_cancelled(batch_id, self._now()) > _CANCELLED_WITHIN:
            return Ended(self._cancelled, {}, Misconfigured)
        if status != "cancelling":
            with suppress(Failure):  # cancelling only saves money
                await self._api.cancel(batch_id)
        return f"batch {batch_id} {self._cancelled}; its answers so far are waited for"

    @property
    def _most(self) -> timedelta:
        """How long a batch may take, counted from the stored time of sending, so that a restart does not matter."""
        return timedelta(seconds=self._judge.max_polls * self._judge.poll_every_s)

    @property
    def _cancelled(self) -> str:
        judge = self._judge
        after = f"{judge.max_polls} times {judge.poll_every_s:g} s"
        return f"was cancelled by us, not being done after {after} (raise `max_polls`)"

    async def _send(self, part: Sequence[Outgoing], mark: str) -> str:
        """Send a batch, and return its id. Raises Waits if the server refuses it, else Failure."""
        try:
            return await self._api.send(b"\n".join(question.line for question in part), mark)
        except (Refused, Endless) as failure:
            until = self._now() + timedelta(seconds=_AGAIN_AFTER_S)
            reason = f"the batch could not be sent: {failure}"
            raise Waits(until, reason, kind="judge_unreachable", tried=failure) from failure


def _is_invalid(batch: Batch) -> bool:
    """Return whether the batch failed because of its lines, rather than for lack of capacity or credit."""
    errors = batch.errors.data if batch.errors else None
    return batch.status == "failed" and any(error.line is not None for error in errors or ())


def _messages(batch: Batch) -> list[str]:
    """Return the messages of the errors of the batch."""
    errors = batch.errors.data if batch.errors else None
    return [error.message for error in errors or () if error.message]
