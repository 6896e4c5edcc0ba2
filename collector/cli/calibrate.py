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

from ..config.settings import evaluators_of
from ..errors import Fault
from ..reports.calibration import Calibration, read_calibrations, suggest_remedy
from .configured_source import open_configured_source
from .console import console, plain, print_json

__all__ = ["calibrate"]

_NOTHING = 3
_FEW = 30
_MOST_LABELS = 8


def calibrate(
    *, evaluator: str | None, as_json: bool, store: str | None, config: Path | None, server: str | None
) -> int:
    with open_configured_source(config, store=store, server=server) as (settings, source):
        calibrations = read_calibrations(source.read, evaluator)
        if not calibrations:
            asking = [configured.name for configured in evaluators_of(settings) if configured.kind == "llm"]
            raise Fault(suggest_remedy(source.read, asking, evaluator), exit_code=_NOTHING)
    if as_json:
        print_json([_build_json(calibration) for calibration in calibrations])
    else:
        _show(calibrations)
    return 0


def _build_json(calibration: Calibration) -> dict[str, Any]:
    confusion = [
        {"judge": judge, "human": human, "pairs": count} for (judge, human), count in calibration.confusion.items()
    ]
    return {**asdict(calibration), "strength": calibration.strength, "confusion": confusion}


def _show(calibrations: Sequence[Calibration]) -> None:
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
    for calibration in calibrations:
        table.add_row(*_format_row(calibration))
    console().print(table)
    for calibration in calibrations:
        for remark in _list_remarks(calibration):
            console().print(plain(remark), soft_wrap=True)
    for calibration in calibrations:
        if calibration.confusion:
            _show_labels(calibration)


def _format_row(calibration: Calibration) -> Iterator[Text]:
    cells = (
        calibration.evaluator,
        _format_form(calibration),
        calibration.judge_model or "-",
        f"{calibration.compared:,}",
        f"{calibration.n - calibration.compared:,}",
        "-" if calibration.agreement is None else f"{calibration.agreement:.0%}",
        "-" if calibration.cohens_kappa is None else f"{round(calibration.cohens_kappa, 2) + 0.0:.2f}",
        calibration.strength or "",
    )
    yield from (Text(one_line(cell), "" if calibration.active else "dim") for cell in cells)


def _format_form(calibration: Calibration) -> str:
    return f"v{calibration.evaluator_version} {calibration.config_hash[:6]}"


def _list_remarks(calibration: Calibration) -> Iterator[str]:
    """Yield remarks on how judge and people differ, and on the limits of the figures."""
    name = f"{calibration.evaluator} {_format_form(calibration)}"
    if calibration.compared:
        yield (
            f"{name}: passed by both {calibration.true_positives:,}, "
            f"only by the judge {calibration.false_positives:,}, only by people {calibration.false_negatives:,}, "
            f"by neither {calibration.true_negatives:,}"
        )
    else:
        yield f"{name}: no pair in which both sides passed or failed the target, so agreement and kappa are undefined"
    if calibration.compared and calibration.cohens_kappa is None:
        which = "passed" if calibration.true_positives else "failed"
        yield f"{name}: both {which} everything, so kappa is undefined"
    if calibration.mean_absolute_difference is not None and calibration.mean_difference is not None:
        which = "higher" if calibration.mean_difference > 0 else "lower"
        bias = (
            f"the judge's {abs(calibration.mean_difference):.2f} {which}"
            if calibration.mean_difference
            else "without bias"
        )
        pairs = counted(calibration.valued, "pair")
        yield f"{name}: values differ by {calibration.mean_absolute_difference:.2f} on average in {pairs}, {bias}"
    if calibration.label_agreement is not None:
        pairs = counted(calibration.labelled, "pair")
        yield f"{name}: {calibration.label_agreement:.0%} of {pairs} of labels are the same"
    yield from (f"{name}: {caution}" for caution in _list_cautions(calibration))


def _list_cautions(calibration: Calibration) -> Iterator[str]:
    if 0 < calibration.compared < _FEW:
        yield f"only {counted(calibration.compared, 'pair')} compared; fewer than {_FEW} are not conclusive"
    if calibration.compared and calibration.compared < calibration.n:
        pairs = counted(calibration.n - calibration.compared, "pair")
        yield f"{pairs} left out: it is unknown whether the person passed the target"
    if calibration.targets < calibration.n:
        yield f"{calibration.n:,} pairs on {calibration.targets:,} targets, since several people scored the same"
    if calibration.active:
        yield from calibration.unpaired
    else:
        yield "none of these scores is active; a later form superseded them"


def _show_labels(calibration: Calibration) -> None:
    """Print one line per label of the judge and one column per label of people, the most frequent first."""
    judge, people = (_list_labels(calibration, side) for side in (0, 1))
    console().print()
    columns = [Column(Text(one_line(label)), justify="right") for label in people]
    head = Column(
        Text(one_line(f"{calibration.evaluator} {_format_form(calibration)}: judge ↓ people →")), no_wrap=True
    )
    table = Table(head, *columns, box=None, pad_edge=False)
    for label in judge:
        table.add_row(
            Text(one_line(label)),
            *(f"{calibration.confusion.get((label, people_label), 0):,}" for people_label in people),
        )
    console().print(table)
    if left_out := len({label for labels in calibration.confusion for label in labels} - {*judge, *people}):
        console().print(f"{left_out} rarer labels: see the view calibration_confusion")


def _list_labels(calibration: Calibration, side: int) -> list[str]:
    counts: dict[str, int] = {}
    for labels, pairs in calibration.confusion.items():
        counts[labels[side]] = counts.get(labels[side], 0) + pairs
    return sorted(counts, key=lambda label: (-counts[label], label))[:_MOST_LABELS]
