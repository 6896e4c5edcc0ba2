"""A disk that fills up and is freed again, under a server that agents send to, and that may be killed meanwhile."""

from __future__ import annotations

import random
import subprocess
import threading
import time
from itertools import chain

from tests.support.disk import SmallDisk, small_disk
from tests.support.server import start

from .corpus import recorded, written
from .part import Counts, Found, Part, Trial
from .scene import Scene, scene
from .sending import batches_of

__all__ = ["PART", "run"]

_MEGABYTES = 80
_TIMES_S = 5.0
_AFTER_S = 25.0
_ENDED_S = 60.0
_NO_ROOM = 4
"""The exit code of a server whose store cannot be used."""


def run(trial: Trial) -> Found:
    """Fills the disk some times. The trial is skipped where no file system can be mounted."""
    chance = trial.chance
    times = max(2, min(12, int((trial.seconds_left - _AFTER_S) / _TIMES_S)))
    records = [*chain(*(written(number, chance) for number in range(12 * times))), *recorded(chance, 3 * times)]
    chance.shuffle(records)
    batches = [*batches_of(sorted(records, key=lambda record: record.signal), chance)]
    chance.shuffle(batches)
    pause_s = 3 * 2.5 * times / len(batches)
    with (
        small_disk(trial.folder / "disk", megabytes=_MEGABYTES) as disk,
        scene(
            trial.folder, batches, chance, pause_s=pause_s, sdk_runs=times, store=disk.folder / "store.duckdb"
        ) as acting,
    ):
        acting.begin()
        filled = 0
        while filled < times and (filled < 2 or trial.seconds_left > _AFTER_S):
            threading.Event().wait(chance.uniform(0.2, 1.5))
            _without_room(acting, disk, chance)
            filled += 1
        acting.drain()
        found = acting.conclude(trial.log)
        return Found(found.counts + Counts(disks_filled=filled), found.faults)


def _without_room(acting: Scene, disk: SmallDisk, chance: random.Random) -> None:
    """The disk is full for a while. In every third time the server is killed then, and another one may try to start."""
    began = time.monotonic()
    disk.fill()
    threading.Event().wait(chance.uniform(0.3, 2.5))
    is_killed = chance.random() >= 0.7
    if is_killed:
        acting.lives.kill()
        if chance.random() < 0.5:
            _start_without_room(acting)
    disk.make_room()
    acting.full.append((began, time.monotonic()))
    if is_killed:
        acting.begin()


def _start_without_room(acting: Scene) -> None:
    """It says that it cannot, or it can."""
    lives = acting.lives
    process = start(lives.store, lives.variables, ports=lives.ports, mode="ab")
    try:
        code = process.wait(timeout=_ENDED_S / 6)
    except subprocess.TimeoutExpired:
        code = _NO_ROOM
    finally:
        process.kill()
        process.wait(timeout=_ENDED_S)
        lives.kills.append(time.monotonic())  # it may have had answers that it could not store
    if code != _NO_ROOM:
        acting.faults.append(f"a server that started on a full disk ended with {code}")


PART = Part(name="full_disk", summary="a disk that is full for a while, again and again", share=1.5, run=run)
