"""Everybody who means ill, at once, in a process of their own: what they cost must not slow the honest ones down."""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any, Final

from .attacker import Attacker, Met, Target
from .attackers import (
    cross_site,
    exports,
    files,
    forms,
    half_open,
    logins,
    previews,
    queries,
    recordings,
    slow_readers,
    streams,
)
from .payloads import bombs, large_resource

__all__ = ["ATTACKERS", "Assault", "assault"]

ATTACKERS: Final[Sequence[Attacker]] = (
    *exports.ATTACKERS,
    *queries.ATTACKERS,
    *half_open.ATTACKERS,
    *forms.ATTACKERS,
    *logins.ATTACKERS,
    *previews.ATTACKERS,
    *streams.ATTACKERS,
    *slow_readers.ATTACKERS,
    *recordings.ATTACKERS,
    *files.ATTACKERS,
    *cross_site.ATTACKERS,
)

_NICE: Final = 10
_LAST_ANSWERS_S, _END_S = 5.0, 10.0


@dataclass
class Assault:
    """What attackers met, by their names. It is there once the context that gave it is left."""

    met: Mapping[str, Met]


@contextmanager
def assault(target: Target, seed: int) -> Iterator[Assault]:
    """All attackers at work until the context is left; for answers that they had asked for they wait a little."""
    context = multiprocessing.get_context("spawn")
    ready, stopped, told = context.Event(), context.Event(), context.SimpleQueue()
    process = context.Process(target=_attack, args=(target, seed, ready, stopped, told))
    process.start()
    ready.wait()
    found = Assault({})
    try:
        yield found
    finally:
        stopped.set()
        deadline = time.monotonic() + _END_S
        while told.empty() and process.is_alive() and time.monotonic() < deadline:
            process.join(0.1)
        if not told.empty():
            found.met = told.get()
        process.kill()
        process.join()


def _attack(target: Target, seed: int, ready: Any, stopped: Any, told: Any) -> None:
    os.nice(_NICE)  # attackers have machines of their own
    bombs()
    large_resource()
    over = Event()
    met: dict[str, Met] = {each.name: Met() for each in ATTACKERS}
    working: list[tuple[str, Met, Thread]] = []
    for attacker in ATTACKERS:
        for number in range(attacker.at_once):
            own, chance = Met(), random.Random(f"{seed} {attacker.name} {number}")
            thread = Thread(target=attacker.attack, args=(target, chance, own, over), name=attacker.name, daemon=True)
            working.append((attacker.name, own, thread))
    for _, _, thread in working:
        thread.start()
    ready.set()
    stopped.wait()
    over.set()
    deadline = time.monotonic() + _LAST_ANSWERS_S
    for name, own, thread in working:
        thread.join(max(0.0, deadline - time.monotonic()))
        met[name].update(own)
    told.put(met)
