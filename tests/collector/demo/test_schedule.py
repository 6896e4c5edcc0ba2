"""The plan of a history: when which agent is asked what."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from tracegrade.collector.demo.agents import AGENTS, FAULTY_AGENT, FAULTY_VERSION
from tracegrade.collector.demo.schedule import Milestones, plan_runs

RUNS = plan_runs(28, 1)


def test_same_seed_plans_the_same_runs_and_another_seed_others() -> None:
    assert plan_runs(28, 1) == RUNS
    assert plan_runs(28, 2) != RUNS


@pytest.mark.parametrize("days", [7, 28, 90])
def test_runs_fill_all_days_and_begin_before_the_end(days: int) -> None:
    runs = plan_runs(days, 1)
    assert {run.before_end // timedelta(days=1) for run in runs} == set(range(days))
    assert min(run.before_end for run in runs) > timedelta(minutes=2)


def test_every_agent_runs_in_production_and_most_of_them_in_staging() -> None:
    counts = Counter((run.agent.name, run.environment) for run in RUNS)
    assert {agent for agent, environment in counts if environment == "production"} == {agent.name for agent in AGENTS}
    assert {environment for _, environment in counts} == {"production", "staging"}


def test_new_version_runs_beside_the_old_one_since_its_release() -> None:
    released = Milestones.of(28).released
    versions = {is_new: set[str]() for is_new in (False, True)}
    for run in RUNS:
        if run.agent.name == FAULTY_AGENT:
            versions[run.before_end < released].add(run.version)
    assert versions == {False: {"1.3.0"}, True: {"1.3.0", FAULTY_VERSION}}


@pytest.mark.parametrize("days", [7, 28, 90])
def test_fault_hits_only_the_new_version_since_its_beginning(days: int) -> None:
    milestones = Milestones.of(days)
    faulty = [run for run in plan_runs(days, 1) if run.fault is not None]
    assert {run.version for run in faulty} == {FAULTY_VERSION}
    assert max(run.before_end for run in faulty) < milestones.fault < milestones.released
    assert {run.fault.error is None for run in faulty if run.fault} == {True, False}
