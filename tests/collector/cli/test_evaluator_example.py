"""What `tracegrade evaluators NAME` says of a judge, and its example."""

from __future__ import annotations

import pytest
import yaml

from tracegrade.collector.cli.evaluator_example import describe_judge, write_example
from tracegrade.collector.config.settings import Settings, evaluators_of
from tracegrade.evaluators.catalog.configure import catalogue, definition_of


@pytest.mark.parametrize("name", [*catalogue()])
def test_example_is_a_configuration_that_can_be_used(name: str) -> None:
    settings = Settings.model_validate(yaml.safe_load(write_example(definition_of(name))))
    [evaluator] = evaluators_of(settings)
    assert (evaluator.name, evaluator.type) == (name, name)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tool_error", "not needed"),
        ("goal_achievement", "needed"),
        ("geval", "needed"),
        ("gl:agent", "needed"),
        ("tool_name_reliability", "optional"),
        ("deepeval:tool_correctness", "optional"),
    ],
)
def test_it_is_said_whether_a_judge_is_needed(name: str, said: str) -> None:
    assert describe_judge(definition_of(name)).partition(":")[0].partition(";")[0] == said


def test_example_shows_an_option_and_the_judge() -> None:
    assert write_example(definition_of("dokimos:tool_trajectory")) == (
        "evaluators:\n  - use: dokimos:tool_trajectory\n    options:\n      match_mode: IN_ORDER"
    )
    assert write_example(definition_of("geval")).startswith("judges:\n  default:\n    model: gpt-4.1-mini\nevaluators:")
