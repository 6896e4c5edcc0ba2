"""How far judges agree with people: read from the views, and put into words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeAlias

from tracegrade.evaluators.text.messages import counted
from tracegrade.queries.catalog import report

from ..client.query import Read, all_rows

__all__ = ["Calibration", "calibrations", "remedy", "strength"]

Confusion: TypeAlias = Mapping[tuple[str, str], int]
"""How often a judge gave the first label where people gave the second."""

_SCOPES: Final = {"trace": "runs", "tool_call": "tool calls", "session": "sessions", "tool": "tools"}
_STRENGTHS: Final = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
_FORM: Final = ("evaluator", "evaluator_version", "config_hash", "judge_model")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A row of the view `calibration`: one form of an evaluator against people; and its labels against theirs.

    `unpaired` says which scores of people make no pair, and why.
    """

    evaluator: str
    evaluator_version: int
    config_hash: str
    judge_model: str | None
    n: int
    targets: int
    authors: int
    active: int
    compared: int
    agreement: float | None
    cohens_kappa: float | None
    true_positives: int
    false_positives: int
    true_negatives: int
    false_negatives: int
    valued: int
    mean_absolute_difference: float | None
    mean_difference: float | None
    labelled: int
    label_agreement: float | None
    first_judged_at: datetime
    last_judged_at: datetime
    confusion: Confusion = field(default_factory=dict)
    unpaired: tuple[str, ...] = ()

    @property
    def strength(self) -> str | None:
        """Its kappa in a word; None where there is none."""
        return None if self.cohens_kappa is None else strength(self.cohens_kappa)


def strength(kappa: float) -> str:
    """A kappa, to two digits, in a word: after J. R. Landis and G. G. Koch, Biometrics 33 (1977), 159-174.

    They call their borders arbitrary: a word is no licence to trust a judge.
    """
    shown = round(kappa, 2)
    if shown < 0:
        return "poor"
    return next((word for most, word in _STRENGTHS if shown <= most), "almost perfect")


def calibrations(read: Read, evaluator: str | None = None) -> list[Calibration]:
    """Every form of a judge that can be compared with people, by evaluator, what judged last at the end."""
    confusions: dict[tuple[Any, ...], dict[tuple[str, str], int]] = {}
    for row in all_rows(read, report("confusion_of"), evaluator=evaluator):
        confusions.setdefault(_form(row), {})[row["judge_label"], row["human_label"]] = row["pairs"]
    rows = all_rows(read, report("calibration_of"), evaluator=evaluator)
    others = _unpaired(read, evaluator)
    return [
        Calibration(**row, confusion=confusions.get(_form(row), {}), unpaired=tuple(others.get(row["evaluator"], ())))
        for row in rows
    ]


def remedy(read: Read, judged_by_llm: Sequence[str], evaluator: str | None = None) -> str:
    """What to do where there is nothing to compare; `judged_by_llm` are the evaluators that ask judges, by name."""
    rows = all_rows(read, report("scores_to_calibrate"))
    others = [f"{name}: {told}." for name, each in _unpaired(read, evaluator).items() for told in each]
    return " ".join((*others, *_sentences(rows, judged_by_llm, evaluator)))


def _unpaired(read: Read, evaluator: str | None) -> dict[str, list[str]]:
    """Which scores of people make no pair for their scope, in words, by evaluator."""
    told: dict[str, list[str]] = {}
    for row in all_rows(read, report("scores_of_other_scope"), evaluator=evaluator):
        judged = " and ".join(_SCOPES[scope] for scope in row["judged"])
        count = counted(row["scores"], "score")
        sentence = f"{count} of people on {_SCOPES[row['scope']]} left out: the judge gives its scores on {judged}"
        told.setdefault(row["evaluator"], []).append(sentence)
    return told


def _sentences(rows: Sequence[Mapping[str, Any]], configured: Sequence[str], evaluator: str | None) -> Iterator[str]:
    judged = [row["evaluator"] for row in rows if row["by_judges"]]
    known = sorted({*judged, *configured})
    people = [row["evaluator"] for row in rows if row["by_people"]]
    if evaluator is not None and evaluator not in known:
        yield f"no judge has judged anything as {evaluator!r} (known here: {', '.join(known) or 'none'})."
    elif not judged:
        yield "no judge has judged anything yet."
    else:
        yield f"nothing that {evaluator or 'a judge'} has judged was also judged by a person under the same name."
    if people:
        yield f"People judged: {', '.join(people)}."
    if not judged and set(people) & set(configured):
        yield "`tracegrade backlog` tells what judges wait for; `tracegrade backfill` lets them judge the past."
        return
    name = evaluator if evaluator in known else next(iter(judged or known), "NAME")
    yield (
        f"Judge some of the same runs yourself: `tracegrade annotate TRACE --name {name} --passed` (or --failed), or "
        "many at once with `--import FILE`."
    )


def _form(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in _FORM)
