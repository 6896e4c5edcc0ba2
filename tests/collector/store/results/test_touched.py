"""A transaction touches the runs whose outcome it may have changed, and no others."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tracegrade.collector.store.results.changes import Changes
from tracegrade.collector.store.results.touched import find_touched

HOUR = datetime(2026, 1, 1, 9)  # noqa: DTZ001 - as the store keeps it


def run(name: str, root: str | None = None, **fields: Any) -> dict[str, Any]:
    """A run, in another one if there is a `root`."""
    return {
        "agent_trace_id": name,
        "root_agent_trace_id": root or name,
        "parent_agent_trace_id": root,
        "started_at": HOUR.replace(minute=5),
        "error": None,
        "failed_calls": None,
        "experiment_id": None,
        **fields,
    }


def changes(**groups: Any) -> Changes:
    runs: dict[str, Any] = {"new": [], "changed": [], "same": [], "stale": [], "gone": []}
    nothing: frozenset[str] = frozenset()
    return Changes(**{**runs, **groups}, waiting=nothing, postponed=nothing, touched=nothing)


@pytest.mark.parametrize(
    ("fields", "touched"), [({}, set()), ({"error": "out of time"}, {"outer"}), ({"failed_calls": "[]"}, {"outer"})]
)
def test_new_run_is_touched_if_something_in_it_failed(fields: dict[str, Any], touched: set[str]) -> None:
    assert find_touched({}, changes(new=[run("outer", **fields)])).agent_trace_ids == touched


def test_new_run_around_a_stored_one_is_touched_since_that_may_have_scores() -> None:
    inner = run("inner", "outer")
    touched = find_touched({"inner": inner}, changes(new=[run("outer")], same=[inner]))
    assert (touched.agent_trace_ids, touched.hours) == ({"outer"}, {HOUR})


def test_run_that_is_gone_is_not_looked_for_but_its_hour_has_changed() -> None:
    touched = find_touched({"former": run("former")}, changes(gone=["former"]))
    assert (touched.agent_trace_ids, touched.hours) == (set(), {HOUR})


def test_hours_of_runs_of_experiments_do_not_change() -> None:
    assert find_touched({}, changes(new=[run("outer", experiment_id="e1")])).hours == set()
