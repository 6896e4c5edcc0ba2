"""Audits the ledger: each target that an evaluator looked at and selected must have exactly one active score.

The outcome that is stored of each run must be what its errors, calls and scores say, and the counts that are stored of
each hour those of its runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, Literal, TypeAlias

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries.catalog import report

from ..client.query import Read, all_rows
from ..config.dependencies import uses_scores
from ..errors import SqlRefused
from .backlog import Standing, read_standings

__all__ = ["FAULTS", "Audit", "FaultKind", "Finding", "Unassembled", "audit"]

FaultKind: TypeAlias = Literal[
    "missing", "not_active", "stale", "double", "repeated", "undecided", "outdated_outcomes", "wrong_hours"
]

FAULTS: Mapping[FaultKind, str] = {
    "missing": "looked at and selected, and has no score on the present revision",
    "not_active": "scored, but no score of the evaluator is active",
    "stale": "active on an earlier revision, and the present one was looked at; `tracegrade backfill` evaluates it",
    "double": "several active scores where there must be one",
    "repeated": "several rows of one score_id",
    "undecided": "its `when` fails, so the targets that it should have scored are unknown",
    "outdated_outcomes": "their stored outcome is not what their errors, calls and scores say",
    "wrong_hours": "their stored counts are not those of their runs, scores and tool calls",
}

_BITS = 62

_FIRST = 10
"""The number of runs with an outdated outcome, and of hours with wrong counts, that are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fault of the ledger: the number of its targets (None if unknown), and the first of them.

    `evaluator` is None if the fault is not that of a single one.
    """

    evaluator: str | None
    fault: FaultKind
    targets: int | None = None
    target_ids: tuple[str, ...] = ()
    cause: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unassembled:
    """The number of traces that cannot be assembled, and the first of them."""

    traces: int
    trace_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The findings, and the names of the evaluators that were `audited`.

    `only_with_reference` evaluators have no score on runs without a reference. `absent` ones have never run in this
    configuration. `unassembled` traces cannot be assembled, so their runs are not evaluated.
    """

    findings: tuple[Finding, ...]
    audited: tuple[str, ...]
    only_with_reference: tuple[str, ...]
    absent: tuple[str, ...]
    unassembled: Unassembled


def audit(read: Read, evaluators: Sequence[Configured]) -> Audit:
    """Compare the rows of `scores` with the targets that each of `evaluators` has looked at.

    The targets that another `when` or `sample` selected are unknown, so none of them counts as missing. A run that
    `when` selects only since another evaluator scored it again counts as missing. Raises Fault if the store cannot be
    read.
    """
    standings = read_standings(read, evaluators)
    present = [standing for standing in standings if standing.seq is not None]
    (failed,) = all_rows(read, report("failed_traces"))
    return Audit(
        findings=(
            *_find_unscored(read, present),
            *_find_stale(read, present),
            *_build_findings(all_rows(read, report("scores_twice"))),
            *_find_outdated_outcomes(read, days := all_rows(read, report("days_with_runs"))),
            *_find_wrong_hours(read, days),
        ),
        audited=tuple(standing.evaluator.name for standing in present),
        only_with_reference=tuple(
            standing.evaluator.name for standing in present if standing.evaluator.only_with_reference
        ),
        absent=tuple(standing.evaluator.name for standing in standings if standing.seq is None),
        unassembled=Unassembled(traces=failed["traces"], trace_ids=tuple(failed["trace_ids"])),
    )


def _find_unscored(read: Read, present: Sequence[Standing]) -> Iterator[Finding]:
    of_runs = [standing for standing in present if standing.evaluator.scope == "trace"]
    of_runs.sort(key=_build_selection_key)
    for _, group in groupby(of_runs, key=_build_selection_key):
        alike = list(group)
        for at in range(0, len(alike), _BITS):
            yield from _audit_runs(read, alike[at : at + _BITS])
    for standing in present:
        yield from _audit_other_targets(read, standing)


def _find_stale(read: Read, present: Sequence[Standing]) -> list[Finding]:
    parameters = {
        "evaluators": [standing.evaluator.name for standing in present],
        "evaluator_kinds": [standing.evaluator.kind for standing in present],
        "first_seqs": [standing.first_seq for standing in present],
        "seqs": [standing.seq for standing in present],
    }
    return _build_findings(all_rows(read, report("stale_scores"), **parameters))


