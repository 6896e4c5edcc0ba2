"""Prints a preview, as text or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.text.messages import counted
from tracegrade.queries.foreign_text import one_line

from ..preview.comparison import ActiveComparison, Change, PeopleComparison
from ..preview.cost import Cost
from ..preview.draft import Draft
from ..preview.preview import Preview, Previewed, Spending
from ..preview.runs import Chosen, Selection
from ..preview.statistics import BINS, Agreement, PassRate
from .console import console, plain
from .format_usd import format_usd

__all__ = ["build_json", "format_spending", "show_cost", "show_previewed", "show_runs"]

_NOUNS: Final = {"trace": "run", "tool_call": "run", "session": "session", "tool": "tool"}
_MOST_REASONS: Final = 10
_MOST_CHANGES: Final = 10
_BAR_CHARACTERS: Final = 40
_OF_SCORE: Final = ("target_id", "agent_name", "status", "value", "label", "passed", "explanation", "reason")


def build_json(
    draft: Draft, run: Preview, selection: Selection, cost: Cost | None, previewed: Previewed | None
) -> dict[str, Any]:
    """Build the whole preview as a value for JSON; `result` is None if the judge was not asked."""
    evaluator, chosen = draft.evaluator, run.chosen
    identity = ("name", "type", "kind", "scope", "version", "threshold")
    return {
        "evaluator": {**{name: getattr(evaluator, name) for name in identity}, "source": draft.source},
        "runs": {
            "since": selection.since,
            "where": selection.where,
            "experiment_id": selection.experiment_id,
            "limit": selection.limit,
            "matching": chosen.matching,
            "examined": chosen.examined,
            "chosen": len(chosen.agent_trace_ids),
            "undecided": chosen.undecided,
            "targets": len(run.target_ids),
        },
        "cost": None if cost is None else asdict(cost),
        "result": None if previewed is None else _build_result(previewed),
    }


def show_runs(draft: Draft, chosen: Chosen, selection: Selection, *, targets: int) -> None:
    """Print the evaluator, the runs, and how they were selected."""
    evaluator = draft.evaluator
    passes = "" if evaluator.threshold is None else f", passes at {evaluator.threshold:g}"
    _print_line(f"{evaluator.name} ({draft.source}): scope {evaluator.scope}, version {evaluator.version}{passes}")
    count = len(chosen.agent_trace_ids)
    where = f" where {selection.where}" if selection.where else ""
    of_experiment = "" if selection.experiment_id is None else f" of experiment {selection.experiment_id}"
    began = f"that began since {selection.since:%Y-%m-%d %H:%M} UTC{of_experiment}{where}"
    newest = "" if count == chosen.matching else ", the newest"
    _print_line(f"{count:,} of {counted(chosen.matching, 'run')} {began}{newest}")
    if evaluator.when is not None:
        _print_line(f"its `when` selects {count:,} of the {chosen.examined:,} newest of these")
    if chosen.undecided:
        why = next(iter(chosen.undecided.values()))
        _print_line(f"its `when` fails on {counted(len(chosen.undecided), 'run')}: {why}")
    if evaluator.sample < 1:
        _print_line(f"`sample: {evaluator.sample:g}` is not applied")
    if _NOUNS[evaluator.scope] != "run":
        _print_line(f"{counted(targets, _NOUNS[evaluator.scope])} of these runs")


def show_cost(judge: str, cost: Cost) -> None:
    """Print the questions that would be asked, and their cost."""
    cached = f" ({cost.known:,} more are answered from the store)" if cost.known else ""
    _print_line(f"judge {judge}: {counted(cost.questions, 'question')} to ask{cached}")
    if not cost.questions:
        return
    expected = "" if cost.output_tokens is None else f"about {cost.output_tokens:,}, "
    price = "the price of the model is unknown"
    if cost.most_usd is not None:
        about = "" if cost.usd is None else f"about {format_usd(cost.usd)}, "
        price = f"{about}at most {format_usd(cost.most_usd)}"
    _print_line(
        f"about {cost.input_tokens:,} tokens to send, {expected}at most {cost.most_output_tokens:,} to receive: {price}"
    )
    _print_line(
        "Questions that follow from an answer are not counted. New answers are stored at the end if no server has the "
        "store open; else asking again costs again."
    )


def show_previewed(evaluator: Configured, previewed: Previewed) -> None:
    """Print the scores."""
    noun = "call" if evaluator.scope == "tool_call" else _NOUNS[evaluator.scope]
    console().print()
    _show_distribution(previewed)
    if previewed.worst:
        console().print("\nworst (`tracegrade show ID` shows a run)")
        _show_worst(previewed.worst)
    console().print()
    if previewed.people is not None:
        _print_line(f"people: {_format_people(previewed.people)}")
    if previewed.active is not None:
        _show_active(previewed.active, noun)
    per_target = (
        ""
        if previewed.median_ms is None
        else f", median {_format_duration(previewed.median_ms)} a {_NOUNS[evaluator.scope]}"
    )
    _print_line(f"time: {_format_duration(previewed.took_s * 1000)} in total{per_target}")
    if previewed.spending is not None:
        _print_line(f"judge: {format_spending(previewed.spending)}")


def _build_result(previewed: Previewed) -> dict[str, Any]:
    active, people = previewed.active, previewed.people
    return {
        **asdict(previewed.distribution),
        "deferred": previewed.deferred,
        "unread": previewed.unread,
        "not_applicable": previewed.unwanted,
        "worst": [_build_score(score) for score in previewed.worst],
        "people": people and {**asdict(people), "agreement": _build_agreement(people.agreement)},
        "active": active and {**asdict(active), "agreement": _build_agreement(active.agreement)},
        "total_ms": previewed.took_s * 1000,
        "median_ms": previewed.median_ms,
        "spending": previewed.spending and asdict(previewed.spending),
        "scores": [_build_score(score) for score in previewed.scores],
    }


def _build_agreement(agreement: Agreement) -> dict[str, Any]:
    figures = {"compared": agreement.compared, "share": agreement.share, "kappa": agreement.kappa}
    return {**figures, **asdict(agreement)}


def _build_score(score: ScoreRecord) -> dict[str, Any]:
    return {name: getattr(score, name) for name in _OF_SCORE}


def _show_distribution(previewed: Previewed) -> None:
    summary = previewed.distribution
    counts = [f"{status} {count:,}" for status, count in summary.statuses.items()]
    if previewed.deferred:
        counts.append(f"deferred {sum(previewed.deferred.values()):,}")
    if previewed.unwanted:
        counts.append(f"without a reference {previewed.unwanted:,}")
    if previewed.unread:
        counts.append(f"too large to read {len(previewed.unread):,}")
    _print_line(", ".join(counts) or "no scores")
    for status, reasons in (("skipped", summary.skipped), ("error", summary.errors), ("deferred", previewed.deferred)):
        _show_reasons(status, reasons)
    if summary.pass_rate is not None:
        _print_line(f"pass rate {_format_rate(summary.pass_rate)}")
    if summary.labels:
        _print_line("labels: " + ", ".join(f"{label} {count:,}" for label, count in summary.labels.items()))
    if summary.histogram and summary.mean is not None and summary.median is not None:
        _print_line(f"values: mean {summary.mean:.2f}, median {summary.median:.2f}")
        for line in _draw_bars(summary.histogram):
            _print_line(line)


def _show_reasons(status: str, reasons: Mapping[str, int]) -> None:
    for reason, count in list(reasons.items())[:_MOST_REASONS]:
        _print_line(f"  {status} {count:,}: {reason}")
    if len(reasons) > _MOST_REASONS:
        _print_line(f"  {status}: {len(reasons) - _MOST_REASONS:,} further reasons")


def _format_rate(rate: PassRate) -> str:
    return f"{rate.rate:.1%}: {rate.passed:,} of {rate.of:,} (95 % interval {rate.low:.1%} to {rate.high:.1%})"


def _draw_bars(histogram: Sequence[int]) -> Iterator[str]:
    """Yield one line per bin that is not empty."""
    most = max(histogram)
    for index, count in enumerate(histogram):
        if count:
            values = "      1" if index == BINS else f"{index / BINS:.1f}-{(index + 1) / BINS:.1f}"
            yield f"  {values}  {'█' * max(1, round(count / most * _BAR_CHARACTERS))} {count:,}"


def _show_worst(worst: Sequence[ScoreRecord]) -> None:
    for score in worst:
        value = "-" if score.value is None else f"{score.value:.2f}"
        result = " ".join(filter(None, (value, score.label, "failed" if score.passed is False else "")))
        _show_target(score.target_id, score.agent_name, result, score.explanation)


def _format_people(people: PeopleComparison) -> str:
    annotations = f"{counted(people.annotations, 'annotation')} under this name on {people.targets:,} of these"
    return f"{annotations}; {_format_agreement(people.agreement)}"


def _show_active(active: ActiveComparison, noun: str) -> None:
    scores = "active scores of this evaluator" if active.is_same else "active scores of this name"
    _print_line(f"{scores}: {active.targets:,} on the same revision; {_format_agreement(active.agreement)}")
    if active.newly_scored or active.no_longer_scored:
        _print_line(f"  newly scored {active.newly_scored:,}, no longer scored {active.no_longer_scored:,}")
    for title, changes in (("pass → fail", active.newly_failing), ("fail → pass", active.newly_passing)):
        if changes:
            more = "" if len(changes) <= _MOST_CHANGES else f", the first {_MOST_CHANGES}"
            _print_line(f"  {title}: {counted(len(changes), noun)}{more}")
            _show_changes(changes[:_MOST_CHANGES])


def _show_changes(changes: Sequence[Change]) -> None:
    for change in changes:
        values = " → ".join("-" if value is None else f"{value:.2f}" for value in (change.value_before, change.value))
        _show_target(change.target_id, change.agent_name, values, change.explanation)


def _format_agreement(agreement: Agreement) -> str:
    if agreement.share is None:
        return "no target that both passed or failed, so agreement is undefined"
    kappa = "" if agreement.kappa is None else f", Cohen's kappa {agreement.kappa:.2f}"
    return f"{agreement.share:.1%} of {agreement.compared:,} agree{kappa}"


def format_spending(spending: Spending) -> str:
    cost = "unknown price" if spending.cost_usd is None else format_usd(spending.cost_usd)
    tokens = f"{spending.input_tokens:,} tokens sent, {spending.output_tokens:,} received"
    cached = f", {counted(spending.known, 'answer')} from the store" if spending.known else ""
    return f"{counted(spending.calls, 'call')}{cached}, {tokens}: {cost}"


def _show_target(target_id: str, agent_name: str | None, result: str, explanation: str | None) -> None:
    """Print the explanation on its own line, since ids of 49 characters fill a narrow terminal."""
    _print_line(one_line(f"{target_id}  {agent_name or '-'}  {result}"))
    if explanation:
        _print_line(f"    {one_line(explanation)}")


def _format_duration(duration_ms: float) -> str:
    if duration_ms >= 1000:
        return f"{duration_ms / 1000:.1f} s"
    return f"{duration_ms:.0f} ms" if duration_ms >= 10 else f"{duration_ms:.2g} ms"


def _print_line(text: str) -> None:
    console().print(plain(text), soft_wrap=True)
