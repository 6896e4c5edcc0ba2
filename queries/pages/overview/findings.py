"""What got worse, agent by agent: by how much, since when, where, and after which change."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from ...catalog import report
from ..visit import Visit
from .facts import Row

__all__ = [
    "Comparison",
    "Finding",
    "Measure",
    "add_causes",
    "compare",
    "find_change",
    "read_first_seen",
    "read_patterns",
]

FAILING_RUNS: Final = "failing runs"

_MOST: Final = 3
_BEFORE: Final = timedelta(hours=6)
_HOUR: Final = timedelta(hours=1)
_TOGETHER: Final = timedelta(minutes=10)
_KINDS: Final = ("version", "prompt", "model", "definition of tool")
"""What can change, as `changes_of_agents` names it."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of an agent in the period and before, as `compared_measures` has it."""

    row: Row

    @property
    def name(self) -> str:
        """The name for readers."""
        evaluator = self.row["evaluator"]
        if evaluator is None:
            return str(self.row["measure"])
        return f"failing {evaluator}{' (people)' if self.row['evaluator_kind'] == 'human' else ''}"

    @property
    def is_failing_runs(self) -> bool:
        """Whether it is the share of runs that failed, whose numbers are those of lists."""
        return bool(self.row["measure"] == FAILING_RUNS)


@dataclass(frozen=True, slots=True)
class Finding:
    """An agent that got worse. The first measure is the clearest one; `pattern` is the most frequent fault since then,
    seen first at all at `first_seen_at`, and `change` what changed in the hours before: None if there is none."""

    agent: str
    measures: tuple[Measure, ...]
    since_at: datetime
    pattern: Row | None = None
    first_seen_at: datetime | None = None
    change: Row | None = None

    @property
    def first(self) -> Measure:
        """The clearest measure."""
        return self.measures[0]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The findings, and what was compared at all; `left_out` are agents with too few runs."""

    findings: Sequence[Finding]
    agents: Sequence[str]
    evaluators: Sequence[str]
    left_out: Sequence[str]
    omitted: int = 0


def compare(measures: Sequence[Row], agents: Iterable[str]) -> Comparison:
    """Return which agents got worse, the clearest first, at most three, without causes."""
    worse: dict[str, list[Measure]] = {}
    for row in measures:
        if row["is_worse"] and row["since_at"] is not None:
            worse.setdefault(row["agent"], []).append(Measure(row))
    findings = [_make_finding(agent, found) for agent, found in worse.items()]
    compared = {row["agent"] for row in measures}
    return Comparison(
        findings[:_MOST],
        sorted(compared),
        sorted({row["evaluator"] for row in measures if row["evaluator"] is not None}),
        sorted(set(agents) - compared),
        max(0, len(findings) - _MOST),
    )


def _make_finding(agent: str, measures: Sequence[Measure]) -> Finding:
    """Put the share of failing runs first, if it got worse: its numbers are those of lists."""
    ordered = sorted(measures, key=lambda measure: not measure.is_failing_runs)
    return Finding(agent, tuple(ordered), ordered[0].row["since_at"])


def find_change(changes: Sequence[Row], agent: str, onset: datetime) -> Row | None:
    """Return what the agent changed last before it got worse, or within an hour, if it is not too long ago.

    Of what changed together, a version says the most.
    """
    near = [
        change
        for change in changes
        if change["agent"] == agent and onset - _BEFORE <= change["first_run_at"] < onset + _HOUR
    ]
    last_at = max((change["first_run_at"] for change in near), default=None)
    together = [change for change in near if last_at is not None and last_at - change["first_run_at"] <= _TOGETHER]
    return min(together, key=lambda change: _KINDS.index(change["what"]), default=None)


async def read_patterns(visit: Visit, findings: Sequence[Finding]) -> list[Row | None]:
    """Return the most frequent fault of each agent since it got worse; None: no run failed."""
    return await asyncio.gather(*(_read_pattern(visit, finding) for finding in findings))


async def read_first_seen(visit: Visit, patterns: Iterable[Row | None]) -> Mapping[str, datetime]:
    """Return when each of these patterns was seen first, by its id."""
    ids = sorted({pattern["pattern_id"] for pattern in patterns if pattern is not None})
    rows = await visit.site.api.rows(report("first_seen_of_patterns"), pattern_ids=ids) if ids else []
    return {row["pattern_id"]: row["first_seen_at"] for row in rows}


def add_causes(
    comparison: Comparison,
    patterns: Sequence[Row | None],
    first_seen: Mapping[str, datetime],
    changes: Sequence[Row],
) -> Comparison:
    """Return the findings with their patterns, and with what changed before."""
    findings = [
        _add_cause(finding, pattern, first_seen, changes)
        for finding, pattern in zip(comparison.findings, patterns, strict=True)
    ]
    return replace(comparison, findings=findings)


def _add_cause(
    finding: Finding, pattern: Row | None, first_seen: Mapping[str, datetime], changes: Sequence[Row]
) -> Finding:
    """Return the finding with its cause.

    It began with the first run of a new pattern, which is more exact than the hour of the counts.
    """
    seen_at = None if pattern is None else first_seen.get(pattern["pattern_id"])
    onset = finding.since_at if seen_at is None else max(finding.since_at, seen_at)
    change = find_change(changes, finding.agent, onset)
    return replace(finding, pattern=pattern, first_seen_at=seen_at, change=change)


async def _read_pattern(visit: Visit, finding: Finding) -> Row | None:
    names = {**visit.selection.names, "agent": finding.agent}
    rows = await visit.site.api.rows(
        report("failing_patterns"), since=finding.since_at, until=visit.window.until, limit=1, **names
    )
    return rows[0] if rows else None
