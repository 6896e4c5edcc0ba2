"""SIGKILL of the server and of its workers at any instant, while agents send, and runs are assembled and evaluated."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal, TypeAlias

from tests.support.llm import Llm, llm
from tests.support.patience import until
from tests.support.records import Record
from tests.support.server import Server

from .corpus import filling, recorded, written
from .judge import CountingJudge
from .lives import Lives
from .outcome import Outcome, audited, compare, imported, missing_spans, outcome, read
from .part import Counts, Found, Part, Trial
from .sending import Agents, Batch, batches_of

__all__ = ["PART", "Life", "Plan", "carry_out", "run"]

Death: TypeAlias = Literal["kill", "kill at start", "stop and kill", "stop"]

_DEATHS: Sequence[Death] = ("kill", "kill at start", "stop and kill", "stop")
_OFTEN = (6, 2, 1, 1)
RUBRIC = """criteria: The agent answers what it was asked.
scale: [1, 5]
pass_mark: 3
"""
OWN = """def concluded(trace):
    return 1.0 if trace.final_response else 0.0


def turns(conversation):
    return 1.0 if all(turn.llm_calls for turn in conversation) else 0.5
"""
_HURRIED = {
    "TRACEGRADE_ASSEMBLY__GRACE": "100ms",
    "TRACEGRADE_ASSEMBLY__IDLE": "1500ms",
    "TRACEGRADE_ASSEMBLY__JUDGE_SETTLE": "200ms",
    "TRACEGRADE_PASS__EVERY": "100ms",
    "TRACEGRADE_PASS__SESSION_IDLE": "300ms",
}
_MOST_LIVES = 16
_LIFE_S = 5.0
"""What a life takes with its start."""

_AFTER_S = 25.0
"""What is left of a trial's time for all that follows the last kill."""

_DRAIN_S, _SETTLE_S = 120.0, 90.0
_POLL_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """How long it lasts, when workers die in it, in seconds since it listens, and how it ends."""

    death: Death
    lasts_s: float
    workers_die_at_s: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that is left to chance in a trial."""

    lives: Sequence[Life]
    batches: Sequence[Batch]
    pause_s: float
    sdk_runs: int

    @classmethod
    def drawn(cls, chance: random.Random, seconds: float) -> Plan:
        most = max(2, min(_MOST_LIVES, int((seconds - _AFTER_S) / _LIFE_S)))
        lives = [_life(chance) for _ in range(chance.randint((most + 3) // 2, most))]
        runs = [written(number, chance) for number in range(20 * len(lives))]
        records = [*chain(*runs), *recorded(chance, 4 * len(lives))]
        chance.shuffle(records)
        batches = [*batches_of(_by_signal(records), chance)]
        if chance.random() < 0.4:
            large = chain(*(filling(chance, 20, kilobytes=40) for _ in range(10 * len(lives))))
            batches += batches_of(large, chance, most=25)
        chance.shuffle(batches)
        lasts_s = sum(life.lasts_s for life in lives)
        return cls(
            lives=lives, batches=batches, pause_s=3 * lasts_s / len(batches), sdk_runs=chance.randint(1, 3 * len(lives))
        )


class _Clock:
    """What took how long."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._told: list[str] = []

    def passed(self, what: str) -> None:
        now = time.monotonic()
        self._told.append(f"{what} {now - self._since:.0f} s")
        self._since = now

    def __str__(self) -> str:
        return ", ".join(self._told)


def run(trial: Trial) -> Found:
    """A plan for the time that there is."""
    return carry_out(Plan.drawn(trial.chance, trial.seconds_left), trial)


