"""Tools and what came of them in one score: the composite that evaluators/docs/custom.md shows, on a real store."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support.store import Clock, Store, opened

from tracegrade.collector.config.settings import evaluators_of, load
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.model import Score

PAGE = Path(__file__).parents[3] / "evaluators" / "docs" / "custom.md"
[EXAMPLE] = [
    text
    for text in re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    if "tools_and_goal" in text
]
OF_COMPOSITE = "from latest_scores where evaluator = 'tools_and_goal'"


def example(folder: Path, *, tools: Any = 0.5, goal: Any = 0.8, **of_goal: Any) -> list[Configured]:
    """The evaluators of the example, of which the two first say `tools` and `goal` of every run."""
    path = folder / "tracegrade.yaml"
    path.write_text(f"judges: {{default: {{}}}}\n{EXAMPLE}", encoding="utf-8")
    of_tools, asking, composite = evaluators_of(load(path))
    return [
        replace(of_tools, function=_saying(tools)),
        replace(asking, function=_saying(goal), kind="code", asks=None, **of_goal),
        composite,
    ]


def _saying(said: Any) -> Callable[[Any], object]:
    return lambda _: said


def begin(store: Store, evaluators: Sequence[Configured]) -> None:
    store.ledger.enrol(evaluators)
    store.add_runs(1)


def test_composite_is_made_of_the_scores_of_both(tmp_path: Path) -> None:
    every = example(tmp_path)
    with opened(tmp_path, evaluators=every) as store:
        begin(store, every)
        store.evaluate(*every)
        [told] = store.rows(f"select value, passed, threshold, details ->> 'tools', details ->> 'goal' {OF_COMPOSITE}")
        assert told == (pytest.approx(0.4), False, 0.5, "0.5", "0.8")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        pytest.param({"tools": Score.skip("no calls")}, "tool_correctness: no calls", id="skipped"),
        pytest.param({"goal": Score.failed("no answer")}, "goal_achievement: no answer", id="failed"),
        pytest.param({"sample": 0.0}, "one of the two gave no score", id="left out"),
    ],
)
def test_composite_is_skipped_where_one_of_them_has_no_value(tmp_path: Path, said: dict[str, Any], reason: str) -> None:
    every = example(tmp_path, **said)
    with opened(tmp_path, evaluators=every) as store:
        begin(store, every)
        store.evaluate(*every)
        assert store.rows(f"select status, value, reason {OF_COMPOSITE}") == [("skipped", None, reason)]


def test_composite_waits_as_long_as_one_of_them_does(tmp_path: Path) -> None:
    clock = Clock()
    every = _, goal, _ = example(tmp_path)
    with opened(tmp_path, now=clock, evaluators=every) as store:
        begin(store, every)
        until = clock() + timedelta(hours=1)
        store.defer(goal, until=until, reason="the budget is spent", limit=1)
        store.evaluate(*every)
        assert store.rows(f"select value {OF_COMPOSITE}") == []
        assert store.rows("select reason from deferrals where evaluator = 'tools_and_goal'") == [
            ("waits for goal_achievement",)
        ]
        clock.pass_by(minutes=61)
        store.evaluate(*every)
        assert store.rows(f"select value {OF_COMPOSITE}") == [(pytest.approx(0.4),)]


def test_scores_of_people_and_of_older_revisions_are_no_part_of_it(tmp_path: Path) -> None:
    every = tools, goal, composite = example(tmp_path)
    with opened(tmp_path, evaluators=every) as store:
        begin(store, every)
        store.evaluate(tools, goal)
        for column in ("'ann' as author, 'human' as evaluator_kind", "0 as revision"):
            store.rows(f"insert into scores by name select * replace (0.0 as value, {column}) from scores limit 2")
        store.evaluate(composite)
        assert store.rows(f"select value {OF_COMPOSITE}") == [(pytest.approx(0.4),)]
