"""The judge is a part of the identity of an evaluator that asks it."""

from __future__ import annotations

from tests.support.evaluators import make_evaluator

from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.catalog.judge_identity import identify_with_judge
from tracegrade.evaluators.judges import Judge


def test_another_model_makes_another_evaluator_and_another_address_does_not() -> None:
    evaluator = configure("goal_achievement", threshold=0.5)
    first, same, other = (
        identify_with_judge(evaluator, judge)
        for judge in (Judge(model="a"), Judge(model="a", base_url="http://127.0.0.1:1/v1"), Judge(model="b"))
    )
    assert first.config_hash == same.config_hash
    assert len({evaluator.config_hash, first.config_hash, other.config_hash}) == 3
    assert (first.name, first.threshold, first.asks) == ("goal_achievement", 0.5, "default")


def test_evaluator_is_identified_anew_with_each_judge() -> None:
    evaluator = build({"use": "goal_achievement", "judge": "default"})
    twice = identify_with_judge(identify_with_judge(evaluator, Judge(model="a")), Judge(model="b"))
    assert twice.config_hash == identify_with_judge(evaluator, Judge(model="b")).config_hash


def test_evaluator_without_a_specification_stays_as_it_is() -> None:
    evaluator = make_evaluator(kind="llm", asks="default")
    assert identify_with_judge(evaluator, Judge()) is evaluator
