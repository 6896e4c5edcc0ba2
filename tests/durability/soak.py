"""A server in little memory: `python -m tests.durability.soak [--memory 1GB …] [--seconds 20]`.

A real server, in a control group where one can be made, is sent agent runs at a steady rate, small and large ones, and
asked queries, also a careless one that needs more memory than there is. In the end every run is assembled and scored,
nothing was ended by the kernel, and the memory of the server stayed within its share.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil
from pydantic import ByteSize, TypeAdapter
from tests.bench.traffic import run, serialized
from tests.support.polling import until
from tests.support.processes import measure_private_bytes
from tests.support.server import JUDGES, Server, running

from .confinement import confinement

__all__ = ["Soaked", "soak"]

_RUNS_PER_S = 20.0
_SENDERS = 4
_SPAN_BYTES = 2_000
_LARGE_SPAN_BYTES, _LARGE_EVERY = 100_000, 40
_RETRYABLE = {429, 502, 503, 504}
_RETRY_S = 0.2
_ACKNOWLEDGED_S = 60.0
_SCORED_S = 120.0
_ASK_S = 2.0
_ANSWER_S = 120.0  # on a machine that has much else to do
_SAMPLE_S = 0.25
_SERVER_SHARE = 0.7
_STEADY_S = 240.0
_GROWTH = 1.1
_GROWTH_MB = 24.0
_MB = 2**20

_VARIABLES = {"TRACEGRADE_ASSEMBLY__GRACE": "1s", "TRACEGRADE_EVALUATION__EVERY": "1s"}
_CARELESS = "select len(range(1000000000))"
_USUAL = "select evaluator, count(*), avg(value) from latest_scores group by all"
_NAMED = ", ".join(f"'{name}'" for name in sorted(JUDGES))
_SCORED = f"""select count(*) from (
    select target_id from latest_scores where scope = 'trace' and evaluator in ({_NAMED})
    group by all having count(distinct evaluator) = {len(JUDGES)})"""
_ACTIVE_TWICE = """select count(*) from (
    select target_id from scores where superseded_at is null group by target_id, evaluator having count(*) > 1)"""


@dataclass(frozen=True, slots=True)
class Soaked:
    """What came of it. Memory is what the processes have for themselves, in bytes: of the server, and of all."""

    confined_by: str
    memory_bytes: int
    seconds: float
    sent: int
    retried: int
    assembled: int
    scored: int
    active_twice: int
    server_bytes: Sequence[int]
    all_bytes: Sequence[int]
    kills: int
    errors: Sequence[str]

    @property
    def growth(self) -> float:
        """The server's memory in the last fifth, in terms of that in the third one."""
        fifth = max(1, len(self.server_bytes) // 5)
        middle, last = self.server_bytes[2 * fifth : 3 * fifth] or [1], self.server_bytes[-fifth:] or [1]
        return statistics.median(last) / statistics.median(middle)

    def __str__(self) -> str:
        return (
            f"{self.memory_bytes / _MB:,.0f} MB by {self.confined_by}, {self.seconds:g} s: {self.sent} runs sent "
            f"({self.retried} retried), {self.assembled} assembled, {self.scored} scored, {self.active_twice} scores "
            f"active twice, {self.kills} processes ended by the kernel; memory of the server "
            f"{max(self.server_bytes) / _MB:,.0f} MB at most, in the end {self.growth:.2f} times that in the middle, "
            f"of all processes {max(self.all_bytes) / _MB:,.0f} MB"
        )

    def check(self) -> None:
        """Raises AssertionError with what was lost, doubled, or took more memory than it may."""
        assert self.assembled == self.scored == self.sent, str(self)
        assert not self.active_twice, str(self)
        assert not self.kills, str(self)
        assert not self.errors, "\n".join([str(self), *self.errors])
        assert max(self.server_bytes) <= _SERVER_SHARE * self.memory_bytes, str(self)
        assert max(self.all_bytes) <= self.memory_bytes, str(self)
        if self.seconds >= _STEADY_S:
            allowed = _GROWTH + _GROWTH_MB * _MB / max(self.server_bytes)
            assert self.growth <= allowed, str(self)


def soak(memory_bytes: int, seconds: float, *, seed: int = 0) -> Soaked:
    """Lets a server with so much memory work for so long, and sees what came of it. Raises AssertionError when the
    server ends, or does not get done with what it was sent."""
    with (
        confinement(memory_bytes) as confined,
        tempfile.TemporaryDirectory(prefix="tracegrade-soak-") as folder,
        ExitStack() as stack,
    ):
        with confined.entered():
            server = stack.enter_context(running(Path(folder) / "store.duckdb", variables=_VARIABLES))
        sender, memory = _Sender(server, random.Random(seed)), _Memory()
        with _beside(_sample, server, memory), _beside(_ask, server):
            sender.send(seconds)
            until(lambda: _count(server, _SCORED), lambda scored: scored >= sender.sent, within_s=_SCORED_S)
        return Soaked(
            confined.name,
            memory_bytes,
            seconds,
            sender.sent,
            sender.retried,
            assembled=_count(server, "select count(*) from agent_traces"),
            scored=_count(server, _SCORED),
            active_twice=_count(server, _ACTIVE_TWICE),
            server_bytes=memory.server,
            all_bytes=memory.all,
            kills=confined.kills(),
            errors=[line for line in server.log().splitlines() if "level=error" in line and not _is_tried_again(line)],
        )


class _Sender:
    """Sends runs until they are acknowledged, as an exporter does."""

    def __init__(self, server: Server, chance: random.Random) -> None:
        self._server = server
        self._chance = chance
        self._lock = threading.Lock()
        words = ["refund", "order", "parcel", "invoice", "delay", "address", "please", "customer", "status"]
        self._text = " ".join(chance.choices(words, k=_LARGE_SPAN_BYTES * 2))
        self.sent = 0
        self.retried = 0

    def send(self, seconds: float) -> None:
        """At a steady rate for so long."""
        began = time.monotonic()
        with (
            httpx.Client(base_url=self._server.otlp, trust_env=False, timeout=_ANSWER_S) as client,
            ThreadPoolExecutor(_SENDERS) as threads,
        ):
            waiting = []
            while time.monotonic() - began < seconds:
                waiting.append(threads.submit(self._post, client, self._next()))
                self.sent += 1
                time.sleep(max(0.0, began + self.sent / _RUNS_PER_S - time.monotonic()))
            for sending in waiting:
                sending.result()

    def _next(self) -> bytes:
        is_large = self.sent % _LARGE_EVERY == _LARGE_EVERY - 1
        spans = run(
            self._chance.randbytes(16),
            time.time_ns(),
            span_bytes=_LARGE_SPAN_BYTES if is_large else _SPAN_BYTES,
            filler=self._text,
        )
        for attribute in spans[-1].attributes:
            if attribute.key == "gen_ai.conversation.id":
                attribute.value.string_value = f"conversation {self.sent // 3}"
        return serialized(spans)

    def _post(self, client: httpx.Client, body: bytes) -> None:
        until_s = time.monotonic() + _ACKNOWLEDGED_S
        headers = {"content-type": "application/x-protobuf"}
        while (answer := client.post("/v1/traces", content=body, headers=headers)).status_code in _RETRYABLE:
            assert time.monotonic() < until_s, f"not acknowledged within {_ACKNOWLEDGED_S:g} s: {answer.text}"
            with self._lock:
                self.retried += 1
            time.sleep(_RETRY_S)
        assert (answer.status_code, answer.content) == (200, b"")


@dataclass
class _Memory:
    """Samples, in bytes."""

    server: list[int] = field(default_factory=list)
    all: list[int] = field(default_factory=list)


def _sample(stopped: threading.Event, server: Server, memory: _Memory) -> None:
    process = psutil.Process(server.process.pid)
    while not stopped.wait(_SAMPLE_S):
        own = measure_private_bytes(process)
        memory.server.append(own)
        memory.all.append(own + sum(map(measure_private_bytes, process.children(recursive=True))))


def _ask(stopped: threading.Event, server: Server) -> None:
    """Asks as a dashboard does, and what nobody should ask."""
    while not stopped.wait(_ASK_S):
        usual, careless = _answer(server, _USUAL), _answer(server, _CARELESS)
        assert usual.is_success, f"{usual.status_code}: {usual.text}"
        assert careless.is_client_error, f"{careless.status_code}: {careless.text}"


def _count(server: Server, sql: str) -> int:
    answer = _answer(server, sql)
    assert answer.is_success, f"{answer.status_code}: {answer.text}"
    return int(answer.json()["rows"][0][0])


def _answer(server: Server, sql: str) -> httpx.Response:
    return httpx.post(f"{server.web}/api/v1/sql", json={"sql": sql}, timeout=_ANSWER_S, trust_env=False)


@contextmanager
def _beside(work: Callable[..., None], *about: object) -> Iterator[None]:
    """Does `work` in a thread until the context is left, and raises what it raised."""
    stopped = threading.Event()
    with ThreadPoolExecutor(1) as threads:
        working = threads.submit(work, stopped, *about)
        try:
            yield
        finally:
            stopped.set()
        working.result()


def main() -> None:
    size = TypeAdapter(ByteSize)
    arguments = argparse.ArgumentParser(prog="python -m tests.durability.soak", description="Soak in little memory.")
    arguments.add_argument("--memory", nargs="*", default=["1GiB", "2GiB"], help="of the server; default 1GiB and 2GiB")
    arguments.add_argument("--seconds", type=float, default=10.0, help="how long runs are sent to each (default 10)")
    given = arguments.parse_args()
    for memory in given.memory:
        soaked = soak(size.validate_python(memory), given.seconds)
        print(soaked, flush=True)
        soaked.check()


def _is_tried_again(line: str) -> bool:
    """Whether memory ran out in a round of work beside the query that asks for all of it: the next one makes it good,
    or the count of what was scored tells."""
    return "is tried again" in line and "MemoryError" in line


if __name__ == "__main__":
    main()
