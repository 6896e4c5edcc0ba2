from __future__ import annotations

import pytest

from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.registry import UnknownEvaluator, WrongOptions, catalogue, configure
from tracegrade.evaluators.run import evaluate

OURS = ["tool_call_validity", "tool_correctness", "tool_efficiency", "tool_error", "tool_trajectory"]


def test_catalogue_lists_what_can_be_named_in_order() -> None:
    names = list(catalogue())
    assert set(OURS) <= set(names)
    assert names == sorted(names)


@pytest.mark.parametrize("name", OURS)
def test_every_evaluator_says_what_it_is_and_where_it_comes_from(name: str) -> None:
    definition = catalogue()[name]
    assert definition.summary
    assert definition.source
    assert definition.version >= 1
    assert 0 <= definition.threshold <= 1


@pytest.mark.parametrize("name", OURS)
def test_every_evaluator_runs_without_options_on_a_run_that_did_nothing(name: str) -> None:
    [verdict] = evaluate(configure(name), AgentTrace())
    assert verdict.status in {"scored", "skipped"}


def test_evaluator_goes_by_its_type_or_by_a_name_of_its_own() -> None:
    assert configure("tool_error").name == "tool_error"
    own = configure("tool_error", name="mine")
    assert (own.name, own.type) == ("mine", "tool_error")


def test_unknown_evaluator_is_told_the_nearest_name() -> None:
    with pytest.raises(UnknownEvaluator, match=r"called 'tool_eror' \(did you mean 'tool_error'\?\);"):
        configure("tool_eror")


def test_unknown_evaluator_that_resembles_none_is_told_where_to_look() -> None:
    with pytest.raises(UnknownEvaluator, match="`tracegrade evaluators` lists them"):
        configure("xyz")


def test_unknown_option_is_told_the_nearest_one() -> None:
    with pytest.raises(WrongOptions, match=r"tool_trajectory has no option 'moed' \(did you mean 'mode'\?\)"):
        configure("tool_trajectory", options={"moed": "exact"})


def test_option_that_resembles_none_is_told_what_there_is() -> None:
    with pytest.raises(WrongOptions, match=r"known here: argument_matcher, .*mode"):
        configure("tool_trajectory", options={"zzzzzz": 1})


def test_option_of_the_wrong_kind_is_named() -> None:
    with pytest.raises(WrongOptions, match="option 'mode' of tool_trajectory"):
        configure("tool_trajectory", options={"mode": 7})


def test_config_hash_is_of_what_changes_verdicts_and_of_nothing_else() -> None:
    usual = configure("tool_trajectory").config_hash
    assert configure("tool_trajectory", name="mine", only_with_reference=True).config_hash == usual
    default = catalogue()["tool_trajectory"]
    assert configure("tool_trajectory", threshold=default.threshold).config_hash == usual
    changed = [
        configure("tool_trajectory", threshold=0.1).config_hash,
        configure("tool_trajectory", options={"mode": "any_order"}).config_hash,
        configure("tool_error").config_hash,
    ]
    assert len({usual, *changed}) == 4


def test_option_that_is_set_to_its_default_changes_nothing() -> None:
    default = catalogue()["tool_trajectory"].factory.model_fields["mode"].default
    assert (
        configure("tool_trajectory", options={"mode": default}).config_hash == configure("tool_trajectory").config_hash
    )


def test_threshold_is_the_evaluators_own_unless_one_is_given() -> None:
    assert configure("tool_error").threshold == catalogue()["tool_error"].threshold
    assert configure("tool_error", threshold=0).threshold == 0
