"""Everybody who means ill, at once, in a process of their own: what they cost must not slow the honest ones down."""

from __future__ import annotations

import multiprocessing
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any, Final, TypeAlias

import grpc
import httpx
from tests.support.server import EXPORT

from .half_open import half_open
from .payloads import Payload, bombs, escaping, flood, large_resource, mutated
from .statements import HOSTILE

__all__ = ["Assault", "Target", "assault"]

_READERS: Final = 4
_CONNECTIONS: Final = 600
_FLOOD: Final = 50_000
_FLOOD_EVERY_S: Final = 10.0
_LITTLE_FLOOD: Final = 1
_PAUSE_S: Final = 0.05
_BOMB_EVERY_S: Final = 0.3
_PATIENCE_S: Final = 30.0
_OURS: Final = ("500", "502", "no answer")
"""What makes it worth knowing the statement."""

_SHOWN: Final = 60
_LEAVES_AFTER_S: Final = 0.5
_GENEROUS_S: Final = 300.0
_HURRIED_S: Final = 5.0
_END_S: Final = 2 * _PATIENCE_S

Attack: TypeAlias = Callable[["Target", random.Random, Counter[str], Event], None]


@dataclass(frozen=True, slots=True)
class Target:
    """Where a server listens: `grpc` is HOST:PORT, the others are URLs."""

    grpc: str
    otlp: str
    web: str

    @property
    def addresses(self) -> list[tuple[str, int]]:
        """Of all three, for those who speak no protocol."""
        found = [address.rpartition("//")[2].partition(":") for address in (self.grpc, self.otlp, self.web)]
        return [(host, int(port)) for host, _, port in found]


@dataclass
class Assault:
    """What attackers met. `seen` is there once the context that gave it is left: how often which attacker got which
    answer, `bomb: 413`."""

    seen: Mapping[str, int]


@contextmanager
def assault(target: Target, seed: int) -> Iterator[Assault]:
    """All attackers at work until the context is left, and those answers awaited that they had asked for."""
    context = multiprocessing.get_context("spawn")
    ready, stopped, told = context.Event(), context.Event(), context.SimpleQueue()
    process = context.Process(target=_attack, args=(target, seed, ready, stopped, told), daemon=True)
    process.start()
    ready.wait()
    found = Assault({})
    try:
        yield found
    finally:
        stopped.set()
        process.join(_END_S)
        if not told.empty():
            found.seen = told.get()
        process.kill()
        process.join()


def _attack(target: Target, seed: int, ready: Any, stopped: Any, told: Any) -> None:
    bombs()
    large_resource()
    seen: Counter[str] = Counter()
    over = Event()
    attacks: list[Attack] = [_bomb, _bomb_over_grpc, _flood, _trickle, _escape, _mutate, _hold, *[_read] * _READERS]
    threads = [
        Thread(target=attack, args=(target, random.Random(f"{seed} {number}"), seen, over), daemon=True)
        for number, attack in enumerate(attacks)
    ]
    for thread in threads:
        thread.start()
    ready.set()
    stopped.wait()
    over.set()
    for thread in threads:
        thread.join(_PATIENCE_S)
    told.put(dict(seen))


def _bomb(target: Target, chance: random.Random, seen: Counter[str], stopped: Event) -> None:
    _send(target, lambda: chance.choice(bombs()), "bomb", _BOMB_EVERY_S, seen, stopped)


def _bomb_over_grpc(target: Target, chance: random.Random, seen: Counter[str], stopped: Event) -> None:
    with grpc.insecure_channel(target.grpc) as channel:
        export = channel.unary_unary(EXPORT, bytes, bytes)
        while not stopped.wait(2 * _BOMB_EVERY_S):
            compression = chance.choice((grpc.Compression.Gzip, grpc.Compression.NoCompression))
            try:
                export(large_resource(), timeout=_PATIENCE_S, compression=compression)
            except grpc.RpcError as error:
                seen[f"bomb over gRPC: {error.code().name}"] += 1
            else:
                seen["bomb over gRPC: OK"] += 1


def _flood(target: Target, chance: random.Random, seen: Counter[str], stopped: Event) -> None:
    _send(target, lambda: flood(_FLOOD, chance), "flood", _FLOOD_EVERY_S, seen, stopped)


def _trickle(target: Target, chance: random.Random, seen: Counter[str], stopped: Event) -> None:
    _send(target, lambda: flood(_LITTLE_FLOOD, chance), "single spans", _PAUSE_S / 2, seen, stopped)


def _escape(target: Target, chance: random.Random, seen: Counter[str], stopped: Event) -> None:
    _send(target, lambda: escaping(chance), "escape sequences", 4 * _PAUSE_S, seen, stopped)


def _mutate(target: Target, chance: random.Random, seen: Counter[str], stopped: Event) -> None:
    _send(target, lambda: mutated(chance), "mutated", _PAUSE_S, seen, stopped)


def _hold(target: Target, chance: random.Random, seen: Counter[str], stopped: Event) -> None:
    half_open(target.addresses, _CONNECTIONS, chance, seen, stopped)


def _read(target: Target, chance: random.Random, seen: Counter[str], stopped: Event) -> None:
    """Asks what nobody should, for as long as is allowed or briefly, for all rows or some; may leave before the end."""
    while not stopped.wait(_PAUSE_S):
        for sql in chance.sample(HOSTILE, len(HOSTILE)):
            if stopped.is_set():
                return
            limit_s = chance.choice((_HURRIED_S, _HURRIED_S, _GENEROUS_S))
            asked = {"sql": sql, "timeout_s": limit_s, "max_rows": chance.choice((10_000, None))}
            patience_s = _LEAVES_AFTER_S if chance.random() < 0.2 else 4 * _HURRIED_S
            try:
                with httpx.Client(trust_env=False, timeout=patience_s) as client:
                    status = str(client.post(f"{target.web}/api/v1/sql", json=asked).status_code)
            except httpx.TimeoutException:
                status = "hung up"
            except httpx.HTTPError:
                status = "no answer"
            about = f" to {sql[:_SHOWN]}" if status in _OURS else ""
            seen[f"hostile SELECT: {status}{about}"] += 1


def _send(
    target: Target,
    made: Callable[[], Payload],
    name: str,
    every_s: float,
    seen: Counter[str],
    stopped: Event,
) -> None:
    """Sends one payload after the other, and does not come again with what was put off."""
    while not stopped.wait(every_s):
        payload = made()
        try:
            with httpx.Client(trust_env=False, timeout=_PATIENCE_S) as client:
                url = f"{target.otlp}/v1/{payload.signal}"
                status = str(client.post(url, content=payload.body, headers=payload.headers).status_code)
        except httpx.HTTPError:
            status = "no answer"
        seen[f"{name}: {status}"] += 1
