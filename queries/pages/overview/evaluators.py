"""What each evaluator says of a period, and of the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tracegrade.evaluators.experiments.statistics import difference_of_shares

from ...number_text import FEW
from ..charts.sparkline import Sparkline, lay_out_sparkline
from .facts import Row, Scale

__all__ = ["EvaluatorLine", "draw_evaluators"]


@dataclass(frozen=True, slots=True)
class EvaluatorLine:
    """An evaluator with its line over time. `change` is that of the pass rate; None if one of both periods has fewer
    than ten scores. `is_clear`: its 95 % interval does not contain 0. `failed_runs`: None for people."""

    row: Row
    change: float | None
    is_clear: bool
    line: Sparkline
    failed_runs: int | None

    @property
    def is_people(self) -> bool:
        """Whether people gave the scores."""
        return bool(self.row["evaluator_kind"] == "human")

    @property
    def asks_judge(self) -> bool:
        """Whether a judge was asked for the scores, whose price may be unknown."""
        return bool(self.row["evaluator_kind"] == "llm")


def draw_evaluators(rows: Sequence[Row], scale: Scale) -> list[EvaluatorLine]:
    """Return the rows of `evaluators_by_step` for a table, the worst change first."""
    lines = [_make_line(row, scale) for row in rows]
    return sorted(lines, key=lambda line: (line.change is None, line.change or 0.0))


def _make_line(row: Row, scale: Scale) -> EvaluatorLine:
    change, is_clear = _compare(row)
    values = {step["step"]: step["value"] for step in row["steps"] or ()}
    hours = int((scale.window.until - scale.window.since).total_seconds() // 3600)
    points = [values.get(number) for number in range(-(-hours // scale.point_hours))]
    usual = None if row["usual"] is None else (row["usual"][0], row["usual"][1])
    is_people = row["evaluator_kind"] == "human"
    return EvaluatorLine(
        row,
        change,
        is_clear,
        lay_out_sparkline(points, usual),
        None if is_people else row["failed_runs"],
    )


def _compare(row: Row) -> tuple[float | None, bool]:
    """Return the change of the pass rate, and whether it is clear."""
    passed, n, passed_before, n_before = row["passed"], row["n"], row["passed_before"], row["n_before"]
    if min(n, n_before) < FEW:
        return None, False
    interval = difference_of_shares(passed, n, passed_before, n_before)
    return passed / n - passed_before / n_before, interval.low > 0 or interval.high < 0
