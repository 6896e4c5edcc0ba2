"""Questions that are sent together and answered within hours, by the batch API of the server.

Nothing about a batch is kept in this process: its calls stand in the cache as `pending` until their answers are there.
https://platform.openai.com/docs/guides/batch
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

import orjson

from ..ports import JudgeCall
from .endpoint import Endpoint, failure_of
from .failure import Endless, Misconfigured, Refused, Waits
from .judge import Judge
from .line import Line
from .manner import Manner
from .prompt import Prompt
from .reply import NoCompletion, Reply
from .wording import features, is_unexplained

__all__ = ["Batches", "Polls", "Reworded", "Sending"]

_PATH: Final = "/v1/chat/completions"
_MOST_REQUESTS: Final = 50_000
_MOST_BYTES: Final = 100 * 2**20
_UNDER_WAY: Final = frozenset({"validating", "in_progress", "finalizing", "cancelling"})
_AGAIN_AFTER_S: Final = 300.0
_TRANSFER_S: Final = 600.0
_CANCELLED_WITHIN_S: Final = 900.0


class Sending(Waits):
    """The question goes out with the batch of this job."""


class Reworded(Exception):
    """The server did not like how it was asked, and may like how it will be asked now."""


@dataclass(frozen=True, slots=True)
class _Ended:
    """A batch that is over: how, and the line to each request_hash that it answered."""

    how: str
    lines: Mapping[str, Mapping[str, Any]]

    @property
    def proven(self) -> bool:
        """Whether the server has answered some of it, so that it takes what it was asked in."""
        return any(_object(line.get("response")).get("status_code") == 200 for line in self.lines.values())


@dataclass(slots=True)
class Polls:
    """How often each batch was looked into and was not done. While nobody looks, no time passes for it."""

    _counted: dict[str, tuple[int, datetime]] = field(default_factory=dict)

    def count(self, batch_id: str, now: datetime, *, every_s: float) -> int:
        """One more; what follows sooner than half of the interval is not counted."""
        times, last = self._counted.get(batch_id, (0, None))
        if last is None or (now - last).total_seconds() >= every_s / 2:
            times, last = times + 1, now
        self._counted[batch_id] = times, last
        return times

    def of(self, batch_id: str) -> int:
        return self._counted.get(batch_id, (0, None))[0]


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
        self._looked_into: dict[str, asyncio.Task[_Ended | str]] = {}
        self._outgoing: dict[str, tuple[bytes, JudgeCall]] = {}

    @property
    def next_look(self) -> datetime:
        return self._now() + timedelta(seconds=self._judge.poll_every_s)

    @property
    def sending(self) -> Sending:
        every_s = self._judge.poll_every_s
        return Sending(self.next_look, f"asked in a batch, whose answers are looked for every {every_s:g} s")

    def holds(self, request_hash: str) -> bool:
        return request_hash in self._outgoing

    def put(self, prompt: Prompt, call: JudgeCall) -> None:
        """To be sent. `call` has what it is expected to take, so that a budget knows of it until it is answered."""
        body = prompt.body(self._endpoint.wording.manner)
        line = {"custom_id": prompt.request_hash, "method": "POST", "url": _PATH, "body": body}
        self._outgoing[prompt.request_hash] = (orjson.dumps(line), replace(call, request=body))

    async def sent(self) -> AsyncIterator[list[JudgeCall]]:
        """Sends what was put, and gives the calls of each batch as pending. Raises Waits."""
        for part in _parts(list(self._outgoing.values())):
            batch_id = await self._line.through(partial(self._send, b"\n".join(line for line, _ in part)))
            yield [replace(call, batch_id=batch_id, started_at=self._now()) for _, call in part]

    async def reply(self, prompt: Prompt, pending: JudgeCall) -> Reply:
        """The answer to a call that was sent. Raises Waits, Reworded, and Refused where there will never be one."""
        batch_id = pending.batch_id or ""
        if batch_id not in self._looked_into:
            self._looked_into[batch_id] = asyncio.get_running_loop().create_task(self._ended(batch_id))
        ended = await asyncio.shield(self._looked_into[batch_id])
        if isinstance(ended, str):
            raise Waits(self.next_look, ended)
        if (line := ended.lines.get(pending.request_hash)) is None:
            raise Refused(f"batch {batch_id} {ended.how} without an answer to this question")
        return self._read(ended, line, prompt, pending)

    async def close(self) -> None:
        for task in self._looked_into.values():
            task.cancel()
        await asyncio.gather(*self._looked_into.values(), return_exceptions=True)

    def _read(self, ended: _Ended, line: Mapping[str, Any], prompt: Prompt, pending: JudgeCall) -> Reply:
        answered = _object(line.get("response"))
        status, body = answered.get("status_code"), answered.get("body")
        if status == 200:
            try:
                return Reply.of_completion(body, model=self._judge.model)
            except NoCompletion as error:
                raise Refused(str(error)) from error
        told = _object(_object(body).get("error")) or _object(line.get("error"))
        message = str(told.get("message") or told.get("code") or "no message")
        if status in {400, 422}:
            self._reword(prompt, pending, message, proven=ended.proven)
        raise Refused(f"batch {pending.batch_id} has no answer to this question ({status or 'not asked'}: {message})")

    def _reword(self, prompt: Prompt, pending: JudgeCall, complaint: str, *, proven: bool) -> None:
        """Raises Reworded where it is about how the question was put, and it is now put otherwise."""
        wording = self._endpoint.wording
        request = pending.request or {}
        explained = Manner().after(complaint, request) is not None
        if not explained and (proven or not is_unexplained(complaint)):
            return
        if prompt.body(wording.manner) == request:  # else another line of the batch has changed that
            manner = wording.manner
            changed = manner.after(complaint, request) if explained else manner.without(features(request))
            if changed is None:
                return
            wording.manner = changed
        raise Reworded

    async def _ended(self, batch_id: str) -> _Ended | str:
        return await self._line.through(lambda: self._look(batch_id))

    async def _look(self, batch_id: str) -> _Ended | str:
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
            if getattr(error, "status_code", None) == 404:
                return _Ended("is unknown to the server: it has ended", {})
            raise failure_of(self._judge, error) from error
        said = "; ".join(one.message for one in (batch.errors and batch.errors.data) or () if one.message)
        how = {"completed": "has ended", "failed": "has failed"}.get(batch.status, f"was {batch.status}")
        if batch.status == "cancelled" and self._polls.of(batch_id) > self._judge.max_polls:
            how = self._cancelled
        lines = [_line(line) for content in contents for line in content.splitlines()]
        return _Ended(f"{how} ({said})" if said else how, {str(line.get("custom_id")): line for line in lines})

    async def _unfinished(self, batch_id: str, status: str) -> _Ended | str:
        """What is waited for. One that takes too long is cancelled, and what it has answered until then is used."""
        judge = self._judge
        polls = self._polls.count(batch_id, self._now(), every_s=judge.poll_every_s)
        if polls <= judge.max_polls:
            return f"batch {batch_id} is not done; its answers are looked for every {judge.poll_every_s:g} s"
        if polls > judge.max_polls + math.ceil(_CANCELLED_WITHIN_S / judge.poll_every_s):
            return _Ended(self._cancelled, {})
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

    async def _send(self, lines: bytes) -> str:
        """The id of the batch."""
        try:
            client = self._endpoint.client
            async with asyncio.timeout(_TRANSFER_S):
                file = await client.files.create(file=("questions.jsonl", lines), purpose="batch")
                batch = await client.batches.create(input_file_id=file.id, endpoint=_PATH, completion_window="24h")
        except Exception as error:
            if getattr(error, "status_code", None) in {404, 405}:
                raise Misconfigured(f"{self._judge.address} takes no batches; leave out `mode: batch`") from error
            failure = failure_of(self._judge, error)
            if isinstance(failure, (Refused, Endless)):
                until = self._now() + timedelta(seconds=_AGAIN_AFTER_S)
                raise Waits(until, f"the batch could not be sent: {failure}", tried=failure) from error
            raise failure from error
        return batch.id


def _line(line: bytes) -> Mapping[str, Any]:
    try:
        return _object(orjson.loads(line))
    except orjson.JSONDecodeError:  # as if it were not there
        return {}


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _parts(outgoing: Sequence[tuple[bytes, JudgeCall]]) -> Iterator[list[tuple[bytes, JudgeCall]]]:
    """As much as one batch takes."""
    part: list[tuple[bytes, JudgeCall]] = []
    size = 0
    for line, call in outgoing:
        if part and (len(part) >= _MOST_REQUESTS or size + len(line) > _MOST_BYTES):
            yield part
            part, size = [], 0
        part.append((line, call))
        size += len(line) + 1
    if part:
        yield part
