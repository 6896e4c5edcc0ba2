"""Where the runs of an experiment are kept: the store, opened by this process, or the server that holds it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from tracegrade.queries.ports import CommandRefused, ExperimentProgress, ExperimentRuns, ExperimentStart

from ..client.http_client import HttpClient, Unreachable
from ..client.query import Read
from ..errors import Fault
from ..otlp.signal import Signal
from .remote_judge_calls import RemoteJudgeCalls

if TYPE_CHECKING:
    from ..client.experiments import Recorder
    from ..client.source import RemoteSource
    from ..config.settings import Settings
    from ..server.pipeline import Pipeline
    from ..worker.client import JudgeCalls

__all__ = ["Body", "ExperimentStore", "open_experiment_store"]

Body = tuple[Signal, bytes]
"""An export request in protobuf."""

_PROTOBUF: Final = "application/x-protobuf"
_UNREACHABLE: Final = 4
_TIMEOUT_S: Final = 60.0
_MOST_ROWS: Final = 20_000

T = TypeVar("T")
R = TypeVar("R")


class ExperimentStore(Protocol):
    """Keeps experiments. All methods raise Fault if the store or the server does not take what they are given."""

    read: Read

    async def begin(self, start: ExperimentStart) -> ExperimentProgress:
        """Begin an experiment, or continue the interrupted one with the same name and plan."""

    async def add_spans(self, bodies: Sequence[Body]) -> None:
        """Store spans and log records; they are committed when it returns."""

    async def record(self, runs: ExperimentRuns) -> None:
        """Store runs with their scores; they are committed when it returns."""

    def judge_calls(self, experiment_id: str) -> JudgeCalls:
        """Return what keeps the answers of judges for an experiment, and knows what experiments have cost."""


@asynccontextmanager
async def open_experiment_store(settings: Settings) -> AsyncIterator[ExperimentStore]:
    """Yield the store of these settings, which is created if it does not exist, or the server that holds it.

    At the end the runs are assembled: by the server, or here. Raises StoreUnavailable and Fault.
    """
    from ..client.discovery import find_server  # noqa: PLC0415 - experiments in memory need none of this
    from ..client.experiments import recording  # noqa: PLC0415 - likewise
    from ..client.source import connect_to_server  # noqa: PLC0415 - likewise
    from ..server.pipeline import Pipeline  # noqa: PLC0415 - likewise
    from ..store.errors import StoreLocked  # noqa: PLC0415 - likewise

    try:
        pipeline = Pipeline(settings)
    except StoreLocked:
        if (note := find_server(settings.store)) is None:
            raise
        source = connect_to_server(note.url, settings, timeout_s=_TIMEOUT_S, max_rows=_MOST_ROWS)
        with recording(source) as recorder:
            yield _Remote(source, recorder, note.otlp_url)
        return
    pipeline.start(enrols=False)
    try:
        await pipeline.finish(evaluate=False)  # what an interrupted experiment has left
        yield _Local(pipeline)
        await pipeline.finish(evaluate=False)
    finally:
        await pipeline.close()


class _Local:
    def __init__(self, pipeline: Pipeline) -> None:
        from ..client.source import LocalSource  # noqa: PLC0415 - as above
        from ..server.commands import StoreCommands  # noqa: PLC0415 - as above

        self._pipeline = pipeline
        self._commands = StoreCommands(pipeline)
        self.read = LocalSource(pipeline.database).read

    async def begin(self, start: ExperimentStart) -> ExperimentProgress:
        return await asyncio.to_thread(_apply, self._commands.begin_experiment, start)

    async def add_spans(self, bodies: Sequence[Body]) -> None:
        await asyncio.gather(*(self._pipeline.queue.accept(signal, body) for signal, body in bodies))

    async def record(self, runs: ExperimentRuns) -> None:
        await asyncio.to_thread(_apply, self._commands.record_experiment_runs, runs)

    def judge_calls(self, experiment_id: str) -> JudgeCalls:
        from ..store.ledger.judge_calls import StoredJudgeCalls  # noqa: PLC0415 - as above

        return StoredJudgeCalls(self._pipeline.database, self._pipeline.results, experiment_id=experiment_id)


class _Remote:
    def __init__(self, source: RemoteSource, recorder: Recorder, otlp_url: str) -> None:
        self._source = source
        self._recorder = recorder
        self._otlp = HttpClient(otlp_url, timeout_s=_TIMEOUT_S)
        self.read = source.read

    async def begin(self, start: ExperimentStart) -> ExperimentProgress:
        return await asyncio.to_thread(self._recorder.begin, start)

    async def add_spans(self, bodies: Sequence[Body]) -> None:
        for signal, body in bodies:
            await asyncio.to_thread(self._send, signal, body)

    async def record(self, runs: ExperimentRuns) -> None:
        await asyncio.to_thread(self._recorder.record, runs)

    def judge_calls(self, experiment_id: str) -> JudgeCalls:
        return RemoteJudgeCalls(self._source, experiment_id)

    def _send(self, signal: Signal, body: bytes) -> None:
        try:
            answer = self._otlp.send(f"/v1/{signal}", body, content_type=_PROTOBUF)
        except Unreachable as error:
            raise Fault(f"the server does not take spans: {error}", exit_code=_UNREACHABLE) from error
        if not answer.is_success:
            text = answer.content[:200].decode(errors="replace")
            raise Fault(f"the server answered {answer.status} to spans: {text}", exit_code=_UNREACHABLE)


def _apply(command: Callable[[T], R], request: T) -> R:
    try:
        return command(request)
    except CommandRefused as refused:
        raise Fault(str(refused)) from refused
