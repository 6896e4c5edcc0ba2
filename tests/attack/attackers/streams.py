"""Streams of events, which never end: as many as the server has descriptors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from threading import Event
from typing import Final

from ..attacker import Attacker, Met, Target
from .held import Hold

__all__ = ["ATTACKERS"]

_MOST: Final = 500


def _open(target: Target, chance: random.Random, met: Met, stopped: Event) -> None:
    request = (
        f"GET /live?after=0 HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n"
        f"authorization: Bearer {target.token}\r\n\r\n"
    )
    Hold([request.encode()], most=_MOST).attack([target.web_address], chance, met, stopped)


ATTACKERS: Final[Sequence[Attacker]] = (Attacker("event streams", _open),)