def carry_out(plan: Plan, trial: Trial) -> Found:
    """One store, its lives, and what it says in the end."""
    (trial.folder / "helpful.yaml").write_text(RUBRIC, encoding="utf-8")
    (trial.folder / "own.py").write_text(OWN, encoding="utf-8")
    judge = CountingJudge(slowest_s=0.4)
    with ExitStack() as stack:
        model = stack.enter_context(llm(judge))
        lives = Lives(trial.folder / "store.duckdb", _settings(model))
        stack.callback(lives.end)
        agents = Agents(
            lives.ports,
            iter(plan.batches),
            random.Random(trial.chance.getrandbits(32)),
            pause_s=plan.pause_s,
            again=0.1,
            sdk_runs=plan.sdk_runs,
        )
        clock = _Clock()
        losses = [*_live(trial, plan, lives, agents)]
        clock.passed("lives")
        clean = _clean(trial.folder, agents.acknowledged)
        clock.passed("clean import")
        found, faults = _settled(lives, clean)
        clock.passed("last life")
    counts, differences = compare(found, clean, audited(lives.store, lives.variables))
    clock.passed("audit")
    trial.log(f"{len(plan.lives)} lives planned; {clock}")
    twice = {*judge.twice(lives.kills), *(row[0] for row in found.answered_twice)}
    asked = [f"asked twice ({len(twice)}): {sorted(twice)[:5]}"] if twice else []
    done = Counts(kills=len(lives.kills), questions=len(judge.asks), asked_twice=len(twice))
    return Found(counts + done, [*losses, *faults, *differences, *asked, *agents.refusals])


def _live(trial: Trial, plan: Plan, lives: Lives, agents: Agents) -> Iterator[str]:
    """All lives but the last, which goes on. Gives what was lost or doubled at the beginning of one."""
    with agents.at_work():
        for life in plan.lives:
            if len(lives.kills) > 1 and trial.seconds_left < _AFTER_S:
                break  # the machine is slower than the plan thought
            known = agents.known()
            if life.death == "kill at start":
                lives.begin_and_die(life.lasts_s)
                continue
            yield from _losses(lives.begin(), known)
            _live_once(lives, life, trial.chance)
        known = agents.known()
        yield from _losses(lives.begin(), known)
        if not agents.wait(_DRAIN_S):
            yield f"agents could not send everything within {_DRAIN_S:g} s after the last start"


def _live_once(lives: Lives, life: Life, chance: random.Random) -> None:
    began = time.monotonic()
    for at_s in life.workers_die_at_s:
        threading.Event().wait(max(0.0, began + at_s - time.monotonic()))
        lives.kill_worker(chance)
    threading.Event().wait(max(0.0, began + life.lasts_s - time.monotonic()))
    if life.death == "stop":
        lives.stop()
        return
    if life.death == "stop and kill":
        assert lives.server is not None
        lives.server.process.terminate()
        threading.Event().wait(chance.uniform(0.0, 1.0))
    lives.kill()


def _losses(server: Server, acknowledged: Sequence[Record]) -> Iterator[str]:
    lost, doubled = missing_spans(partial(server.rows, max_rows=1_000_000), acknowledged)
    if lost:
        yield f"lost after a restart ({len(lost)}): {lost[:5]}"
    if doubled:
        yield f"doubled after a restart ({len(doubled)}): {doubled[:5]}"


def _clean(folder: Path, records: Sequence[Record]) -> Outcome:
    """The import has a judge of its own, which is not counted."""
    with llm(CountingJudge()) as model:
        unique = {(record.signal, record.body): record for record in records}
        return imported(folder, unique.values(), _settings(model))


def _settled(lives: Lives, clean: Outcome) -> tuple[Outcome, Sequence[str]]:
    """What the store says when its last server has had the time to come to what the import says, and has stopped."""
    assert lives.server is not None
    rows = partial(lives.server.rows, max_rows=1_000_000)
    faults = []
    try:
        until(lambda: outcome(rows).is_told_like(clean), within_s=_SETTLE_S, every_s=_POLL_S)
    except AssertionError:
        faults.append(f"it did not come to what a clean import says within {_SETTLE_S:g} s")
    threading.Event().wait(2 * _POLL_S)  # for anything that should not come any more
    lives.stop()
    lives.expect_workers_gone()
    return read(lives.store), faults


def _life(chance: random.Random) -> Life:
    [death] = chance.choices(_DEATHS, _OFTEN)
    lasts_s = chance.uniform(0.1, 2.5) if death == "kill at start" else chance.choice([0.0, 0.5, 1.5, 3.0])
    lasts_s += chance.uniform(0.0, 1.0)
    deaths = [chance.uniform(0.0, lasts_s) for _ in range(chance.choice([0, 0, 1, 2]))]
    return Life(death=death, lasts_s=lasts_s, workers_die_at_s=sorted(deaths))


def _by_signal(records: Sequence[Record]) -> list[Record]:
    """In portions of one signal, so that requests are not of one record each."""
    return sorted(records, key=lambda record: record.signal)


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


PART = Part(
    name="kills", summary="SIGKILL of server and workers while agents send and judges are asked", share=5, run=run
)
