"""Describes results of experiments and comparisons as text, for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from ..text.messages import counted, listed, shortened

if TYPE_CHECKING:
    from .comparison import Comparison, Difference, Flip
    from .result import Estimate, EvaluatorResult, ExperimentResult
    from .trend import EvaluatorTrend, Trend

__all__ = ["describe_comparison", "describe_result", "describe_trend"]

_NAMED: Final = 10
_LONGEST: Final = 100


def describe_result(result: ExperimentResult) -> str:
    """Return a line per evaluator with its figures and their 95 % intervals, and the errors by cause."""
    return "\n".join(_result_lines(result))


def describe_comparison(comparison: Comparison) -> str:
    """Return what is compared, a line per evaluator with the change, and the items that flipped."""
    return "\n".join(_comparison_lines(comparison))


def describe_trend(trend: Trend) -> str:
    """Return on which items it is measured, and a line per evaluator and experiment with the figures."""
    return "\n".join(_trend_lines(trend))


def _result_lines(result: ExperimentResult) -> Iterator[str]:
    runs, errors = len(result.runs), len(result.errors)
    yield f"{result.name}: {counted(len(result.items), 'item')}, {counted(runs, 'run')}, {counted(errors, 'error')}"
    if result.ended_at is None:
        why = "run it again later for what was deferred" if result.deferred else "it is in progress, or was interrupted"
        yield f"it has not ended: {why}"
    evaluators = result.evaluators
    repeats = max((len(each.pass_hat) for each in evaluators), default=0)
    titles = ["evaluator", "mean", "pass rate", *([f"pass^{repeats}"] if repeats > 1 else []), "skipped", "failed"]
    yield from _align([titles, *(_show_evaluator(each, repeats) for each in evaluators)])
    causes = Counter(run.cause or "no cause" for run in result.errors)
    for cause, count in causes.most_common(_NAMED):
        yield f"{counted(count, 'run')} failed, and did not pass: {_shorten(cause)}"
    reasons = Counter(deferred.reason for deferred in result.deferred)
    for reason, count in reasons.most_common(_NAMED):
        yield f"{counted(count, 'evaluation')} deferred: {_shorten(reason)}"


def _shorten(text: str) -> str:
    return shortened(" ".join(text.split()), _LONGEST)


def _show_evaluator(each: EvaluatorResult, repeats: int) -> list[str]:
    figures = [_show_estimate(each.mean, is_share=False), _show_estimate(each.pass_rate, is_share=True)]
    if repeats > 1:
        last = each.pass_hat[repeats - 1] if len(each.pass_hat) == repeats else None
        figures.append(_show_estimate(last, is_share=True))
    return [each.evaluator, *figures, str(each.skipped), str(each.errors)]


def _show_estimate(estimate: Estimate | None, *, is_share: bool) -> str:
    if estimate is None:
        return "-"
    if (interval := estimate.interval) is None:
        return _show_value(estimate.value, is_share=is_share)
    low, high = (_show_value(value, is_share=is_share) for value in (interval.low, interval.high))
    return f"{_show_value(estimate.value, is_share=is_share)} ({low} to {high})"


def _comparison_lines(comparison: Comparison) -> Iterator[str]:
    yield f"{comparison.before} → {comparison.after}: {counted(len(comparison.shared), 'item')} in both"
    if comparison.datasets is not None:
        yield f"datasets: {' → '.join(comparison.datasets)}; items with other inputs or expectations are left out"
    if not comparison.has_same_items:
        others = (
            ("only before", comparison.only_before),
            ("only after", comparison.only_after),
            ("with another input or expectation", comparison.changed),
        )
        parts = ", ".join(f"{len(items)} {where}" for where, items in others if items)
        yield f"not compared: {parts}"
    rows = [["evaluator", "mean", "pass rate"]]
    for each in comparison.evaluators:
        name = each.evaluator if each.is_same_form else f"{each.evaluator} (configured differently)"
        rows.append([name, _show_change(each.mean, is_share=False), _show_change(each.pass_rate, is_share=True)])
    yield from _align(rows)
    if comparison.one_sided:
        yield f"only in one of them: {listed(comparison.one_sided)}"
    for title, items in (("broken", comparison.broken), ("repaired", comparison.repaired)):
        if items:
            yield f"{title}: {listed(items, _NAMED)}"
    for direction in ("worse", "better"):
        for each in comparison.evaluators:
            flips = [_show_flip(flip) for flip in each.flips if flip.direction == direction]
            if flips:
                yield f"{direction} by {each.evaluator}: {listed(flips, _NAMED)}"


def _trend_lines(trend: Trend) -> Iterator[str]:
    shared = f"{counted(len(trend.shared), 'item')} in all of them"
    others = f", {counted(trend.left_out, 'other')} left out" if trend.left_out else ""
    yield f"{counted(len(trend.experiments), 'experiment')}: {shared}{others}"
    rows = [["evaluator", "experiment", "began (UTC)", "dataset", "mean", "pass rate", "items", "errors"]]
    rows += [row for each in trend.evaluators for row in _trend_rows(trend, each)]
    dataset = rows[0].index("dataset")
    if len({experiment.dataset for experiment in trend.experiments}) == 1:
        rows = [[*row[:dataset], *row[dataset + 1 :]] for row in rows]
    yield from _align(rows)


def _trend_rows(trend: Trend, each: EvaluatorTrend) -> Iterator[list[str]]:
    name = each.evaluator if each.is_same_form else f"{each.evaluator} (configured differently)"
    for number, (experiment, point) in enumerate(zip(trend.experiments, each.points, strict=True)):
        items = {estimate.items for estimate in (point.mean, point.pass_rate) if estimate is not None}
        yield [
            "" if number else name,
            experiment.name,
            f"{experiment.started_at:%Y-%m-%d %H:%M:%S}",
            experiment.dataset or "-",
            _show_estimate(point.mean, is_share=False),
            _show_estimate(point.pass_rate, is_share=True),
            " and ".join(map(str, sorted(items))) or "-",
            str(experiment.errors),
        ]


def _show_change(difference: Difference | None, *, is_share: bool) -> str:
    if difference is None:
        return "-"
    before, after = (_show_value(value, is_share=is_share) for value in (difference.before, difference.after))
    if (interval := difference.interval) is None:
        return f"{before} → {after}"
    low, high = (_show_difference(value, is_share=is_share) for value in (interval.low, interval.high))
    return f"{before} → {after} ({low} to {high}{' points' if is_share else ''})"


def _show_flip(flip: Flip) -> str:
    return f"{flip.item_id} ({flip.before[0]}/{flip.before[1]} → {flip.after[0]}/{flip.after[1]})"


def _show_value(value: float, *, is_share: bool) -> str:
    return f"{value * 100:.0f} %" if is_share else f"{value:.2f}"


def _show_difference(value: float, *, is_share: bool) -> str:
    return f"{value * 100:+.0f}" if is_share else f"{value:+.2f}"


def _align(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
