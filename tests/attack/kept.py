"""What the store says afterwards of the honest sender's runs, and of what attackers wanted to leave in it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from tests.durability.outcome import audited
from tests.support.server import JUDGES

from .attackers.recordings import PLANTED_USD
from .neighbour import Sent

__all__ = ["Kept", "kept"]

_SCORED = """
    select trace_id, evaluator, min(epoch(scored_at)), count(*) filter (where superseded_at is null)
    from scores
    where scope = 'trace' and evaluator in (select unnest($1)) and trace_id in (select unnest($2))
    group by all"""
_SPANS = """
    select trace_id, count(*), count(distinct span_id) from spans
    where trace_id in (select unnest($1)) group by all"""
_FORGED = r"""
    select count(*) from scores
    where regexp_matches(
        evaluator, '[\x00-\x1f\x7f-\x9f\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}\x{feff}]'
    )"""
_PLANTED = "select count(*) from judge_calls where cost_usd >= $1"
_SPANS_OF_RUN = 10


@dataclass(frozen=True, slots=True)
class Kept:
    """`to_score_s`: by trace, from the export to the last of its scores; infinite where one is missing.
    `planted_costs`: how many answers of judges cost what an attacker said."""

    to_score_s: Mapping[str, float]
    lost: int
    doubled: int
    forged_names: int
    planted_costs: int
    findings: Sequence[Mapping[str, Any]]


def kept(store: Path, sent: Sequence[Sent]) -> Kept:
    """What a store holds that no process has open. `sent` are the exports that were taken."""
    traces = [one.trace_id for one in sent]
    with duckdb.connect(str(store), read_only=True) as connection:
        scores = connection.execute(_SCORED, [sorted(JUDGES), traces]).fetchall()
        spans = connection.execute(_SPANS, [traces]).fetchall()
        (forged,) = connection.execute(_FORGED).fetchone() or (0,)
        (planted,) = connection.execute(_PLANTED, [PLANTED_USD]).fetchone() or (0,)
    at_s: dict[str, list[float]] = {}
    for trace_id, _, scored_at_s, _ in scores:
        at_s.setdefault(trace_id, []).append(scored_at_s)
    whole = {trace_id for trace_id, _, distinct in spans if distinct == _SPANS_OF_RUN}
    return Kept(
        to_score_s={one.trace_id: _last(at_s.get(one.trace_id, [])) - one.at_s for one in sent},
        lost=len(set(traces) - whole),
        doubled=sum(count > distinct for _, count, distinct in spans) + sum(row[-1] > 1 for row in scores),
        forged_names=forged,
        planted_costs=planted,
        findings=audited(store, {}),
    )


def _last(at_s: Sequence[float]) -> float:
    return max(at_s) if len(at_s) == len(JUDGES) else math.inf
