"""The same records in many orders, batches and protocols give the runs and default scores of a clean import."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from tests.support.polling import until
from tests.support.records import Record

from tracegrade.collector.otlp.signal import Signal

from .corpus import recorded, written
from .lives import Lives
from .outcome import Outcome, audited, compare, imported, outcome, read
from .part import Counts, Found, Part, Trial
from .sending import Agents, Batch, batches_of

__all__ = ["ORDERS", "PART", "run"]

Waves: TypeAlias = Sequence[Sequence[Batch]]
"""Between two waves everything that has arrived is assembled and evaluated."""

_HURRIED: Final = {
    "TRACEGRADE_ASSEMBLY__GRACE": "100ms",
    "TRACEGRADE_ASSEMBLY__IDLE": "800ms",
    "TRACEGRADE_EVALUATION__EVERY": "100ms",
    "TRACEGRADE_EVALUATION__SESSION_IDLE": "300ms",
}
_ORDER_S = 9.0
"""What an order takes, with the start of its server and the audit."""

_DRAIN_S, _SETTLE_S, _REST_S = 90.0, 60.0, 1.2
_POLL_S = 0.3


def as_recorded(records: Sequence[Record], chance: random.Random) -> Waves:
    """In the order in which they were exported, in small requests."""
    return [[*batches_of(records, chance)]]


def at_once(records: Sequence[Record], chance: random.Random) -> Waves:
    """In as few requests as can be."""
    return [[*batches_of(_logs_last(records), chance, most=len(records))]]


def one_by_one(records: Sequence[Record], chance: random.Random) -> Waves:
    """Each in a request of its own, shuffled."""
    return [[*batches_of(_shuffled(records, chance), chance, most=1)]]


def reversed_order(records: Sequence[Record], chance: random.Random) -> Waves:
    """What ended last comes first."""
    return [[*batches_of(records[::-1], chance)]]


def shuffled(records: Sequence[Record], chance: random.Random) -> Waves:
    """Traces of all agents mixed, and split over requests and protocols."""
    return [[*batches_of(_grouped(_shuffled(records, chance), chance), chance)]]


def logs_first(records: Sequence[Record], chance: random.Random) -> Waves:
    """All log records before any span, and evaluated before any comes."""
    spans, logs = _apart(records)
    return [[*batches_of(logs, chance)], [*batches_of(_shuffled(spans, chance), chance)]]


def logs_late(records: Sequence[Record], chance: random.Random) -> Waves:
    """Log records when the runs have their scores."""
    spans, logs = _apart(records)
    return [[*batches_of(spans, chance)], [*batches_of(_shuffled(logs, chance), chance)]]


def late_spans(records: Sequence[Record], chance: random.Random) -> Waves:
    """Any fifth record when the runs have their scores."""
    late = {id(record) for record in records if chance.random() < 0.2}
    return [
        [*batches_of([one for one in records if id(one) not in late], chance)],
        [*batches_of([one for one in records if id(one) in late], chance)],
    ]


def roots_late(records: Sequence[Record], chance: random.Random) -> Waves:
    """The spans without a parent when all below them was assembled as it was."""
    return [
        [*batches_of([one for one in records if one.parent_span_id or one.signal is Signal.LOGS], chance)],
        [*batches_of([one for one in records if not one.parent_span_id and one.signal is Signal.TRACES], chance)],
    ]


def roots_first(records: Sequence[Record], chance: random.Random) -> Waves:
    """The spans without a parent alone, evaluated before anything below them is there."""
    return roots_late(records, chance)[::-1]


def repeated(records: Sequence[Record], chance: random.Random) -> Waves:
    """Every record again in other requests, some at the same time and some when the runs have their scores."""
    twice = _shuffled([*records, *records], chance)
    return [[*batches_of(_grouped(twice, chance), chance)], [*batches_of(_shuffled(records, chance), chance)]]


def halves_of_traces(records: Sequence[Record], chance: random.Random) -> Waves:
    """In three waves, any record in any of them."""
    waves: list[list[Record]] = [[], [], []]
    for record in records:
        chance.choice(waves).append(record)
    return [[*batches_of(_shuffled(wave, chance), chance)] for wave in waves]


ORDERS: Mapping[str, Callable[[Sequence[Record], random.Random], Waves]] = {
    order.__name__: order
    for order in (
        shuffled,
        late_spans,
        roots_late,
        logs_first,
        repeated,
        one_by_one,
        reversed_order,
        logs_late,
        roots_first,
        halves_of_traces,
        as_recorded,
        at_once,
    )
}


@dataclass(frozen=True, slots=True)
class _Clean:
    records: Sequence[Record]
    outcome: Outcome


def run(trial: Trial) -> Found:
    """One corpus, its clean import, and as many orders as there is time for, another first in each trial."""
    chance = trial.chance
    records = [*recorded(chance, 30), *(one for number in range(10) for one in written(number, chance))]
    folder = trial.folder / "clean"
    folder.mkdir()
    clean = _Clean(records, imported(folder, records, _HURRIED))
    counts, faults = Counts(), list[str]()
    names = chance.sample([*ORDERS], len(ORDERS))
    for name in names:
        if counts.orders and trial.seconds_left < _ORDER_S:
            break
        found = _arrived(trial.folder / name, ORDERS[name](records, chance), clean, chance)
        counts += found.counts
        faults += [f"{name}: {fault}" for fault in found.faults]
    return Found(counts, faults)


def _arrived(folder: Path, waves: Waves, clean: _Clean, chance: random.Random) -> Found:
    folder.mkdir()
    lives = Lives(folder / "store.duckdb", _HURRIED)
    try:
        lives.begin()
        refusals = [refusal for wave in waves if wave for refusal in _wave(lives, wave, chance)]
        faults = _settled(lives, clean.outcome)
        lives.stop()
    finally:
        lives.end()
    counts, differences = compare(read(lives.store), clean.outcome, audited(lives.store, _HURRIED))
    return Found(counts + Counts(orders=1), [*refusals, *faults, *differences])


def _wave(lives: Lives, wave: Sequence[Batch], chance: random.Random) -> Sequence[str]:
    """Sends the requests, and returns when what came of them rests."""
    agents = Agents(lives.ports, iter(wave), random.Random(chance.getrandbits(32)))
    with agents.at_work():
        assert agents.wait(_DRAIN_S), f"the server did not take everything within {_DRAIN_S:g} s"
    _rest(lives)
    return agents.refusals


def _rest(lives: Lives) -> None:
    """Until nothing has changed for longer than anything is waited for."""
    assert lives.server is not None
    sql = """select (select count(*) from agent_traces), (select max(assembled_seq) from agent_traces), count(*)
             from scores"""
    before: object = None
    while (now := lives.server.rows(sql)) != before:
        before = now
        threading.Event().wait(_REST_S)


def _settled(lives: Lives, clean: Outcome) -> Sequence[str]:
    assert lives.server is not None
    rows = partial(lives.server.rows, max_rows=1_000_000)
    try:
        until(lambda: outcome(rows).is_told_like(clean), within_s=_SETTLE_S, every_s=_POLL_S)
    except AssertionError:
        return [f"it did not come to what a clean import says within {_SETTLE_S:g} s"]
    return []


def _shuffled(records: Sequence[Record], chance: random.Random) -> list[Record]:
    return chance.sample(records, len(records))


def _apart(records: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """Spans, and log records."""
    logs = [record for record in records if record.signal is Signal.LOGS]
    return [record for record in records if record.signal is not Signal.LOGS], logs


def _logs_last(records: Sequence[Record]) -> list[Record]:
    spans, logs = _apart(records)
    return [*spans, *logs]


def _grouped(records: Sequence[Record], chance: random.Random) -> list[Record]:
    """The same, with log records in runs between the spans, so that requests of one signal are not of one record."""
    found: list[Record] = []
    left = list(records)
    while left:
        count = chance.randint(10, 60)
        portion, left = left[:count], left[count:]
        found += _logs_last(portion)
    return found


PART = Part(name="orders", summary="the same records in many orders, batches and protocols", share=4, run=run)