def _find_outdated_outcomes(read: Read, days: Iterable[Mapping[str, Any]]) -> list[Finding]:
    """Compare stored outcomes with the definition, day by day."""
    runs, first = 0, list[str]()
    for day in days:
        about = {name: day[name].isoformat() for name in ("day", "earliest", "latest")}
        (found,) = all_rows(read, report("outdated_outcomes"), **about)
        runs += found["runs"]
        first += found["agent_trace_ids"] or []
    if not runs:
        return []
    return [Finding(evaluator=None, fault="outdated_outcomes", targets=runs, target_ids=tuple(first[:_FIRST]))]


def _find_wrong_hours(read: Read, days: Sequence[Mapping[str, Any]]) -> list[Finding]:
    """Compare stored counts of hours that are not marked with the definition, day by day, also between the days."""
    if not days:
        return []
    edges = ["0001-01-01", *(day["day"].isoformat() for day in days[1:]), "9999-12-31"]
    wrong: list[str] = []
    for day, (since, until) in zip(days, pairwise(edges), strict=True):
        reach = {name: day[name].isoformat() for name in ("earliest", "latest")}
        rows = all_rows(read, report("wrong_hours"), since=since, until=until, **reach)
        wrong += [row["hour"].isoformat() for row in rows]
    if not wrong:
        return []
    return [Finding(evaluator=None, fault="wrong_hours", targets=len(wrong), target_ids=tuple(wrong[:_FIRST]))]


def _build_selection_key(standing: Standing) -> tuple[str, tuple[str, ...], float, float, str]:
    """Return a key that is equal for evaluators that select the same runs, so that one query audits all of them."""
    evaluator = standing.evaluator
    when, draws = evaluator.when or "", evaluator.sample < 1 or evaluator.else_sample > 0
    after = evaluator.after if uses_scores(when) else ()
    return when, after, evaluator.sample, evaluator.else_sample, evaluator.name if draws else ""


def _audit_runs(read: Read, alike: Sequence[Standing]) -> Iterator[Finding]:
    when, after, sample, else_sample, sampled_by = _build_selection_key(alike[0])
    names = [standing.evaluator.name for standing in alike]
    parameters = {
        "evaluators": names,
        "evaluator_versions": [standing.evaluator.version for standing in alike],
        "config_hashes": [standing.evaluator.config_hash for standing in alike],
        "first_seqs": [standing.first_seq for standing in alike],
        "selected_seqs": [standing.selected_seq for standing in alike],
        "seqs": [standing.seq for standing in alike],
        "only_with_reference": [standing.evaluator.only_with_reference for standing in alike],
        "after": list(after),
        "sample": sample,
        "else_sample": else_sample,
        "sampled_by": sampled_by,
    }
    yield from _audit_where(read, "ledger_of_runs", parameters, when=when, names=names)


def _audit_other_targets(read: Read, standing: Standing) -> Iterator[Finding]:
    evaluator = standing.evaluator
    parameters = {
        "evaluator": evaluator.name,
        "evaluator_version": evaluator.version,
        "config_hash": evaluator.config_hash,
        "first_seq": standing.first_seq,
        "selected_seq": standing.selected_seq,
        "seq": standing.seq,
        "sample": evaluator.sample,
    }
    if evaluator.scope == "tool_call":
        parameters |= {
            "only_with_reference": evaluator.only_with_reference,
            "include_sub_agents": evaluator.include_sub_agents,
            "include_foreign_calls": evaluator.include_foreign_calls,
            "after": list(evaluator.after),
            "else_sample": evaluator.else_sample,
        }
        yield from _audit_where(read, "ledger_of_calls", parameters, when=evaluator.when or "", names=[evaluator.name])
    elif evaluator.scope != "trace" and evaluator.when is None:  # conditions select only runs
        rows = all_rows(read, report("ledger_of_sessions_and_tools"), scope=evaluator.scope, **parameters)
        yield from _build_findings(rows)


def _audit_where(
    read: Read, report_name: str, parameters: Mapping[str, Any], *, when: str, names: Iterable[str]
) -> Iterable[Finding]:
    """Return the faults among the runs that `when` selects; if it fails, among those on which it does not fail."""
    cause = ""
    for condition in (when, f"try((\n{when}\n))") if when else ("true",):
        try:
            return _build_findings(all_rows(read, report(report_name, condition=condition), **parameters))
        except SqlRefused as refused:
            if not when:
                raise
            cause = cause or str(refused)
    return [Finding(evaluator=name, fault="undecided", cause=cause) for name in names]


def _build_findings(rows: Iterable[Mapping[str, Any]]) -> list[Finding]:
    return [Finding(**{**row, "target_ids": tuple(row["target_ids"])}) for row in rows]
