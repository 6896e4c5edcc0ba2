"""What the overview says of measures that are compared."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from tracegrade.queries.pages.overview.findings import compare, find_change

NOW = datetime(2026, 1, 30, 12)  # noqa: DTZ001 - as the store keeps it


def make_measure(agent: str = "shop", measure: str = "failing runs", **fields: Any) -> dict[str, Any]:
    default = {"evaluator": None, "evaluator_kind": None, "is_worse": True, "since_at": NOW}
    return {"agent": agent, "measure": measure, **default, **fields}


def make_change(agent: str = "shop", *, hours_before: float, what: str = "version") -> dict[str, Any]:
    first = NOW - timedelta(hours=hours_before)
    return {"agent": agent, "what": what, "value": "2", "first_run_at": first}


def test_share_of_failing_runs_is_named_before_what_is_clearer() -> None:
    clearest = make_measure(measure="failing scores", evaluator="tool_error", evaluator_kind="code")
    (finding,) = compare([clearest, make_measure()], ["shop"]).findings
    assert [measure.name for measure in finding.measures] == ["failing runs", "failing tool_error"]


def test_scores_of_people_are_named_as_such() -> None:
    measure = make_measure(measure="failing scores", evaluator="polite", evaluator_kind="human")
    assert compare([measure], ["shop"]).findings[0].first.name == "failing polite (people)"


def test_three_agents_are_named_and_others_counted() -> None:
    agents = ["a", "b", "c", "d", "e"]
    comparison = compare([make_measure(agent) for agent in agents], agents)
    assert [finding.agent for finding in comparison.findings] == ["a", "b", "c"]
    assert comparison.omitted == 2


def test_agent_without_a_compared_measure_is_left_out_by_name() -> None:
    comparison = compare([make_measure("shop", is_worse=False)], ["shop", "new"])
    assert (comparison.findings, comparison.agents, comparison.left_out) == ([], ["shop"], ["new"])


def test_last_change_of_the_agent_in_the_hours_before_is_the_cause() -> None:
    changes = [make_change(hours_before=5), make_change(hours_before=1), make_change("other", hours_before=0.5)]
    assert find_change(changes, "shop", NOW) == changes[1]


def test_change_long_before_or_after_is_no_cause() -> None:
    assert find_change([make_change(hours_before=7), make_change(hours_before=-1)], "shop", NOW) is None


def test_version_is_named_of_what_changed_together() -> None:
    changes = [make_change(hours_before=1, what=what) for what in ("definition of tool", "version", "prompt", "model")]
    assert find_change(changes, "shop", NOW) == changes[1]
