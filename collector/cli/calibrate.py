"""`tracegrade calibrate`: compares the scores of judges with those of people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.table import Column, Table
from rich.text import Text

from tracegrade.evaluators.text.messages import counted
from tracegrade.queries.foreign_text import one_line

from ..client.settings import load_settings
from ..client.source import open_source
from ..config.settings import evaluators_of
from ..errors import Fault
from ..reports.calibration import Calibration, calibrations, remedy
from .console import console, plain, print_json

__all__ = ["calibrate"]

_NOTHING = 3
_FEW = 30
_MOST_LABELS = 8


def calibrate(
    *, evaluator: str | None, as_json: bool, store: str | None, config: Path | None, server: str | None
) -> int:
    settings = load_settings(config, store=store)
    with open_source(settings, server) as source:
        found = calibrations(source.read, evaluator)
        if not found:
            asking = [one.name for one in evaluators_of(settings) if one.kind == "llm"]
            raise Fault(remedy(source.read, asking, evaluator), exit_code=_NOTHING)
    if as_json:
        told = [_told(one) for one in found]
        print_json(told)
    else:
        _show(found)
    return 0


def _told(one: Calibration) -> dict[str, Any]:
    confusion = [{"judge": judge, "human": human, "pairs": count} for (judge, human), count in one.confusion.items()]
    return {**asdict(one), "strength": one.strength, "confusion": confusion}


def _show(found: Sequence[Calibration]) -> None:
    numbers = ("compared", "left out", "agreement", "kappa")
    table = Table(
        Column("evaluator", overflow="fold"),
        Column("form", no_wrap=True),
        Column("judge", overflow="fold"),
        *(Column(name, justify="right", no_wrap=True) for name in numbers),
        Column("", no_wrap=True),
        box=None,
        pad_edge=False,
    )
    for one in found:
        table.add_row(*_line(one))
    console().print(table)
    for one in found:
        for remark in _remarks(one):
            console().print(plain(remark), soft_wrap=True)
    for one in found:
        if one.confusion:
            _show_labels(one)


def _line(one: Calibration) -> Iterator[Text]:
    said = (
        one.evaluator,
        _form(one),
        one.judge_model or "-",
        f"{one.compared:,}",
        f"{one.n - one.compared:,}",
        "-" if one.agreement is None else f"{one.agreement:.0%}",
        "-" if one.cohens_kappa is None else f"{round(one.cohens_kappa, 2) + 0.0:.2f}",
        one.strength or "",
    )
    yield from (Text(one_line(cell), "" if one.active else "dim") for cell in said)


def _form(one: Calibration) -> str:
    return f"v{one.evaluator_version} {one.config_hash[:6]}"


def _remarks(one: Calibration) -> Iterator[str]:
    """Explain how judge and people differ, and the limits of the figures."""
    name = f"{one.evaluator} {_form(one)}"
    if one.compared:
        yield (
            f"{name}: passed by both {one.true_positives:,}, only by the judge {one.false_positives:,}, "
            f"only by people {one.false_negatives:,}, by neither {one.true_negatives:,}"
        )
    else:
        yield f"{name}: no pair in which both sides passed or failed the target, so agreement and kappa are undefined"
    if one.compared and one.cohens_kappa is None:
        which = "passed" if one.true_positives else "failed"
        yield f"{name}: both {which} everything, so kappa is undefined"
    if one.mean_absolute_difference is not None and one.mean_difference is not None:
        which = "higher" if one.mean_difference > 0 else "lower"
        bias = f"the judge's {abs(one.mean_difference):.2f} {which}" if one.mean_difference else "without bias"
        pairs = counted(one.valued, "pair")
        yield f"{name}: values differ by {one.mean_absolute_difference:.2f} on average in {pairs}, {bias}"
    if one.label_agreement is not None:
        yield f"{name}: {one.label_agreement:.0%} of {counted(one.labelled, 'pair')} of labels are the same"
    yield from (f"{name}: {caution}" for caution in _cautions(one))


def _cautions(one: Calibration) -> Iterator[str]:
    if 0 < one.compared < _FEW:
        yield f"only {counted(one.compared, 'pair')} compared; fewer than {_FEW} are not conclusive"
    if one.compared and one.compared < one.n:
        yield f"{counted(one.n - one.compared, 'pair')} left out: it is unknown whether the person passed the target"
    if one.targets < one.n:
        yield f"{one.n:,} pairs on {one.targets:,} targets, since several people scored the same"
    if one.active:
        yield from one.unpaired
    else:
        yield "none of these scores is active; a later form superseded them"


def _show_labels(one: Calibration) -> None:
    """Print one line per label of the judge and one column per label of people, the most frequent first."""
    judge, people = (_labels(one, side) for side in (0, 1))
    console().print()
    columns = [Column(Text(one_line(label)), justify="right") for label in people]
    head = Column(Text(one_line(f"{one.evaluator} {_form(one)}: judge ↓ people →")), no_wrap=True)
    table = Table(head, *columns, box=None, pad_edge=False)
    for label in judge:
        table.add_row(Text(one_line(label)), *(f"{one.confusion.get((label, other), 0):,}" for other in people))
    console().print(table)
    if left_out := len({label for labels in one.confusion for label in labels} - {*judge, *people}):
        console().print(f"{left_out} rarer labels: see the view calibration_confusion")


def _labels(one: Calibration, side: int) -> list[str]:
    counts: dict[str, int] = {}
    for labels, pairs in one.confusion.items():
        counts[labels[side]] = counts.get(labels[side], 0) + pairs
    return sorted(counts, key=lambda label: (-counts[label], label))[:_MOST_LABELS]
