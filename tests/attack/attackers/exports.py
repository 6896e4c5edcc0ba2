"""Exports that no exporter would send. The receivers ask nobody for a token."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from threading import Event
from typing import Final

import grpc
from tests.support.server import EXPORT

from ..attacker import Attack, Attacker, Met, Target
from ..payloads import Payload, bombs, escaping, flood, large_resource, mutated

__all__ = ["ATTACKERS"]

_FLOOD: Final = 50_000
_FLOOD_EVERY_S: Final = 10.0
_BOMB_EVERY_S: Final = 0.3
_PATIENCE_S: Final = 30.0


def _bomb_over_grpc(target: Target, chance: random.Random, met: Met, stopped: Event) -> None:
    with grpc.insecure_channel(target.grpc) as channel:
        export = channel.unary_unary(EXPORT, bytes, bytes)
        while not stopped.wait(2 * _BOMB_EVERY_S):
            compression = chance.choice((grpc.Compression.Gzip, grpc.Compression.NoCompression))
            try:
                export(large_resource(), timeout=_PATIENCE_S, compression=compression)
            except grpc.RpcError as error:
                met.add(error.code().name)
            else:
                met.add("OK")


def _send(make_payload: Callable[[random.Random], Payload], *, every_s: float) -> Attack:
    """Return an attack with one payload after the other, which does not come again with what was put off."""

    def attack(target: Target, chance: random.Random, met: Met, stopped: Event) -> None:
        with target.connect(patience_s=_PATIENCE_S) as client:
            while not stopped.wait(every_s):
                payload = make_payload(chance)
                url = f"{target.otlp}/v1/{payload.signal}"
                met.ask(client, "POST", url, content=payload.body, headers=payload.headers)

    return attack


ATTACKERS: Final[Sequence[Attacker]] = (
    Attacker("bombs", _send(lambda chance: chance.choice(bombs()), every_s=_BOMB_EVERY_S)),
    Attacker("bombs over gRPC", _bomb_over_grpc),
    Attacker("floods", _send(lambda chance: flood(_FLOOD, chance), every_s=_FLOOD_EVERY_S)),
    Attacker("single spans", _send(lambda chance: flood(1, chance), every_s=0.025)),
    Attacker("escape sequences", _send(escaping, every_s=0.2)),
    Attacker("mutated payloads", _send(mutated, every_s=0.05)),
)
