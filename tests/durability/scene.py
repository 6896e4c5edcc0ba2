"""A server on one store, agents that send to it, a judge that it asks, and what must be true of all that in the end."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.support.llm import Llm, llm
from tests.support.polling import until
from tests.support.server import Server

from .judge import CountingJudge
from .lives import Lives
from .outcome import Outcome, audited, compare, imported, missing_spans, outcome, read
from .part import Counts, Found
from .sending import Agents, Batch

__all__ = ["Scene", "scene"]

_RUBRIC = """criteria: The agent answers what it was asked.
scale: [1, 5]
pass_mark: 3
"""
_OWN = """def concluded(trace):
    return 1.0 if trace.final_response else 0.0


def turns(conversation):
    return 1.0 if all(turn.llm_calls for turn in conversation) else 0.5
"""
_HURRIED = {
    "TRACEGRADE_ASSEMBLY__GRACE": "100ms",
    "TRACEGRADE_ASSEMBLY__IDLE": "1500ms",
    "TRACEGRADE_ASSEMBLY__JUDGE_SETTLE": "200ms",
    "TRACEGRADE_EVALUATION__EVERY": "100ms",
    "TRACEGRADE_EVALUATION__SESSION_IDLE": "300ms",
}
_SLOWEST_ANSWER_S = 0.4
_DRAIN_S, _SETTLE_S = 120.0, 90.0
_POLL_S = 0.5


@dataclass
class Scene:
    """What takes part in a trial. `faults` has a sentence for each that was seen, `full` when the disk was full."""

    folder: Path
    lives: Lives
    agents: Agents
    judge: CountingJudge
    faults: list[str] = field(default_factory=list)
    full: list[tuple[float, float]] = field(default_factory=list)
    _since: float = field(default_factory=time.monotonic)
    _took: list[str] = field(default_factory=list)

    def begin(self) -> Server:
        """The next life. All that was acknowledged before it is there, once."""
        known = self.agents.known()
        server = self.lives.begin()
        lost, doubled = missing_spans(partial(server.rows, max_rows=1_000_000), known)
        if lost:
            self.faults.append(f"lost after a restart ({len(lost)}): {lost[:5]}")
        if doubled:
            self.faults.append(f"doubled after a restart ({len(doubled)}): {doubled[:5]}")
        return server

    def drain(self) -> None:
        """Lets agents send what is left, to a server that is left alone."""
        if not self.agents.wait(_DRAIN_S):
            self.faults.append(f"agents could not send everything within {_DRAIN_S:g} s")

    def conclude(self, log: Callable[[str], None]) -> Found:
        """Holds what the store says against a clean import, and stops the server."""
        self._passed("lives")
        clean = self._clean()
        self._passed("clean import")
        found = self._settled(clean)
        self._passed("last life")
        counts, differences = compare(found, clean, audited(self.lives.store, self.lives.variables))
        self._passed("audit")
        log(", ".join(self._took))
        twice = {*self.judge.twice(self.lives.kills, self.full), *(row[0] for row in found.answered_twice)}
        asked = [f"asked twice ({len(twice)}): {sorted(twice)[:5]}"] if twice else []
        done = Counts(kills=len(self.lives.kills), questions=len(self.judge.asks), asked_twice=len(twice))
        return Found(counts + done, [*self.faults, *differences, *asked, *self.agents.refusals])

    def _clean(self) -> Outcome:
        """The import has a judge of its own, which is not counted."""
        with llm(CountingJudge()) as model:
            unique = {(record.signal, record.body): record for record in self.agents.acknowledged}
            return imported(self.folder, unique.values(), _settings(model))

    def _settled(self, clean: Outcome) -> Outcome:
        """What the store says when its last server had the time to come to what the import says, and has stopped."""
        assert self.lives.server is not None
        rows = partial(self.lives.server.rows, max_rows=1_000_000)
        try:
            until(lambda: outcome(rows).is_told_like(clean), within_s=_SETTLE_S, every_s=_POLL_S)
        except AssertionError:
            self.faults.append(f"it did not come to what a clean import says within {_SETTLE_S:g} s")
        threading.Event().wait(2 * _POLL_S)  # for anything that should not come any more
        self.lives.stop()
        self.lives.expect_workers_gone()
        return read(self.lives.store)

    def _passed(self, what: str) -> None:
        now = time.monotonic()
        self._took.append(f"{what} {now - self._since:.0f} s")
        self._since = now


@contextmanager
def scene(
    folder: Path,
    batches: Sequence[Batch],
    chance: random.Random,
    *,
    pause_s: float,
    sdk_runs: int,
    store: Path | None = None,
) -> Iterator[Scene]:
    """Agents at work for a server that has not begun. `store`: where it is, if not in `folder`."""
    store = store or folder / "store.duckdb"
    for at in {folder, store.parent}:
        (at / "helpful.yaml").write_text(_RUBRIC, encoding="utf-8")
        (at / "own.py").write_text(_OWN, encoding="utf-8")
    judge = CountingJudge(slowest_s=_SLOWEST_ANSWER_S)
    seed = random.Random(chance.getrandbits(32))
    with llm(judge) as model:
        lives = Lives(store, _settings(model))
        agents = Agents(lives.ports, iter(batches), seed, pause_s=pause_s, again=0.1, sdk_runs=sdk_runs)
        try:
            with agents.at_work():
                yield Scene(folder, lives, agents, judge)
        finally:
            lives.end()


def _settings(model: Llm) -> Mapping[str, str]:
    judge = {
        "base_url": model.url,
        "model": "scripted",
        "api_key_env": None,
        "requests_per_minute": None,
        "usd_per_day": None,
    }
    evaluators = [
        {"use": "defaults"},
        {"rubric": "helpful.yaml"},
        {"python": "own.py:concluded"},
        {"python": "own.py:turns", "scope": "session"},
    ]
    return {
        **_HURRIED,
        "TRACEGRADE_JUDGES": json.dumps({"default": judge}),
        "TRACEGRADE_EVALUATORS": json.dumps(evaluators),
    }
