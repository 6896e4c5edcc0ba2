"""Readers who have the token, and ask what nobody should."""

from __future__ import annotations

import random
from collections.abc import Sequence
from threading import Event
from typing import Final

from ..attacker import Attacker, Met, Target
from ..statements import HOSTILE

__all__ = ["ATTACKERS"]

_PAUSE_S: Final = 0.05
_HURRIED_S, _GENEROUS_S = 5.0, 300.0
_LEAVES_AFTER_S: Final = 0.5
_SHOWN: Final = 60


def _read(target: Target, chance: random.Random, met: Met, stopped: Event) -> None:
    """Ask for as long as is allowed or briefly, for all rows or some; may leave before the end."""
    with target.connect(has_token=True) as client:
        while not stopped.wait(_PAUSE_S):
            for sql in chance.sample(HOSTILE, len(HOSTILE)):
                if stopped.is_set():
                    return
                limit_s = chance.choice((_HURRIED_S, _HURRIED_S, _GENEROUS_S))
                asked = {"sql": sql, "timeout_s": limit_s, "max_rows": chance.choice((10_000, None))}
                patience_s = _LEAVES_AFTER_S if chance.random() < 0.2 else 4 * _HURRIED_S
                met.ask(client, "POST", "/api/v1/sql", json=asked, timeout=patience_s, about=f" to {sql[:_SHOWN]}")


ATTACKERS: Final[Sequence[Attacker]] = (Attacker("hostile SELECTs", _read, at_once=4),)
