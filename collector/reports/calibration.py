"""Reads how far judges agree with people, from the calibration views."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeAlias

from tracegrade.evaluators.text.messages import counted
from tracegrade.queries.catalog import report

from ..client.query import Read, all_rows

__all__ = ["Calibration", "name_strength", "read_calibrations", "suggest_remedy"]

Confusion: TypeAlias = Mapping[tuple[str, str], int]
"""The number of pairs by label: first that of the judge, then that of people."""

_SCOPES: Final = {"trace": "runs", "tool_call": "tool calls", "session": "sessions", "tool": "tools"}
_STRENGTHS: Final = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
_FORM: Final = ("evaluator", "evaluator_version", "config_hash", "judge_model")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A row of the view `calibration`: one form of an evaluator against people; and its labels against theirs.

    `unpaired` describes the scores of people that are not in a pair.
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
        """The strength of its kappa in words; None if kappa is undefined."""
        return None if self.cohens_kappa is None else name_strength(self.cohens_kappa)


def name_strength(kappa: float) -> str:
    """Return the word for a kappa, rounded to two digits, after Landis and Koch.

    They call these divisions arbitrary, so the word alone does not justify trust in a judge. Source: J. R. Landis and
    G. G. Koch, Biometrics 33 (1977), 159-174.
    """
    rounded = round(kappa, 2)
    if rounded < 0:
        return "poor"
    return next((word for most, word in _STRENGTHS if rounded <= most), "almost perfect")


def read_calibrations(read: Read, evaluator: str | None = None) -> list[Calibration]:
    """Return each form of a judge that can be compared with people, by evaluator, the latest form last."""
    confusions: dict[tuple[Any, ...], dict[tuple[str, str], int]] = {}
    for row in all_rows(read, report("confusion_of"), evaluator=evaluator):
        confusions.setdefault(_form(row), {})[row["judge_label"], row["human_label"]] = row["pairs"]
    rows = all_rows(read, report("calibration_of"), evaluator=evaluator, evaluators=None)
    unpaired = _describe_unpaired(read, evaluator)
    return [
        Calibration(**row, confusion=confusions.get(_form(row), {}), unpaired=tuple(unpaired.get(row["evaluator"], ())))
        for row in rows
    ]


def suggest_remedy(read: Read, judged_by_llm: Sequence[str], evaluator: str | None = None) -> str:
    """Describe what to do if there is nothing to compare; `judged_by_llm` names the evaluators that ask judges."""
    rows = all_rows(read, report("scores_to_calibrate"))
    unpaired = _describe_unpaired(read, evaluator)
    causes = [f"{name}: {cause}." for name, causes in unpaired.items() for cause in causes]
    return " ".join((*causes, *_suggest_steps(rows, judged_by_llm, evaluator)))


def _describe_unpaired(read: Read, evaluator: str | None) -> dict[str, list[str]]:
    """Describe the scores of people that are not in a pair because of their scope, by evaluator."""
    causes: dict[str, list[str]] = {}
    for row in all_rows(read, report("scores_of_other_scope"), evaluator=evaluator):
        judged = " and ".join(_SCOPES[scope] for scope in row["judged"])
        count = counted(row["scores"], "score")
        sentence = f"{count} of people on {_SCOPES[row['scope']]} left out: the judge gives its scores on {judged}"
        causes.setdefault(row["evaluator"], []).append(sentence)
    return causes


def _suggest_steps(
    rows: Sequence[Mapping[str, Any]], configured: Sequence[str], evaluator: str | None
) -> Iterator[str]:
    judged = [row["evaluator"] for row in rows if row["by_judges"]]
    names = sorted({*judged, *configured})
    people = [row["evaluator"] for row in rows if row["by_people"]]
    if evaluator is not None and evaluator not in names:
        yield f"no judge has scored anything as {evaluator!r} (known here: {', '.join(names) or 'none'})."
    elif not judged:
        yield "no judge has scored anything yet."
    else:
        yield f"nothing that {evaluator or 'a judge'} has judged was also judged by a person under the same name."
    if people:
        yield f"Scores of people: {', '.join(people)}."
    if not judged and set(people) & set(configured):
        yield "`tracegrade backlog` shows what judges wait for; `tracegrade backfill` evaluates past runs."
        return
    name = evaluator if evaluator in names else next(iter(judged or names), "NAME")
    yield (
        f"Score some of the same runs yourself: `tracegrade annotate TRACE --name {name} --good` (or --bad), or "
        "many at once with `--import FILE`."
    )


def _form(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in _FORM)
