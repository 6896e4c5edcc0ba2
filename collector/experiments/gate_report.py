"""Reads the scores that a gate decides on, and decides."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from tracegrade.evaluators.experiments.gate import Figures, GateResult, decide
from tracegrade.queries.catalog import report

from ..client.query import Read, all_rows, split
from ..clock import format_time, parse_time
from ..store.engines.arrow import listed
from .gate_file import Gate, Selection

__all__ = ["GateReport", "LowScore", "make_report"]

_LOWEST: Final = 5
_PORTION: Final = 5_000


@dataclass(frozen=True, slots=True)
class LowScore:
    """A score that pulls its evaluator down."""

    target_id: str
    value: float | None
    explanation: str | None


@dataclass(frozen=True, slots=True)
class GateReport:
    """The result of a gate with the lowest scores of the evaluators that failed. `about` says which scores counted."""

    result: GateResult
    lowest: Mapping[str, Sequence[LowScore]]
    about: str


def make_report(read: Read, gate: Gate, *, now: datetime, trace_ids: Collection[str] | None = None) -> GateReport:
    """Check stored scores against a gate; only those on some traces if `trace_ids` are given."""
    portions = _split(gate, now, trace_ids)
    baseline = gate.selected_baseline
    result = decide(
        gate.evaluators,
        _read_figures(read, portions),
        None if baseline is None else _read_figures(read, _split(baseline, now, None)),
        min_n=gate.min_n,
    )
    failed = sorted({check.evaluator for check in result.checks if check.status == "failed"})
    return GateReport(result, _read_lowest(read, failed, portions), _describe(gate, now, trace_ids))


def _read_figures(read: Read, portions: Iterable[Mapping[str, Any]]) -> dict[str, Figures]:
    """Read the figures of each evaluator with selected scores."""
    figures: dict[str, Figures] = {}
    for parameters in portions:
        for row in all_rows(read, report("score_figures"), **parameters):
            name = row.pop("evaluator")
            figures[name] = figures.get(name, Figures()) + Figures(**row)
    return figures


def _read_lowest(
    read: Read, evaluators: Sequence[str], portions: Iterable[Mapping[str, Any]]
) -> Mapping[str, Sequence[LowScore]]:
    """Read the lowest selected scores of some evaluators, by evaluator."""
    lowest: dict[str, list[LowScore]] = {}
    for parameters in portions if evaluators else ():
        for row in all_rows(read, report("lowest_scores"), evaluators=evaluators, limit=_LOWEST, **parameters):
            lowest.setdefault(row.pop("evaluator"), []).append(LowScore(**row))
    return {name: sorted(scores, key=_rank)[:_LOWEST] for name, scores in lowest.items()}


def _rank(score: LowScore) -> float:
    return -1.0 if score.value is None else score.value


def _describe(selection: Selection, now: datetime, trace_ids: Collection[str] | None) -> str:
    """Describe in words which scores count."""
    runs = "all runs"
    if trace_ids is not None:
        runs = f"{len(trace_ids):,} imported {'trace' if len(trace_ids) == 1 else 'traces'}"
    times = [
        f"{name} {format_time(parse_time(text, now))}"
        for name in ("since", "until")
        if (text := getattr(selection, name)) is not None
    ]
    names = [
        f"{name.replace('_', ' ')} {value}"
        for name in ("agent", "agent_version", "service", "environment")
        if (value := getattr(selection, name)) is not None
    ]
    return ", ".join([runs, *times, *names])


def _split(selection: Selection, now: datetime, trace_ids: Collection[str] | None) -> list[dict[str, Any]]:
    """Return the parameters of the queries for a selection: several if the trace ids do not fit into one."""
    times = {name: getattr(selection, name) for name in ("since", "until")}
    about = {
        **{name: None if text is None else parse_time(text, now).isoformat() for name, text in times.items()},
        **{name: getattr(selection, name) for name in ("agent", "service", "agent_version", "environment")},
        "experiment_id": None,
    }
    if trace_ids is None:
        return [{**about, "trace_ids": None}]
    return [{**about, "trace_ids": listed(portion)} for portion in split(sorted(trace_ids), _PORTION)]
