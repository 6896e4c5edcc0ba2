"""The outermost run of each run, and the times of its tree."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tracegrade.collector.records.run_trees import RunTree, find_trees
from tracegrade.evaluators.model import AgentTrace, ToolCall

NOON = datetime(2026, 1, 1, 12)  # noqa: DTZ001 - as the store keeps it


def make_run(key: str, parent: str | None = None, *, at_s: float = 0, calls_at_s: tuple[float, ...] = ()) -> AgentTrace:
    began = NOON.replace(tzinfo=UTC)
    calls = tuple(ToolCall(name="search", started_at=began + timedelta(seconds=each)) for each in calls_at_s)
    return AgentTrace(
        agent_trace_id=key,
        parent_agent_trace_id=parent,
        started_at=began + timedelta(seconds=at_s),
        tool_calls=calls,
    )


def test_tree_spans_the_starts_of_all_its_runs_and_calls() -> None:
    runs = [make_run("a"), make_run("b", "a", at_s=-1), make_run("c", "b", at_s=2, calls_at_s=(9,)), make_run("d")]
    assert find_trees(runs) == {
        "a": RunTree("a", NOON - timedelta(seconds=1), NOON + timedelta(seconds=9)),
        "b": RunTree("a"),
        "c": RunTree("a"),
        "d": RunTree("d", NOON, NOON),
    }


def test_parent_that_is_not_there_is_the_outermost_run() -> None:
    assert find_trees([make_run("b", "a")]) == {"b": RunTree("a")}


def test_deep_nesting_takes_no_recursion() -> None:
    runs = [make_run(str(depth), str(depth - 1) if depth else None) for depth in range(20_000)]
    assert {tree.root_agent_trace_id for tree in find_trees(runs).values()} == {"0"}
