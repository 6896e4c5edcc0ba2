"""A server in little memory, as a part: `soak` says how it is made and what it has to come to."""

from __future__ import annotations

from collections.abc import Callable

from .part import Counts, Found, Part, Trial
from .soak import soak

__all__ = ["PART", "run"]

_SIZES = (2**30, 2 * 2**30)
_SHORTEST_S = 8.0
_AROUND_S = 12.0
"""What a soak takes beside the time in which it sends."""


def run(trial: Trial) -> Found:
    """Half of the time with 1 GiB, half with 2 GiB."""
    found = Found(Counts())
    seconds = max(_SHORTEST_S, trial.seconds_left / len(_SIZES) - _AROUND_S)
    for size in _SIZES:
        soaked = soak(size, seconds, seed=trial.chance.getrandbits(32))
        trial.log(str(soaked))
        counts = Counts(runs=soaked.assembled, active_twice=soaked.active_twice)
        found = Found(found.counts + counts, [*found.faults, *_faults(soaked.check)])
    return found


def _faults(check: Callable[[], None]) -> list[str]:
    try:
        check()
    except AssertionError as error:
        return [str(error)]
    return []


PART = Part(name="small_memory", summary="a server in 1 GiB and in 2 GiB", share=2, run=run)
