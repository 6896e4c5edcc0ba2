"""Connections that begin and do not go on."""

from __future__ import annotations

import random
from collections.abc import Sequence
from threading import Event
from typing import Final

from ..attacker import Attacker, Met, Target
from .held import Hold

__all__ = ["ATTACKERS"]

_BEGINNINGS: Final = (
    b"",
    b"POST /v1/traces HTTP/1.1\r\nhost: localhost\r\nx-",
    b"POST /v1/traces HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{",
    b"POST /v1/traces HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nffff\r\n{",
    b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
)
_HOLD: Final = Hold(_BEGINNINGS, most=600)


def _hold(target: Target, chance: random.Random, met: Met, stopped: Event) -> None:
    _HOLD.attack(target.addresses, chance, met, stopped)


ATTACKERS: Final[Sequence[Attacker]] = (Attacker("half-open connections", _hold),)
