from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeAlias

import pytest

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import ScoreRecord, Target
from tracegrade.evaluators.execution.run import InProcessWorkbench
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.passes.run_pass import BATCH, Summary, run_pass
from tracegrade.evaluators.ports import Due, Evaluated, EvaluationPass, OnScores

NOON = datetime(2026, 1, 1, 12)  # noqa: DTZ001 - as the store keeps it
ERRORS, EFFICIENCY = configure("tool_error"), configure("tool_efficiency")


Claim: TypeAlias = tuple[int, int]


@dataclass
class Book:
    """A ledger on paper: runs in the order of their assembly, and how far each evaluator has come."""

    runs: list[AgentTrace] = field(default_factory=list)
    cursors: dict[str, int] = field(default_factory=dict)
    passes: list[tuple[EvaluationPass, list[str], int, int]] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    arriving: list[AgentTrace] = field(default_factory=list)
    """What is assembled right after the first look at what is due."""

    def paused(self) -> Sequence[str]:
        return self.stopped

    def last_passes(self) -> dict[str, datetime]:
        return {}

    def last_assembled(self) -> int:
        return len(self.runs)

    def due(self, evaluator: Configured, limit: int, *, through: int | None = None) -> Due[Claim, Sequence[AgentTrace]]:
        first = self.cursors.get(evaluator.name, 0)
        last = min(first + limit, len(self.runs) if through is None else through)
        runs = self.runs[first:last]
        self.runs += self.arriving
        self.arriving = []
        return Due((first, last), runs, is_full=len(runs) >= limit)

    def activate(self, evaluation_pass: EvaluationPass, scores: Sequence[ScoreRecord]) -> None:
        raise AssertionError("nobody here asks a judge")

    def record(
        self,
        evaluation_pass: EvaluationPass,
        evaluators: Sequence[Configured],
        due: Due[Claim, Sequence[AgentTrace]],
        evaluated: Evaluated,
    ) -> None:
        names = [evaluator.name for evaluator in evaluators]
        self.passes.append((evaluation_pass, names, len(due.targets), len(evaluated.scores)))
        _, last = due.claim
        self.cursors |= dict.fromkeys(names, last)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def book(count: int) -> Book:
    return Book([AgentTrace(agent_trace_id=f"t-{number}") for number in range(count)])


def run(ledger: Book, *evaluators: Configured, limit: int = BATCH) -> Summary:
    return run_pass(ledger, InProcessWorkbench(), evaluators, now=Clock(), limit=limit)


def list_passes(ledger: Book) -> list[tuple[list[str], int, int]]:
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
    assert list_passes(ledger) == [(["tool_error", "tool_efficiency"], 3, 6)]


def test_run_that_arrives_between_two_looks_is_for_the_next_pass_of_all() -> None:
    ledger = book(2)
    ledger.arriving = book(3).runs[2:]
    run(ledger, ERRORS, EFFICIENCY)
    run(ledger, ERRORS, EFFICIENCY)
    assert list_passes(ledger) == [(["tool_error", "tool_efficiency"], 2, 4), (["tool_error", "tool_efficiency"], 1, 2)]


def test_evaluator_that_is_behind_judges_alone_what_it_missed() -> None:
    ledger = book(3)
    ledger.cursors = {"tool_error": 2}
    assert run(ledger, ERRORS, EFFICIENCY) == Summary(targets=4, scores=4)
    assert list_passes(ledger) == [(["tool_error"], 1, 1), (["tool_efficiency"], 3, 3)]


def test_evaluators_catch_up_and_judge_together_again() -> None:
    ledger = book(3)
    ledger.cursors = {"tool_error": 2}
    run(ledger, ERRORS, EFFICIENCY)
    ledger.runs += book(5).runs[3:]
    run(ledger, ERRORS, EFFICIENCY)
    assert list_passes(ledger)[-1] == (["tool_error", "tool_efficiency"], 2, 4)


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

        def ask(
            self,
            evaluation_pass: EvaluationPass,
            targets: Sequence[Target],
            evaluators: Sequence[Configured],
            on_scores: OnScores,
        ) -> Evaluated:
            raise AssertionError("nobody here asks a judge")

    ledger = book(3)
    with pytest.raises(ConnectionError):
        run_pass(ledger, Broken(), [ERRORS], now=Clock())
    assert ledger.passes == []
    assert run(ledger, ERRORS) == Summary(targets=3, scores=3)


def test_evaluators_of_different_kinds_are_not_mixed_though_the_same_targets_are_due() -> None:
    calls: list[tuple[str, list[str]]] = []

    class Recording:
        def evaluate(self, targets: Sequence[Target], evaluators: Sequence[Configured]) -> Sequence[ScoreRecord]:
            calls.append(("evaluate", [evaluator.name for evaluator in evaluators]))
            return []

        def ask(
            self,
            evaluation_pass: EvaluationPass,
            targets: Sequence[Target],
            evaluators: Sequence[Configured],
            on_scores: OnScores,
        ) -> Evaluated:
            calls.append(("ask", [evaluator.name for evaluator in evaluators]))
            return Evaluated(())

    asking = replace(ERRORS, name="asking", kind="llm")
    run_pass(book(1), Recording(), [ERRORS, asking, EFFICIENCY], now=Clock())
    assert calls == [("evaluate", ["tool_error", "tool_efficiency"]), ("ask", ["asking"])]
