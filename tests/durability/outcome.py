"""What a store says in the end, what a clean import of the same records says, and where the two differ."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
from tests.support.command import finished, inside
from tests.support.records import Record, body_of

from tracegrade.collector.otlp.signal import Signal

from .part import Counts

__all__ = ["Outcome", "Rows", "audited", "compare", "imported", "missing_spans", "outcome", "read"]

Rows: TypeAlias = Callable[[str], Sequence[Sequence[Any]]]
Row: TypeAlias = tuple[Any, ...]

_SPANS = "select 'span', trace_id, span_id, null, null, null, count(*) from spans group by all"
_LOGS = """select 'log', trace_id, span_id, event_name, time_ns, md5(concat(body::varchar, attributes::varchar)),
                  count(*) from logs group by all"""
_RUNS = """select agent_trace_id, parent_agent_trace_id, session_id, agent_name, tool_call_count, llm_call_count, error,
                  completeness, gaps::varchar, fingerprint, rows_hash from agent_traces"""
_SCORES = """select target_id, evaluator, evaluator_kind, author, scope, session_id, span_id, status, value, label,
                    passed, reason, explanation from scores where superseded_at is null"""
_ACTIVE_TWICE = """select target_id, evaluator, count(*) from scores where superseded_at is null
                   group by target_id, evaluator, evaluator_kind, author,
                            case when evaluator_kind in ('human', 'external') then span_id end
                   having count(*) > 1"""
_ANSWERED_TWICE = """select request_hash from judge_calls where not from_cache and status = 'ok'
                     group by request_hash having count(*) > 1"""
_PORTION = 400
_IMPORT_S = 600.0
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """Rows by how often they are there. Of spans and log records the last column is how often that one is there."""

    records: Counter[Row]
    runs: Counter[Row]
    scores: Counter[Row]
    active_twice: Sequence[Row] = ()
    answered_twice: Sequence[Row] = ()

    def is_told_like(self, other: Outcome) -> bool:
        """Whether both have the same runs and active scores."""
        return self.runs == other.runs and self.scores == other.scores


def outcome(rows: Rows) -> Outcome:
    """What `rows` answers. Of a server that is at work the tables may be of different moments."""
    records: Counter[Row] = Counter()
    for sql in (_SPANS, _LOGS):
        records.update({tuple(row[:-1]): row[-1] for row in rows(sql)})
    return Outcome(
        records,
        Counter(map(tuple, rows(_RUNS))),
        Counter(map(tuple, rows(_SCORES))),
        [tuple(row) for row in rows(_ACTIVE_TWICE)],
        [tuple(row) for row in rows(_ANSWERED_TWICE)],
    )


def read(store: Path) -> Outcome:
    """What the file says, while no process holds it."""
    with duckdb.connect(str(store), read_only=True) as connection:
        return outcome(lambda sql: connection.execute(sql).fetchall())


def imported(folder: Path, records: Iterable[Record], variables: Mapping[str, str]) -> Outcome:
    """What one import of these records into a new store gives. `folder` has the files that `variables` name."""
    store = folder / "clean.duckdb"
    files: list[Path] = []
    for signal in (Signal.TRACES, Signal.LOGS):
        left = iter([record for record in records if record.signal is signal])
        while portion := list(islice(left, _PORTION)):
            files.append(folder / f"{signal}-{len(files):04}.pb")
            files[-1].write_bytes(body_of(portion))
    done = finished(["import", "--store", store, *files], at=folder, variables=variables, within_s=_IMPORT_S)
    assert done.code in {0, 3}, f"the clean import failed: {done.text}{done.err}"
    return read(store)


def audited(store: Path, variables: Mapping[str, str]) -> Sequence[Mapping[str, Any]]:
    """The findings of the ledger audit, while no process holds the store."""
    done = inside("doctor", "--ledger", "--json", "--store", store, at=store.parent, **variables)
    assert done.code in {0, 1}, f"the audit failed: {done.text}{done.err}"
    findings: Sequence[Mapping[str, Any]] = json.loads(done.out)["findings"]
    return findings


def missing_spans(rows: Rows, acknowledged: Iterable[Record]) -> tuple[Sequence[str], Sequence[str]]:
    """The acknowledged spans that are not there, and the spans that are there more than once."""
    kept = {(row[1], row[2]): row[-1] for row in rows(_SPANS)}
    wanted = {(one.trace_id, one.span_id) for one in acknowledged if one.signal is Signal.TRACES}
    return (
        sorted("/".join(one) for one in wanted - kept.keys()),
        sorted("/".join(one) for one, count in kept.items() if count > 1),
    )


def compare(found: Outcome, clean: Outcome, findings: Sequence[Mapping[str, Any]]) -> tuple[Counts, list[str]]:
    """How what was found differs from what a clean import gives: the counts, and a sentence a kind of fault."""
    other = found.scores - clean.scores
    lost = clean.records - found.records
    doubled = found.records - clean.records
    runs = (found.runs - clean.runs) + (clean.runs - found.runs)
    absent = clean.scores - found.scores
    targets = {row[:4] for row in found.scores}
    missing = Counter({row: count for row, count in absent.items() if row[:4] not in targets})
    counts = Counts(
        spans=sum(count for row, count in found.records.items() if row[0] == "span"),
        runs=found.runs.total(),
        scores=found.scores.total(),
        lost=lost.total(),
        doubled=doubled.total(),
        runs_differing=len({row[0] for row in runs}),
        scores_missing=missing.total(),
        scores_other=other.total(),
        active_twice=len(found.active_twice),
        audit_findings=len(findings),
    )
    faults = [
        *_told("lost", lost),
        *_told("doubled, or never acknowledged", doubled),
        *_told("a run that a clean import has otherwise", found.runs - clean.runs),
        *_told("a run as a clean import has it, and this store not", clean.runs - found.runs),
        *_told("missing score", missing),
        *_told("score that a clean import does not give", other),
        *_told("score of a clean import in its place", absent - missing),
        *_told("active twice", found.active_twice),
        *_told("finding of the audit", findings),
    ]
    return counts, faults


def _told(what: str, rows: Iterable[Any]) -> list[str]:
    """A sentence for the first ones, and how many there are."""
    all_rows = sorted(map(str, rows))
    if not all_rows:
        return []
    more = f" and {len(all_rows) - _SHOWN} more" if len(all_rows) > _SHOWN else ""
    return [f"{what} ({len(all_rows)}): {'; '.join(all_rows[:_SHOWN])}{more}"]
