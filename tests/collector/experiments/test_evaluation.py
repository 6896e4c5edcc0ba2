"""Runs of an experiment are evaluated with evaluators of every kind, none of which can stop the others."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from tests.support.evaluators import make_evaluator
from tests.support.misbehaving_evaluators import Deed, does

from tracegrade.collector.experiments import Experiment
from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.function_path import import_function
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.experiments.item import DatasetItem
from tracegrade.evaluators.experiments.result import ExperimentResult
from tracegrade.evaluators.model import AgentTrace, Reference, ToolDefinition

LATE = "TimeoutError: took longer than 0.2 s"
Counts: TypeAlias = dict[tuple[str, str, str | None], int]
SCORED: Counts = {("quick", "scored", None): 100}


def run_experiment(
    *evaluators: Configured | str, items: int = 1, runs: Iterable[AgentTrace] | None = None, **options: Any
) -> ExperimentResult:
    given = runs or [AgentTrace(agent_trace_id=str(number), input=str(number)) for number in range(items)]
    return Experiment.of_runs("evaluated", given, evaluators, **options).run()


def count_scores(result: ExperimentResult) -> Counts:
    """The scores by evaluator, status and reason."""
    return dict(Counter((score.evaluator, score.status, score.reason) for run in result.runs for score in run.scores))


def command(code: str, name: str = "program", **spec: Any) -> Configured:
    return build({"command": [sys.executable, "-c", code], "name": name, **spec}, resolve=import_function)


QUICK = make_evaluator("quick")


@pytest.mark.parametrize("deed", [Deed.HANG, Deed.CATCH_ALL], ids=["waits", "catches all"])
def test_python_evaluator_that_hangs_ends_an_experiment_of_100_runs_soon(deed: Deed) -> None:
    began_s = time.monotonic()
    counts = count_scores(run_experiment(does(deed, name="hangs", timeout_s=0.2), QUICK, items=100))
    assert time.monotonic() - began_s < 10
    assert sum(number for (name, status, _), number in counts.items() if (name, status) == ("hangs", "error")) == 100
    assert counts["quick", "scored", None] == 100
    assert 4 <= counts["hangs", "error", LATE] <= 12, "it is not called again once four of its calls hang"
    assert any((reason or "").startswith("TimeoutError: not tried, since ") for _, _, reason in counts)


def test_python_evaluator_that_hangs_on_one_run_evaluates_the_others() -> None:
    runs = [AgentTrace(agent_trace_id=str(number), input=str(number), agent_name=str(number)) for number in range(100)]
    counts = count_scores(run_experiment(does(Deed.HANG, name="hangs", to="7", timeout_s=0.2), QUICK, runs=runs))
    assert counts == {("hangs", "error", LATE): 1, ("hangs", "scored", None): 99, **SCORED}


def test_evaluator_that_hung_in_an_experiment_does_not_keep_the_process_from_ending() -> None:
    code = """
import threading
from tracegrade.collector.experiments import Experiment
from tracegrade.evaluators import AgentTrace, build, import_function
run = AgentTrace(agent_trace_id="1", input="1")
build_in = {"python": "__main__:hang", "timeout_s": 0.1}
def hang(_):
    threading.Event().wait()
print(Experiment.of_runs("x", [run], [build(build_in, resolve=import_function)]).run().runs[0].scores[0].reason)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "TimeoutError: took longer than 0.1 s\n", done.stderr


def test_command_evaluates_100_runs() -> None:
    counts = count_scores(run_experiment(command("print(1)"), QUICK, items=100))
    assert counts == {("program", "scored", None): 100, **SCORED}


def test_command_that_hangs_takes_its_time_limit_on_each_run() -> None:
    began_s = time.monotonic()
    hangs = command("import time; time.sleep(600)", timeout_s=0.2)
    counts = count_scores(run_experiment(hangs, QUICK, items=100))
    assert time.monotonic() - began_s < 60
    assert counts == {("program", "error", LATE): 100, **SCORED}


def test_tools_of_a_run_are_evaluated_each_within_the_limit() -> None:
    tools = tuple(ToolDefinition(name=name, description="a tool") for name in ("first", "second"))
    run = AgentTrace(agent_trace_id="1", input="1", tool_definitions=tools)
    hangs = replace(does(Deed.HANG, name="hangs", timeout_s=0.1), scope="tool")
    scores = run_experiment(hangs, "tool_name_reliability", runs=[run]).runs[0].scores
    assert [(score.evaluator, score.status) for score in scores] == [("hangs", "error")] * 2 + [
        ("tool_name_reliability", "scored")
    ] * 2


def test_every_run_is_evaluated_whatever_selects_runs_in_production() -> None:
    chosen = {"sample": 0.0, "schedule": "0 3 * * *", "when": "agent_name = 'x'", "after": ["other"]}
    result = run_experiment(build({"use": "run_completion", **chosen}), items=20)
    assert [len(run.scores) for run in result.runs] == [1] * 20


def test_evaluator_only_with_reference_evaluates_what_has_one() -> None:
    only = configure("tool_trajectory", only_with_reference=True)
    expected = AgentTrace(agent_trace_id="a", input="a", reference=Reference(expected_tool_calls=(), source="dataset"))
    runs = run_experiment(only, "run_completion", runs=[expected, AgentTrace(agent_trace_id="b", input="b")]).runs
    assert [[score.evaluator for score in run.scores] for run in runs] == [
        ["tool_trajectory", "run_completion"],
        ["run_completion"],
    ]


def test_combination_is_evaluated_as_a_whole() -> None:
    members = {"run_completion": {"use": "run_completion"}, "tool_error": {"use": "tool_error"}}
    combined = build(
        {"name": "both", "combine": {"how": "min", "of": list(members), "members": members}, "timeout_s": 5.0},
        resolve=import_function,
    )
    (score,) = run_experiment(combined).runs[0].scores
    assert (score.evaluator, score.evaluator_type) == ("both", "combine")


@pytest.mark.parametrize(
    ("evaluator", "message"),
    [
        pytest.param(
            build({"sql": "select 1", "name": "slow_runs"}, resolve=import_function),
            "slow_runs is a query over stored runs, .*; `tracegrade preview slow_runs` evaluates stored ones",
            id="query",
        ),
        pytest.param(make_evaluator("far", config_hash=""), "its function is not imported", id="not imported"),
    ],
)
def test_evaluator_that_an_experiment_cannot_use_is_refused(evaluator: Configured, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Experiment("refused", [DatasetItem(input="x")], print, [evaluator])
