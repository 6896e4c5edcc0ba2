"""Reads the scores that a gate decides on, and decides."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from tracegrade.evaluators.catalog.configure import catalogue
from tracegrade.evaluators.experiments.gate import Figures, GateResult, decide
from tracegrade.evaluators.text.messages import counted
from tracegrade.queries.catalog import report
from tracegrade.queries.read.experiments import StoredExperiment

from ..client.experiments import find_experiment, list_experiments
from ..client.query import Read, all_rows, split
from ..clock import format_time, parse_time
from ..errors import Fault
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
    """The result of a gate with the lowest scores of the evaluators that failed.

    `about` says which scores counted. `warning` says why the baseline may hide a change; None: it does not.
    """

    result: GateResult
    lowest: Mapping[str, Sequence[LowScore]]
    about: str
    warning: str | None = None


def make_report(read: Read, gate: Gate, *, now: datetime, trace_ids: Collection[str] | None = None) -> GateReport:
    """Check stored scores against a gate; only those on some traces if `trace_ids` are given.

    Raises Fault if there is no such experiment, or if the baseline has the same scores.
    """
    experiment = _find_experiment(read, gate)
    portions = _split(gate, now, _find_ids(read, trace_ids), experiment)
    figures = _read_figures(read, gate, portions, experiment)
    before, warning = _read_baseline(read, gate, portions, now=now, experiment=experiment)
    known = gate.evaluators if gate.evaluators.keys() <= figures.keys() else _find_known(read)
    result = decide(gate.evaluators, figures, before, min_n=gate.min_n, known=known)
    failed = sorted({check.evaluator for check in result.checks if check.status == "failed"})
    return GateReport(result, _read_lowest(read, failed, portions), _describe(gate, now, trace_ids), warning)


def _read_baseline(
    read: Read,
    gate: Gate,
    portions: Sequence[Mapping[str, Any]],
    *,
    now: datetime,
    experiment: StoredExperiment | None,
) -> tuple[dict[str, Figures] | None, str | None]:
    """Read the figures of the baseline, None if there is none, and return a warning if it has scores of the gate.

    The baseline of an experiment with the name of the checked one is the one before. Raises Fault.
    """
    if (baseline := gate.selected_baseline) is None:
        return None, None
    earlier = _find_experiment(read, baseline, but_not=experiment)
    of_baseline = _split(baseline, now, None, earlier)
    if of_baseline == portions:
        raise Fault("the baseline has the scores of the gate itself; name others, such as those of an earlier version")
    figures = _read_figures(read, gate, of_baseline, earlier)
    if earlier != experiment:
        return figures, None
    return figures, _warn_of_overlap(read, gate, portions, of_baseline[0])


def _warn_of_overlap(
    read: Read, gate: Gate, portions: Iterable[Mapping[str, Any]], of_baseline: Mapping[str, Any]
) -> str | None:
    names = ("since", "until", "agent", "service", "agent_version", "environment")
    others = {f"baseline_{name}": of_baseline[name] for name in names}
    count = sum(
        row["scores"]
        for parameters in portions
        for row in all_rows(read, report("scores_in_both"), evaluators=list(gate.evaluators), **parameters, **others)
    )
    if not count:
        return None
    verb = "is" if count == 1 else "are"
    return f"{counted(count, 'score')} of the gate {verb} in the baseline, too, which hides changes"


def _find_experiment(
    read: Read, selection: Selection, *, but_not: StoredExperiment | None = None
) -> StoredExperiment | None:
    """Return the experiment that is selected; None for production. Raises Fault if there is none."""
    if selection.experiment is None:
        return None
    experiment = find_experiment(read, selection.experiment)
    if but_not is None or experiment.experiment_id != but_not.experiment_id:
        return experiment
    named = list_experiments(read, name=selection.experiment)
    earlier = [each for each in named if each.experiment_id != but_not.experiment_id]
    if not earlier:
        raise Fault(f"there is no experiment {selection.experiment!r} before this one to compare with")
    return earlier[0]


def _find_known(read: Read) -> Collection[str]:
    """Return the evaluators that exist: those of the catalogue, and those that have scores."""
    return {*catalogue(), *(row["evaluator"] for row in all_rows(read, report("evaluator_names")))}


def _find_ids(read: Read, trace_ids: Collection[str] | None) -> Collection[str] | None:
    """Return the ids of traces, and those of the targets that their runs share: sessions and tools."""
    if trace_ids is None:
        return None
    shared = {
        row["target_id"]
        for portion in split(sorted(trace_ids), _PORTION)
        for row in all_rows(read, report("targets_of_traces"), trace_ids=listed(portion))
    }
    return {*trace_ids, *shared}


def _read_figures(
    read: Read, gate: Gate, portions: Iterable[Mapping[str, Any]], experiment: StoredExperiment | None
) -> dict[str, Figures]:
    """Read the figures of each evaluator with selected scores, or whose runs in the experiment have failed."""
    figures: dict[str, Figures] = {}
    for parameters in portions:
        for row in all_rows(read, report("score_figures"), **parameters):
            name = row.pop("evaluator")
            figures[name] = figures.get(name, Figures()) + Figures(**row)
    if experiment is not None:
        names = [form.name for form in experiment.evaluators if form.name in gate.evaluators]
        about = {"experiment_id": experiment.experiment_id, "evaluators": names}
        for row in all_rows(read, report("failed_experiment_runs"), **about):
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
        for name in ("experiment", "agent", "agent_version", "service", "environment")
        if (value := getattr(selection, name)) is not None
    ]
    return ", ".join([runs, *times, *names])


def _split(
    selection: Selection, now: datetime, ids: Collection[str] | None, experiment: StoredExperiment | None
) -> list[dict[str, Any]]:
    """Return the parameters of the queries for a selection: several if the ids do not fit into one."""
    times = {name: getattr(selection, name) for name in ("since", "until")}
    about = {
        **{name: None if text is None else parse_time(text, now).isoformat() for name, text in times.items()},
        **{name: getattr(selection, name) for name in ("agent", "service", "agent_version", "environment")},
        "experiment_id": None if experiment is None else experiment.experiment_id,
    }
    if ids is None:
        return [{**about, "trace_ids": None}]
    return [{**about, "trace_ids": listed(portion)} for portion in split(sorted(ids), _PORTION)]
