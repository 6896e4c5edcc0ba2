"""SIGKILL of the server and of its workers at any instant, while agents send, and runs are assembled and evaluated."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeAlias

from .corpus import filling, recorded, written
from .lives import Lives
from .part import Found, Part, Trial
from .scene import scene
from .sending import Batch, batches_of

__all__ = ["PART", "Life", "Plan", "carry_out", "run"]

Death: TypeAlias = Literal["kill", "kill at start", "stop and kill", "stop"]

_DEATHS: Sequence[Death] = ("kill", "kill at start", "stop and kill", "stop")
_OFTEN = (6, 2, 1, 1)
_MOST_LIVES = 16
_LIFE_S = 5.0
"""What a life takes with its start."""

_AFTER_S = 25.0
"""What is left of a trial's time for all that follows the last kill."""


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
        """A plan that takes about so many seconds, and has two lives at least before the last one."""
        most = max(2, min(_MOST_LIVES, int((seconds - _AFTER_S) / _LIFE_S)))
        lives = [_life(chance) for _ in range(chance.randint((most + 3) // 2, most))]
        runs = [written(number, chance) for number in range(20 * len(lives))]
        records = [*chain(*runs), *recorded(chance, 4 * len(lives))]
        chance.shuffle(records)
        batches = [*batches_of(sorted(records, key=lambda record: record.signal), chance)]
        if chance.random() < 0.4:
            large = chain(*(filling(chance, 20, kilobytes=40) for _ in range(10 * len(lives))))
            batches += batches_of(large, chance, most=25)
        chance.shuffle(batches)
        lasts_s = sum(life.lasts_s for life in lives)
        return cls(
            lives=lives, batches=batches, pause_s=3 * lasts_s / len(batches), sdk_runs=chance.randint(1, 3 * len(lives))
        )


def run(trial: Trial) -> Found:
    """A plan for the time that there is."""
    return carry_out(Plan.drawn(trial.chance, trial.seconds_left), trial)


def carry_out(plan: Plan, trial: Trial) -> Found:
    """All lives of one store, of which the last goes on until everything has its scores."""
    with scene(trial.folder, plan.batches, trial.chance, pause_s=plan.pause_s, sdk_runs=plan.sdk_runs) as acting:
        for life in plan.lives:
            if len(acting.lives.kills) > 1 and trial.seconds_left < _AFTER_S:
                break  # the machine is slower than the plan thought
            if life.death == "kill at start":
                acting.lives.begin_and_die(life.lasts_s)
            else:
                acting.begin()
                _live(acting.lives, life, trial.chance)
        acting.begin()
        acting.drain()
        return acting.conclude(trial.log)


def _live(lives: Lives, life: Life, chance: random.Random) -> None:
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


def _life(chance: random.Random) -> Life:
    [death] = chance.choices(_DEATHS, _OFTEN)
    lasts_s = chance.uniform(0.1, 2.5) if death == "kill at start" else chance.choice([0.0, 0.5, 1.5, 3.0])
    lasts_s += chance.uniform(0.0, 1.0)
    deaths = [chance.uniform(0.0, lasts_s) for _ in range(chance.choice([0, 0, 1, 2]))]
    return Life(death=death, lasts_s=lasts_s, workers_die_at_s=sorted(deaths))


PART = Part(
    name="kills", summary="SIGKILL of server and workers while agents send and judges are asked", share=5, run=run
)
