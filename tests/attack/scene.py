"""A server in little memory and with few descriptors; before, during and after an attack."""

from __future__ import annotations

import random
import resource
import secrets
import subprocess
import threading
from collections import Counter
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

from .assault import assault
from .attacker import Target, read_form_token
from .gauge import Gauge, Held
from .kept import Kept, kept
from .neighbour import Neighbour
from .outcome import Outcome

__all__ = ["Plan", "attacked"]

_DESCRIPTORS: Final = 512
_CALM, _GONE = 0.1, 0.2
"""Shares of the time in which nobody attacks: before and at the end, and between the attack and the end."""

_CALM_S, _GONE_S = (8.0, 12.0), (15.0, 60.0)
"""The shortest and the longest that they are."""

_SHORTEST_S: Final = 40.0
_SCORED_S: Final = 20.0
_START_S: Final = 60.0
_QUERY: Final = {"sql": "select 1"}
_TURNS: Final = (
    *[("/api/v1/sql", _QUERY)] * 4,
    *[("/api/v1/sql", {**_QUERY, "max_rows": None})] * 2,
    ("/api/v1/snapshot", {}),
    ("/preview", None),
)
"""Queries, exports, snapshots and previews that a server answers at once."""

_PREVIEW: Final = {"entry": "use: tool_error", "past": "7d", "limit": "1"}
_SETTLED_S: Final = 10.0

_LAST_LINES, _SHOWN = 15, 300
_TURN_S: Final = 20.0

Log = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long altogether, in how much memory, and the seed of what attackers do."""

    minutes: float
    memory_bytes: int
    seed: int

    @property
    def calm_s(self) -> float:
        """How long nobody attacks, before the attack and at the end."""
        return self._share(_CALM, *_CALM_S)

    @property
    def gone_s(self) -> float:
        """How long attackers are gone before the end."""
        return self._share(_GONE, *_GONE_S)

    @property
    def attack_s(self) -> float:
        """What is left for the attack, but long enough for every attacker to have its turn."""
        return max(_SHORTEST_S, 60 * self.minutes - 2 * self.calm_s - self.gone_s)

    def _share(self, share: float, least_s: float, most_s: float) -> float:
        return min(most_s, max(least_s, 60 * self.minutes * share))


def attacked(plan: Plan, folder: Path, log: Log) -> Outcome:
    """What came of it. Raises AssertionError where the server does not even start."""
    with confinement(plan.memory_bytes) as confined:
        store, temporary, token = folder / "store.duckdb", folder / "temporary", secrets.token_urlsafe()
        temporary.mkdir()
        variables = {
            "PYTHONFAULTHANDLER": "1",  # which says where it was when it crashed
            "TMPDIR": str(temporary),
            "TRACEGRADE_TOKEN": token,
        }
        with confined.entered(), _few_descriptors():
            process = start(store, variables)
        try:
            return _Scene(plan, confined, started(process, store, within_s=_START_S), token=token, log=log).played()
        finally:
            process.kill()
            process.wait()


class _Scene:
    def __init__(self, plan: Plan, confined: Confinement, server: Server, *, token: str, log: Log) -> None:
        self._plan = plan
        self._confined = confined
        self._server = server
        self._log = log
        self._gauge = Gauge(server.process.pid)
        self._target = Target(
            grpc=server.grpc, otlp=server.otlp, web=server.web, token=token, store=server.store.resolve()
        )
        self._neighbour = Neighbour(self._target, random.Random(plan.seed))

    def played(self) -> Outcome:
        with self._gauge.watching():
            with self._neighbour.at_work():
                self._turns_kept()  # so that pools of threads are there before it is counted what is held
                self._wait(self._plan.calm_s, "nobody attacks")
                held_before, files_before = self._gauge.held(), self._files()
                self._neighbour.phase = "during"
                with assault(self._target, self._plan.seed) as met:
                    self._wait(self._plan.attack_s, "all attack at once")
                self._neighbour.phase = "gone"
                self._wait(self._plan.gone_s, "attackers are gone")
                self._neighbour.phase = "after"
                turns_kept = self._turns_kept()
                held_after = self._held()
                self._wait(self._plan.calm_s, "as if they had never been there?")
            self._until_scored()
            files_left = self._left_since(files_before)
        stopped_with = self._stopped()
        return Outcome(
            confined_by=self._confined.name,
            memory_bytes=self._plan.memory_bytes,
            peak_bytes=self._gauge.peak_bytes,
            kills=self._confined.kills(),
            stopped_with=stopped_with,
            sent=self._neighbour.sent,
            met=met.met,
            turns_kept=turns_kept,
            files_left=files_left,
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

    def _files(self) -> Counter[str]:
        return self._gauge.files(self._server.store.parent)

    def _left_since(self, before: Counter[str]) -> Sequence[str]:
        """Return the files that are there in addition, once what honest ones asked for is done."""
        store = self._server.store.name

        def left() -> Sequence[str]:
            try:
                return [name for name in self._files() - before if name != f"{store}.wal"]
            except psutil.NoSuchProcess:
                return []

        with suppress(AssertionError):
            until(left, lambda names: not names, within_s=_SETTLED_S, every_s=0.5)
        return left()

    def _turns_kept(self) -> Sequence[str]:
        """Return those of the requests that a server answers at once that are not answered."""
        with ThreadPoolExecutor(len(_TURNS)) as threads:
            answered = threads.map(lambda turn: self._is_answered(*turn), _TURNS)
            return [
                f"{path} {body or ''}".strip()
                for (path, body), is_answered in zip(_TURNS, answered, strict=True)
                if not is_answered
            ]

    def _is_answered(self, path: str, body: Mapping[str, object] | None) -> bool:
        """Whether the answer begins; of a snapshot the rest is not read."""
        try:
            with self._target.connect(has_token=True, patience_s=_TURN_S) as client:
                if body is None:
                    form = {**_PREVIEW, "form_token": read_form_token(client.get(path))}
                    return client.post(path, data=form).is_success
                with client.stream("POST", path, json=body) as answer:
                    return answer.is_success
        except httpx.HTTPError:
            return False

    def _until_scored(self) -> None:
        """Lets the last runs be scored, where they ever are."""
        taken = [each.trace_id for each in self._neighbour.of("export") if each.refusal is None]
        whole = f"""select count(*) from (
                        select trace_id from latest_scores
                        where trace_id in ({_listed(taken)}) and scope = 'trace' and evaluator in ({_listed(JUDGES)})
                        group by trace_id having count(distinct evaluator) = {len(JUDGES)})"""

        def are_scored() -> bool:
            try:
                with self._target.connect(has_token=True) as client:
                    answer = client.post("/api/v1/sql", json={"sql": whole})
            except httpx.HTTPError:
                return False
            return answer.is_success and answer.json()["rows"] == [[len(taken)]]  # else it has no turn for the query

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
        taken = [each for each in self._neighbour.of("export") if each.refusal is None]
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
