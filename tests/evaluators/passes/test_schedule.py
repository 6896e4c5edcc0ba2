from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord, Target, score_record
from tracegrade.evaluators.execution.run import Here
from tracegrade.evaluators.model import AgentTrace, Score
from tracegrade.evaluators.passes.evaluation_pass import BATCH, Summary, run_pass
from tracegrade.evaluators.ports import Due, Findings, Keep, Pass, Postponed

NOON = datetime(2026, 1, 1, 12)  # noqa: DTZ001 - as the store keeps it
ERRORS, EFFICIENCY = configure("tool_error"), configure("tool_efficiency")


@dataclass
class Book:
    """A ledger on paper: runs in the order of their assembly, and how far each evaluator has come."""

    runs: list[AgentTrace] = field(default_factory=list)
    cursors: dict[str, int] = field(default_factory=dict)
    passes: list[tuple[Pass, list[str], int, int]] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    arriving: list[AgentTrace] = field(default_factory=list)
    """What is assembled right after the first look at what is due."""
    handed_out: dict[tuple[int, int], Sequence[AgentTrace]] = field(default_factory=dict)

    def paused(self) -> Sequence[str]:
        return self.stopped

    def last_passes(self) -> dict[str, datetime]:
        return {}

    def due_by_sql(self, evaluator: Configured, targets: Sequence[Target]) -> list[ScoreRecord]:
        return [score_record(evaluator, target, Score(value=0.5), scored_at=NOON) for target in targets]

    def last_assembled(self) -> int:
        return len(self.runs)

    def due(self, evaluator: Configured, limit: int, *, through: int | None = None) -> Due:
        first = self.cursors.get(evaluator.name, 0)
        last = min(first + limit, len(self.runs) if through is None else through)
        runs = self.handed_out.setdefault((first, last), self.runs[first:last])
        self.runs += self.arriving
        self.arriving = []
        return Due(runs, is_full=len(runs) >= limit)

    def keep(self, this: Pass, scores: Sequence[ScoreRecord]) -> None:
        raise AssertionError("nobody here asks a judge")

    def record(
        self,
        this: Pass,
        evaluators: Sequence[Configured],
        targets: Sequence[Target],
        scores: Sequence[ScoreRecord],
        postponed: Sequence[Postponed] = (),
    ) -> None:
        self.passes.append((this, [one.name for one in evaluators], len(targets), len(scores)))
        for evaluator in evaluators:
            self.cursors[evaluator.name] = self.cursors.get(evaluator.name, 0) + len(targets)
        self.handed_out.clear()

    def defer(self, *arguments: Any, **more: Any) -> None:
        raise AssertionError("the pass puts nothing off")


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def book(count: int) -> Book:
    return Book([AgentTrace(agent_trace_id=f"t-{number}") for number in range(count)])


def run(ledger: Book, *evaluators: Configured, limit: int = BATCH) -> Summary:
    return run_pass(ledger, Here(), evaluators, now=Clock(), limit=limit)


def told(ledger: Book) -> list[tuple[list[str], int, int]]:
    return [(names, traces, scores) for _, names, traces, scores in ledger.passes]


def test_nothing_due_is_nothing_done() -> None:
    ledger = book(0)
    assert run(ledger, ERRORS) == Summary()
    assert ledger.passes == []


def test_no_evaluators_is_nothing_done() -> None:
    assert run(book(3)) == Summary()


def test_evaluators_that_are_equally_far_judge_together() -> None:
    ledger = book(3)
    assert run(ledger, ERRORS, EFFICIENCY) == Summary(targets=3, scores=6)
    assert told(ledger) == [(["tool_error", "tool_efficiency"], 3, 6)]


def test_run_that_arrives_between_two_looks_is_for_the_next_pass_of_all() -> None:
    ledger = book(2)
    ledger.arriving = book(3).runs[2:]
    run(ledger, ERRORS, EFFICIENCY)
    run(ledger, ERRORS, EFFICIENCY)
    assert told(ledger) == [(["tool_error", "tool_efficiency"], 2, 4), (["tool_error", "tool_efficiency"], 1, 2)]


def test_evaluator_that_is_behind_judges_alone_what_it_missed() -> None:
    ledger = book(3)
    ledger.cursors = {"tool_error": 2}
    assert run(ledger, ERRORS, EFFICIENCY) == Summary(targets=4, scores=4)
    assert told(ledger) == [(["tool_error"], 1, 1), (["tool_efficiency"], 3, 3)]


def test_evaluators_catch_up_and_judge_together_again() -> None:
    ledger = book(3)
    ledger.cursors = {"tool_error": 2}
    run(ledger, ERRORS, EFFICIENCY)
    ledger.runs += book(5).runs[3:]
    run(ledger, ERRORS, EFFICIENCY)
    assert told(ledger)[-1] == (["tool_error", "tool_efficiency"], 2, 4)


def test_pass_takes_no_more_than_a_batch_and_says_that_there_may_be_more() -> None:
    ledger = book(5)
    assert [run(ledger, ERRORS, limit=2) for _ in range(4)] == [
        Summary(2, 2, is_full=True),
        Summary(2, 2, is_full=True),
        Summary(1, 1),
        Summary(),
    ]


def test_every_round_has_an_id_and_a_time_of_its_own() -> None:
    ledger = book(3)
    ledger.cursors = {"tool_error": 2}
    run(ledger, ERRORS, EFFICIENCY)
    first, second = (this for this, *_ in ledger.passes)
    assert first.id != second.id
    assert NOON < first.started_at < second.started_at


def test_round_that_could_not_be_computed_is_not_recorded_and_stays_due() -> None:
    class Broken:
        def evaluate(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[ScoreRecord]:
            raise ConnectionError("the worker is gone")

        def ask(self, this: Pass, targets: Sequence[Target], evaluators: Sequence[Configured], keep: Keep) -> Findings:
            raise AssertionError("nobody here asks a judge")

    ledger = book(3)
    with pytest.raises(ConnectionError):
        run_pass(ledger, Broken(), [ERRORS], now=Clock())
    assert ledger.passes == []
    assert run(ledger, ERRORS) == Summary(targets=3, scores=3)
