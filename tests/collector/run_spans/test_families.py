"""Runs with sub-agents are written into one trace, and are assembled to the same runs below each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.run_shapes import AT, WORDS, Clock, draw_call

from tracegrade.collector.capture.assembly import assemble_exported_runs
from tracegrade.collector.run_spans import write_runs
from tracegrade.evaluators.model import AgentTrace, ToolCall

Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]


@st.composite
def families(draw: Draw) -> Sequence[AgentTrace]:
    """A run with those that it called, directly or not."""
    runs: list[AgentTrace] = []
    add_run(draw, Clock(draw(st.booleans())), runs, caller=None, depth=draw(st.integers(1, 3)))
    return runs


def add_run(draw: Draw, clock: Clock, runs: list[AgentTrace], *, caller: str | None, depth: int) -> AgentTrace:
    """Append a run and those below it, and return it."""
    position = len(runs)
    run_id = draw(st.sampled_from([f"{7:032x}-{position + 1:016x}", f"run {position}"]))
    run = AgentTrace(
        agent_trace_id=run_id,
        parent_agent_trace_id=caller,
        agent_name=draw(WORDS),
        agent_version=str(position),
        started_at=clock.tick(draw),
        final_response=draw(WORDS),
    )
    runs.append(run)
    calls: list[ToolCall] = []
    for _ in range(draw(st.integers(0, 3)) if depth else 0):
        kind = draw(st.sampled_from(["call", "sub-agent", "call and sub-agent"]))
        if kind.startswith("call"):
            calls.append(draw_call(draw, clock, f"{position}-{len(calls)}", statuses=["ok", "error"], is_odd=False))
        if kind.endswith("sub-agent"):
            below = add_run(draw, clock, runs, caller=run_id, depth=depth - 1)
            calls += [as_call_below(call, below) for call in below.tool_calls]
    runs[position] = run.model_copy(update={"tool_calls": tuple(calls)})
    return runs[position]


def as_call_below(call: ToolCall, run: AgentTrace) -> ToolCall:
    update = {
        "agent_name": call.agent_name or run.agent_name,
        "child_agent_trace_id": call.child_agent_trace_id or run.agent_trace_id,
    }
    return call.model_copy(update=update)


def assemble_again(runs: Sequence[AgentTrace]) -> dict[str, AgentTrace]:
    again = assemble_exported_runs([write_runs(runs, at=AT)], [])
    return {run.agent_version or "": run for run in again}


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(family=families())
def test_sub_agents_stay_below_their_callers_with_their_calls_in_order(family: Sequence[AgentTrace]) -> None:
    again = assemble_again(family)
    assert sorted(again) == sorted(str(position) for position in range(len(family)))
    version_of = {run.agent_trace_id: run.agent_version for run in family}
    version_again = {run.agent_trace_id: run.agent_version for run in again.values()}
    for run in family:
        other = again[run.agent_version or ""]
        assert other.agent_name == run.agent_name
        assert version_again.get(other.parent_agent_trace_id or "") == version_of.get(run.parent_agent_trace_id or "")
        assert [
            (call.id, call.agent_name, version_again.get(call.child_agent_trace_id or "")) for call in other.tool_calls
        ] == [(call.id, call.agent_name, version_of.get(call.child_agent_trace_id or "")) for call in run.tool_calls]
        assert (other.final_response, other.error) == (run.final_response, None)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(family=families())
def test_calls_of_sub_agents_whose_runs_are_unknown_stay_theirs(family: Sequence[AgentTrace]) -> None:
    again = assemble_again(family[:1])["0"]
    assert len(again.tool_calls) == len(family[0].tool_calls)
    assert [call.id for call in again.trajectory] == [call.id for call in family[0].trajectory]
