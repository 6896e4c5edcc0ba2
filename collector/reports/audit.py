"""Whether the ledger kept its promise: every target that an evaluator looked at and wanted has one active score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal, TypeAlias

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.queries.catalog import report

from ..client.query import Read, all_rows
from ..config.dependencies import uses_scores
from ..errors import SqlRefused
from .backlog import Standing, standings

__all__ = ["FAULTS", "Audit", "Finding", "Unassembled", "What", "audit"]

What: TypeAlias = Literal["missing", "not_active", "stale", "double", "repeated", "untold"]

FAULTS: Mapping[What, str] = {
    "missing": "looked at and wanted, and has no score on the present revision",
    "not_active": "judged, but no score of the evaluator is active",
    "stale": "active on an earlier revision, and the present one was looked at: `tracegrade backfill` looks again",
    "double": "several active scores where there must be one",
    "repeated": "several rows of one score_id",
    "untold": "its `when` fails, so what it should have judged is unknown",
}

_BITS = 62


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fault of the ledger: on how many targets (None where that is unknown), and the first of them."""

    evaluator: str
    fault: What
    targets: int | None = None
    target_ids: tuple[str, ...] = ()
    cause: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unassembled:
    """How many traces cannot be assembled, and the first of them."""

    traces: int
    trace_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What was found, and the evaluators by name that were `audited`. `silent`: they may say nothing of a run of which
    nothing is expected. `absent`: never run in this configuration. `unassembled`: how many traces cannot be assembled,
    so that nothing of them is evaluated, and the first of them."""

    findings: tuple[Finding, ...]
    audited: tuple[str, ...]
    silent: tuple[str, ...]
    absent: tuple[str, ...]
    unassembled: Unassembled


def audit(read: Read, evaluators: Sequence[Configured]) -> Audit:
    """Holds the rows of `scores` against what each of `evaluators` has looked at.

    What it wanted under another `when` or `sample` is unknown: there nothing counts as missing. What `when` selects
    only since another evaluator judged it again counts as missing. Raises Fault when the store cannot be asked.
    """
    found = standings(read, evaluators)
    present = [standing for standing in found if standing.seq is not None]
    (failed,) = all_rows(read, report("failed_traces"))
    return Audit(
        findings=(
            *_unjudged(read, present),
            *_stale(read, present),
            *_findings(all_rows(read, report("scores_twice"))),
        ),
        audited=tuple(standing.evaluator.name for standing in present),
        silent=tuple(standing.evaluator.name for standing in present if standing.evaluator.only_with_reference),
        absent=tuple(standing.evaluator.name for standing in found if standing.seq is None),
        unassembled=Unassembled(traces=failed["traces"], trace_ids=tuple(failed["trace_ids"])),
    )


def _unjudged(read: Read, present: Sequence[Standing]) -> Iterator[Finding]:
    of_runs = sorted((one for one in present if one.evaluator.scope == "trace"), key=_selection)
    for _, group in groupby(of_runs, key=_selection):
        alike = list(group)
        for at in range(0, len(alike), _BITS):
            yield from _of_runs(read, alike[at : at + _BITS])
    for standing in present:
        yield from _of_others(read, standing)


def _stale(read: Read, present: Sequence[Standing]) -> list[Finding]:
    asked = {
        "evaluators": [one.evaluator.name for one in present],
        "evaluator_kinds": [one.evaluator.kind for one in present],
        "first_seqs": [one.first_seq for one in present],
        "seqs": [one.seq for one in present],
    }
    return _findings(all_rows(read, report("stale_scores"), **asked))


def _selection(standing: Standing) -> tuple[str, tuple[str, ...], float, float, str]:
    """Evaluators with an equal key want the same runs: one query audits all of them."""
    evaluator = standing.evaluator
    when, draws = evaluator.when or "", evaluator.sample < 1 or evaluator.else_sample > 0
    after = evaluator.after if uses_scores(when) else ()
    return when, after, evaluator.sample, evaluator.else_sample, evaluator.name if draws else ""


def _of_runs(read: Read, alike: Sequence[Standing]) -> Iterator[Finding]:
    when, after, sample, else_sample, sampled_by = _selection(alike[0])
    names = [one.evaluator.name for one in alike]
    asked = {
        "evaluators": names,
        "evaluator_versions": [one.evaluator.version for one in alike],
        "config_hashes": [one.evaluator.config_hash for one in alike],
        "first_seqs": [one.first_seq for one in alike],
        "selected_seqs": [one.selected_seq for one in alike],
        "seqs": [one.seq for one in alike],
        "may_be_silent": [one.evaluator.only_with_reference for one in alike],
        "after": list(after),
        "sample": sample,
        "else_sample": else_sample,
        "sampled_by": sampled_by,
    }
    yield from _asked(read, "ledger_of_runs", asked, when=when, names=names)


def _of_others(read: Read, standing: Standing) -> Iterator[Finding]:
    evaluator = standing.evaluator
    asked = {
        "evaluator": evaluator.name,
        "evaluator_version": evaluator.version,
        "config_hash": evaluator.config_hash,
        "first_seq": standing.first_seq,
        "selected_seq": standing.selected_seq,
        "seq": standing.seq,
        "sample": evaluator.sample,
    }
    if evaluator.scope == "tool_call":
        more = {
            "may_be_silent": evaluator.only_with_reference,
            "include_sub_agents": evaluator.include_sub_agents,
            "include_foreign_calls": evaluator.include_foreign_calls,
            "after": list(evaluator.after),
            "else_sample": evaluator.else_sample,
        }
        asked |= more
        yield from _asked(read, "ledger_of_calls", asked, when=evaluator.when or "", names=[evaluator.name])
    elif evaluator.scope != "trace" and evaluator.when is None:  # conditions select runs alone
        yield from _findings(all_rows(read, report("ledger_of_sessions_and_tools"), scope=evaluator.scope, **asked))


def _asked(
    read: Read, report_name: str, parameters: Mapping[str, Any], *, when: str, names: Iterable[str]
) -> Iterable[Finding]:
    """The faults among the runs that `when` selects; where it fails, among those on which it does not fail."""
    cause = ""
    for condition in (when, f"try((\n{when}\n))") if when else ("true",):
        try:
            return _findings(all_rows(read, report(report_name, condition=condition), **parameters))
        except SqlRefused as refused:
            if not when:
                raise
            cause = cause or str(refused)
    return [Finding(evaluator=name, fault="untold", cause=cause) for name in names]


def _findings(rows: Iterable[Mapping[str, Any]]) -> list[Finding]:
    return [Finding(**{**row, "target_ids": tuple(row["target_ids"])}) for row in rows]
