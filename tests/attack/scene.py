"""A server in little memory and with few descriptors; before, during and after an attack."""

from __future__ import annotations

import random
import resource
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import psutil
from tests.durability.confinement import Confinement, confinement
from tests.support.polling import until
from tests.support.server import JUDGES, Server, start, started

from .attackers import Target, assault
from .gauge import Gauge, Held
from .kept import Kept, kept
from .neighbour import Neighbour
from .outcome import Outcome

__all__ = ["Plan", "attacked"]

_DESCRIPTORS: Final = 512
_CALM_S, _GONE_S, _AFTER_S = 12.0, 60.0, 12.0
_SHORTEST_S: Final = 30.0
_SCORED_S: Final = 20.0
_START_S: Final = 60.0
_TURNS: Final = (4, 2)
"""Queries and exports that a server answers at once."""

_LAST_LINES, _SHOWN = 15, 300
_TURN_S: Final = 10.0

Log = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long altogether, in how much memory, and the seed of what attackers do."""

    minutes: float
    memory_bytes: int
    seed: int

    @property
    def attack_s(self) -> float:
        """What is left for the attack, but long enough for every attacker to have its turn."""
        return max(_SHORTEST_S, 60 * self.minutes - _CALM_S - _GONE_S - _AFTER_S)


def attacked(plan: Plan, folder: Path, log: Log) -> Outcome:
    """What came of it. Raises AssertionError where the server does not even start."""
    with confinement(plan.memory_bytes) as confined:
        store = folder / "store.duckdb"
        with confined.entered(), _few_descriptors():
            process = start(store, {"PYTHONFAULTHANDLER": "1"})  # which says where it was when it crashed
        try:
            return _Scene(plan, confined, started(process, store, within_s=_START_S), log).played()
        finally:
            process.kill()
            process.wait()


class _Scene:
    def __init__(self, plan: Plan, confined: Confinement, server: Server, log: Log) -> None:
        self._plan = plan
        self._confined = confined
        self._server = server
        self._log = log
        self._gauge = Gauge(server.process.pid)
        self._target = Target(server.grpc, server.otlp, server.web)
        self._neighbour = Neighbour(self._target, random.Random(plan.seed))

    def played(self) -> Outcome:
        with self._gauge.watching():
            with self._neighbour.at_work():
                self._turns_kept()  # so that pools of threads are there before it is counted what is held
                self._wait(_CALM_S, "nobody attacks")
                held_before = self._gauge.held()
                self._neighbour.phase = "during"
                with assault(self._target, self._plan.seed) as met:
                    self._wait(self._plan.attack_s, "all attack at once")
                self._neighbour.phase = "gone"
                self._wait(_GONE_S, "attackers are gone")
                self._neighbour.phase = "after"
                turns_kept = self._turns_kept()
                held_after = self._held()
                self._wait(_AFTER_S, "as if they had never been there?")
            self._until_scored()
        stopped_with = self._stopped()
        return Outcome(
            confined_by=self._confined.name,
            memory_bytes=self._plan.memory_bytes,
            peak_bytes=self._gauge.peak_bytes,
            kills=self._confined.kills(),
            stopped_with=stopped_with,
            exports=self._neighbour.exports,
            queries=self._neighbour.queries,
            met=met.seen,
            turns_kept=turns_kept,
            held_before=held_before,
            held_after=held_after,
            kept=self._kept(),
        )

    def _wait(self, seconds: float, what: str) -> None:
        self._log(f"{seconds:.0f} s: {what}")
        threading.Event().wait(seconds)

    def _held(self) -> Held | None:
        try:
            return self._gauge.held()
        except psutil.NoSuchProcess:
            return None

    def _turns_kept(self) -> int:
        """How many of the queries and exports that a server answers at once are not answered."""
        queries, exports = _TURNS
        asked = [{"sql": "select 1"}] * queries + [{"sql": "select 1", "max_rows": None}] * exports
        with ThreadPoolExecutor(len(asked)) as threads:
            return sum(not is_answered for is_answered in threads.map(self._is_answered, asked))

    def _is_answered(self, asked: Mapping[str, object]) -> bool:
        try:
            return httpx.post(f"{self._server.web}/api/v1/sql", json=asked, timeout=_TURN_S, trust_env=False).is_success
        except httpx.HTTPError:
            return False

    def _until_scored(self) -> None:
        """Lets the last runs be scored, where they ever are."""
        taken = [one.trace_id for one in self._neighbour.exports if one.refusal is None]
        whole = f"""select count(*) from (
                        select trace_id from latest_scores
                        where trace_id in ({_listed(taken)}) and scope = 'trace' and evaluator in ({_listed(JUDGES)})
                        group by trace_id having count(distinct evaluator) = {len(JUDGES)})"""

        def are_scored() -> bool:
            try:
                return bool(self._server.one(whole) == len(taken))
            except (AssertionError, httpx.HTTPError):  # it has no turn for the query, or is not there
                return False

        with suppress(AssertionError):
            until(are_scored, within_s=_SCORED_S, every_s=0.5)

    def _stopped(self) -> int | None:
        if self._server.process.poll() is not None:
            self._log(f"the server had ended by itself with {self._server.process.returncode}; its last words:")
            for line in _last_words(self._server.log()):
                self._log(f"  {line[:_SHOWN]}")
            return None
        try:
            return self._server.stop()
        except subprocess.TimeoutExpired:
            self._log("the server did not stop when it was told to")
            self._server.kill()
            return None

    def _kept(self) -> Kept | None:
        taken = [one for one in self._neighbour.exports if one.refusal is None]
        try:
            return kept(self._server.store, taken)
        except Exception as error:  # noqa: BLE001 - a store that cannot be opened is one of the things to find out
            self._log(f"the store cannot be read: {error}")
            return None


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in sorted(names)) or "''"


def _last_words(log: str) -> Sequence[str]:
    """Where it was when it crashed, else the end of its log."""
    lines = log.splitlines()
    crash = next((at for at, line in enumerate(lines) if line.startswith("Fatal Python error")), None)
    return lines[-_LAST_LINES:] if crash is None else lines[crash : crash + _LAST_LINES]


@contextmanager
def _few_descriptors() -> Iterator[None]:
    """What is started meanwhile has few: connections that nobody ends take all of them soon."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(_DESCRIPTORS, soft), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
