"""What tests did becomes runs of an experiment: each test an item, each further attempt a repeat."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.evaluators import make_evaluator
from tests.support.judge_jobs import make_run

from tracegrade.collector.otlp.signal import Signal
from tracegrade.collector.testing.arrangement import arrange_runs
from tracegrade.collector.testing.observed_test import ObservedRun, ObservedTest
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.model import AgentTrace, Reference

SPANS = ((Signal.TRACES, b"spans"),)


def asked(number: int, question: str | None = "a question", **fields: Any) -> AgentTrace:
    return make_run(number).model_copy(update={"input": question, **fields})


def observe(run: AgentTrace, *evaluators: str, is_captured: bool = True) -> ObservedRun:
    """A run with a score of each of these evaluators."""
    scores = tuple(score for name in evaluators for score in evaluate(make_evaluator(name), run))
    return ObservedRun(run=run, scores=scores, is_captured=is_captured)


def ended(node_id: str, *runs: ObservedRun, position: int = 0, **fields: Any) -> ObservedTest:
    usual = {"item": None, "status": "completed", "duration_ms": 1.0, "requests": SPANS}
    return ObservedTest(**{"node_id": node_id, "position": position, "runs": runs, **usual, **fields})


def arrange(*tests: ObservedTest) -> list[tuple[str, int, str | None]]:
    """Item, repeat, and run of each."""
    return [(each.run.item.id, each.run.repeat, each.run.agent_trace_id) for each in arrange_runs(tests)]


FIRST, SECOND, THIRD = (asked(number) for number in (1, 2, 3))


def test_each_test_is_an_item_in_the_order_of_the_collection() -> None:
    later = ended("b", observe(FIRST, "own"), position=2)
    earlier = ended("a", observe(SECOND, "own"), position=1)
    assert arrange(later, earlier) == [("a", 0, SECOND.agent_trace_id), ("b", 0, FIRST.agent_trace_id)]


def test_item_of_a_test_has_what_was_asked_and_what_was_expected() -> None:
    reference = Reference(expected_response="yes", source="test")
    (kept,) = arrange_runs([ended("a", observe(asked(1, reference=reference)))])
    assert (kept.run.item.input, kept.run.item.defined) == ("a question", {"expected_response": "yes"})


@pytest.mark.parametrize("question", [None, " "], ids=["not recorded", "blank"])
def test_test_stands_for_a_question_that_is_not_recorded(question: str | None) -> None:
    (kept,) = arrange_runs([ended("test_x.py::test_it", observe(asked(1, question)))])
    assert kept.run.item.input == "test_x.py::test_it"


def test_item_of_a_dataset_is_the_item_and_several_tests_of_it_are_repeats() -> None:
    item = DatasetItem(id="fly", input="Fly to Paris")
    first = ended("a[fly]", observe(FIRST, "own"), item=item)
    second = ended("b[fly]", observe(SECOND, "own"), item=item, position=1)
    assert arrange(first, second) == [("fly", 0, FIRST.agent_trace_id), ("fly", 1, SECOND.agent_trace_id)]
    assert arrange_runs([first])[0].run.item is first.item


def test_item_of_another_dataset_with_the_same_id_gets_that_of_its_test() -> None:
    first = ended("a[1]", observe(FIRST), item=DatasetItem(id="1", input="Fly to Paris"))
    second = ended("b[1]", observe(SECOND), item=DatasetItem(id="1", input="Fly to Rome"), position=1)
    third = ended("b[1]", observe(THIRD), item=DatasetItem(id="1", input="Fly to Rome"), position=1)
    assert [item for item, _, _ in arrange(first, second, third)] == ["1", "b[1]", "b[1]"]


def test_attempts_at_a_test_are_repeats_of_an_item_with_one_content() -> None:
    runs = arrange_runs(
        [
            ended("a", status="error", cause="TimeoutError: no"),
            ended("a", observe(asked(1, "first question"))),
            ended("a", observe(asked(2, "second question"))),
        ]
    )
    assert [(each.run.repeat, each.run.item.input) for each in runs] == [
        (0, "first question"),
        (1, "first question"),
        (2, "first question"),
    ]


def test_further_runs_of_a_test_are_items_of_their_own_and_their_spans_are_kept_once() -> None:
    written = observe(THIRD, "own", is_captured=False)
    runs = arrange_runs([ended("a", observe(FIRST, "own"), observe(SECOND, "own"), written)])
    assert [(each.run.item.id, each.requests) for each in runs] == [("a", SPANS), ("a #2", ()), ("a #3", None)]


def test_run_that_several_tests_asserted_is_that_of_the_first_with_the_scores_of_all() -> None:
    first = ended("a", observe(FIRST, "one", "two", is_captured=False), requests=())
    second = ended("b", observe(FIRST, "two", "three"), position=1)
    failed = ended("c", observe(FIRST), position=2, status="error", cause="LookupError: no")
    merged, error = arrange_runs([first, second, failed])
    assert sorted(score.evaluator for score in merged.run.scores) == ["one", "three", "two"]
    assert (merged.run.item.id, merged.requests) == ("a", SPANS)
    assert (error.run.item.id, error.run.run, error.requests) == ("c", None, ())


def test_error_has_its_cause_no_scores_and_the_only_run() -> None:
    error: dict[str, Any] = {"status": "error", "cause": "LookupError: no"}
    (one,) = arrange_runs([ended("a", observe(FIRST, "own"), **error)])
    assert (one.run.status, one.run.cause, one.run.scores) == ("error", "LookupError: no", ())
    assert (one.run.run, one.requests) == (FIRST, SPANS)
    (two,) = arrange_runs([ended("a", observe(FIRST), observe(SECOND), **error)])
    assert (two.run.run, two.requests) == (None, ())


@pytest.mark.parametrize(
    "node_id", ["x" * 1_000, "test_\u200bhidden", "test_a[line\nbreak]"], ids=["long", "hidden", "two lines"]
)
def test_item_of_a_strange_test_gets_an_id_that_can_be_stored(node_id: str) -> None:
    (item_id, _, _), (other, _, _) = arrange(
        ended(node_id, observe(FIRST)), ended(f"{node_id}y", observe(SECOND), position=1)
    )
    assert item_id != other
    assert len(item_id) <= 200
    assert item_id.isprintable()
