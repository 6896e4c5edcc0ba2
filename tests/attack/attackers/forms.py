"""Forms that nobody fills in: of a megabyte, of very many fields, and without their end. Without a login."""

from __future__ import annotations

import random
from collections.abc import Sequence
from threading import Event
from typing import Final

from ..attacker import Attacker, Met, Target
from .held import Hold

__all__ = ["ATTACKERS", "FORMS"]

_MB: Final = 2**20
_LARGEST: Final = 65_536
_TYPE: Final = "application/x-www-form-urlencoded"
_PAUSE_S: Final = 0.05

FORMS: Final[Sequence[bytes]] = (
    b"a=&" * (_MB // 3),
    b"&" * _MB,
    b"%" * _MB,
    b"a=&" * (_LARGEST // 3),
    b"&".join(b"%d=" % number for number in range(11_000)),
    b"token=" + b"%f0%9f%92%a3" * (_LARGEST // 12),
)
"""Some of a megabyte, some as long as a form may be."""

_UNFINISHED: Final = Hold(
    [
        f"POST /login HTTP/1.1\r\nhost: localhost\r\ncontent-type: {_TYPE}\r\ncontent-length: {length}\r\n\r\n".encode()
        + b"a" * (length - 1)
        for length in (_MB, _LARGEST)
    ],
    most=300,
)


def _send(target: Target, chance: random.Random, met: Met, stopped: Event) -> None:
    with target.connect() as client:
        while not stopped.wait(_PAUSE_S):
            form = chance.choice(FORMS)
            met.ask(client, "POST", "/login", content=form, headers={"content-type": _TYPE}, may_succeed=False)


def _begin(target: Target, chance: random.Random, met: Met, stopped: Event) -> None:
    _UNFINISHED.attack([target.web_address], chance, met, stopped)


ATTACKERS: Final[Sequence[Attacker]] = (Attacker("forms", _send, at_once=4), Attacker("unfinished forms", _begin))
