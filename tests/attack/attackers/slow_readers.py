"""Long answers that are read at a kilobyte a second: exports and snapshots."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from threading import Event
from typing import Final

from ..attacker import Attacker, Met, Target
from .held import Hold

__all__ = ["ATTACKERS"]

_BYTES_PER_S: Final = 1_000
_LONG: Final = "select range, repeat('x', 1000) from range(100000000)"
_EXPORT: Final = {"sql": _LONG, "max_rows": None, "format": "csv", "timeout_s": 300}


def _read_exports(target: Target, chance: random.Random, met: Met, stopped: Event) -> None:
    _read(target, "/api/v1/sql", _EXPORT).attack([target.web_address], chance, met, stopped)


def _read_snapshots(target: Target, chance: random.Random, met: Met, stopped: Event) -> None:
    _read(target, "/api/v1/snapshot", {}).attack([target.web_address], chance, met, stopped)


def _read(target: Target, path: str, body: Mapping[str, object]) -> Hold:
    content = json.dumps(body)
    request = (
        f"POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {target.token}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n{content}"
    )
    return Hold([request.encode()], most=4, bytes_per_s=_BYTES_PER_S)


ATTACKERS: Final[Sequence[Attacker]] = (
    Attacker("slow exports", _read_exports),
    Attacker("slow snapshots", _read_snapshots),
)
