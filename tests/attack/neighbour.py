"""An honest sender and an honest reader beside the attackers: what they notice."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import httpx

from .attackers import Target
from .payloads import quiet_run
from .statements import USUAL

__all__ = ["PHASES", "Neighbour", "Phase", "Sent"]

Phase: TypeAlias = Literal["before", "during", "gone", "after"]
PHASES: Final[Sequence[Phase]] = ("before", "during", "gone", "after")

_EVERY_S: Final = 2.0
_PATIENCE_S: Final = 10.0
_AT_ONCE: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A request of an honest one: at which time of the clock on the wall, and how long the answer took, in seconds.
    `refusal` is None where it was taken. An export has the trace's id."""

    phase: Phase
    at_s: float
    took_s: float
    refusal: str | None
    trace_id: str = ""


@dataclass
class Neighbour:
    """Sends a run and asks a query every two seconds, as exporters and dashboards do: they wait ten seconds at most."""

    target: Target
    chance: random.Random
    phase: Phase = "before"
    exports: list[Sent] = field(default_factory=list)
    queries: list[Sent] = field(default_factory=list)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Until the context is left, and all answers have come."""
        stopped = threading.Event()
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            for work in (self._export, self._ask):
                threading.Thread(target=_every, args=(stopped, threads, work), daemon=True).start()
            try:
                yield
            finally:
                stopped.set()

    def _export(self) -> None:
        trace_id = self.chance.randbytes(16)
        headers = {"content-type": "application/x-protobuf"}
        self.exports.append(
            self._sent(f"{self.target.otlp}/v1/traces", trace_id.hex(), content=quiet_run(trace_id), headers=headers)
        )

    def _ask(self) -> None:
        self.queries.append(self._sent(f"{self.target.web}/api/v1/sql", json={"sql": USUAL}))

    def _sent(self, url: str, trace_id: str = "", **request: object) -> Sent:
        phase, at_s, began = self.phase, time.time(), time.perf_counter()
        try:
            with httpx.Client(trust_env=False, timeout=_PATIENCE_S) as client:
                answer = client.post(url, **request)  # type: ignore[arg-type]
        except httpx.HTTPError as error:
            refusal: str | None = type(error).__name__
        else:
            refusal = None if answer.is_success else f"{answer.status_code}: {answer.text[:200]}"
        took_s = time.perf_counter() - began
        return Sent(phase=phase, at_s=at_s, took_s=took_s, refusal=refusal, trace_id=trace_id)


def _every(stopped: threading.Event, threads: ThreadPoolExecutor, work: Callable[[], None]) -> None:
    """At a steady rate, however long the answers take."""
    began, number = time.monotonic(), 0
    while not stopped.wait(max(0.0, began + number * _EVERY_S - time.monotonic())):
        try:
            threads.submit(work)
        except RuntimeError:  # the context is left
            return
        number += 1
