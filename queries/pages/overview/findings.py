"""What got worse, agent by agent: by how much, since when, where, and after which change."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from ...catalog import report
from ..visit import Visit
from .facts import Facts, Row

__all__ = ["Comparison", "Finding", "Measure", "compare", "find_change", "read_findings"]

FAILING_RUNS: Final = "failing runs"

_MOST: Final = 3
_BEFORE: Final = timedelta(hours=6)
_HOUR: Final = timedelta(hours=1)


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
    `change` what changed in the hours before, both None if there is none."""

    agent: str
    measures: tuple[Measure, ...]
    since_at: datetime
    pattern: Row | None = None
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


def find_change(changes: Sequence[Row], agent: str, since_at: datetime) -> Row | None:
    """Return the last change of the agent before it got worse, or in that hour, if it is not too long ago."""
    near = [
        change
        for change in changes
        if change["agent"] == agent and since_at - _BEFORE <= change["first_run_at"] < since_at + _HOUR
    ]
    return max(near, key=lambda change: change["first_run_at"], default=None)


async def read_findings(visit: Visit, facts: Facts) -> Comparison:
    """Return what got worse, with its causes."""
    chosen = visit.selection.agent
    agents = facts.choices.names["agent"] if chosen is None else [chosen]
    comparison = compare(facts.measures, agents)
    patterns = await asyncio.gather(*(_read_pattern(visit, finding) for finding in comparison.findings))
    findings = [
        Finding(
            finding.agent,
            finding.measures,
            finding.since_at,
            pattern,
            find_change(facts.changes, finding.agent, _find_onset(finding.since_at, pattern)),
        )
        for finding, pattern in zip(comparison.findings, patterns, strict=True)
    ]
    return Comparison(findings, comparison.agents, comparison.evaluators, comparison.left_out, comparison.omitted)


def _find_onset(since_at: datetime, pattern: Row | None) -> datetime:
    """Return when it began: with the first run of a new pattern, which is more exact than the hour of the counts."""
    return since_at if pattern is None else max(since_at, pattern["first_seen_at"])


async def _read_pattern(visit: Visit, finding: Finding) -> Mapping[str, Any] | None:
    names = {**visit.selection.names, "agent": finding.agent}
    rows = await visit.site.api.rows(
        report("failing_patterns"), since=finding.since_at, until=visit.window.until, limit=1, **names
    )
    return rows[0] if rows else None
