"""The runs of tests are kept as an experiment, by a pytest of its own as users run it. These tests need the server."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from tests.support.pytest_session import Ended, run_pytest
from tests.support.server import running

from tracegrade.collector.client.experiments import list_experiments, read_experiment
from tracegrade.collector.client.settings import load_settings
from tracegrade.collector.client.source import open_source
from tracegrade.evaluators.experiments.experiment_run import ExperimentRun
from tracegrade.evaluators.experiments.result import ExperimentResult

ITEMS: Final = """
{"id": "fly", "input": "Fly to Paris", "expected_tool_calls": ["search"]}
{"id": "talk", "input": "Hello", "expected_tool_calls": []}
"""
TESTS: Final = """
import pytest
from tracegrade.evaluators import assert_scores

def test_passes(agent_capture):
    run_agent("Fly to Rome")
    assert_scores(agent_capture.run, "tool_trajectory", "tool_error", expected_tool_calls=["search"])

def test_fails(agent_capture):
    run_agent("Fly to Oslo")
    assert_scores(agent_capture.run, "tool_trajectory", expected_tool_calls=["book"])

def test_is_wrong(agent_capture):
    run_agent("Fly to Bern")
    raise LookupError("no such agent")

def test_records_nothing(agent_capture):
    assert_scores(agent_capture.run, "tool_error")

def test_only_looks_at_the_run(agent_capture):
    run_agent("Fly to Graz")
    assert agent_capture.run.tool_calls == ()

@pytest.mark.skip
def test_skipped(agent_capture):
    run_agent("Fly to Nice")

def test_skips_itself(agent_capture):
    run_agent("Fly to Nice")
    pytest.skip("not today")

@pytest.fixture
def broken():
    raise OSError("no network")

def test_cannot_begin(agent_capture, broken):
    run_agent("Fly to Nice")

def test_without_an_agent():
    assert sorted("ba") == ["a", "b"]

@pytest.mark.tracegrade_dataset("trips.jsonl")
def test_item(agent_capture, item):
    run_agent(item.input)
    assert_scores(agent_capture.run, "tool_trajectory", **item.defined)
"""


def keep(folder: Path, tests: str = TESTS, *options: str, store: str = "runs.duckdb") -> Ended:
    (folder / "trips.jsonl").write_text(ITEMS, encoding="utf-8")
    return run_pytest(folder, tests, f"--tracegrade-store={store}", *options)


def read(folder: Path, name: str, store: str = "runs.duckdb") -> ExperimentResult:
    with open_source(load_settings(None, store=str(folder / store))) as source:
        return read_experiment(source.read, name)


def query(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with open_source(load_settings(None, store=str(folder / "runs.duckdb"))) as source:
        return [tuple(row) for row in source.read(sql).rows]


def describe(run: ExperimentRun) -> tuple[str, str, str | None, list[bool | None]]:
    """Its item, status and cause, and whether its scores passed."""
    item = run.item.id.removeprefix("test_agent.py::")
    return item, run.status, run.cause, [score.passed for score in run.scores]


KEPT: Final = [
    ("test_passes", "completed", None, [True, True]),
    ("test_fails", "completed", None, [False]),
    ("test_is_wrong", "error", "LookupError: no such agent", []),
    ("test_only_looks_at_the_run", "completed", None, []),
    ("test_cannot_begin", "error", "OSError: no network", []),
    ("fly", "completed", None, [True]),
    ("talk", "completed", None, [False]),
]
SUMMARY: Final = "5 failed, 3 passed, 2 skipped, 1 error"


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["in one process", "with pytest-xdist"])
def test_tests_that_ran_an_agent_are_kept_with_their_scores_and_outcomes(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    ended = keep(tmp_path, TESTS, *options, "--tracegrade-experiment", "nightly")
    assert (ended.code, ended.summary) == (1, SUMMARY), ended.text
    assert "kept 8 runs of 8 tests as experiment 'nightly' (" in ended.text
    result = read(tmp_path, "nightly")
    nothing = next(run for run in result.runs if run.item.id.endswith("test_records_nothing"))
    assert (nothing.cause or "").startswith("NoSingleRun: no run was captured")
    assert [describe(run) for run in result.runs if run is not nothing] == KEPT
    assert result.ended_at is not None
    assert [run.item.input for run in result.runs][:2] == ["Fly to Rome", "Fly to Oslo"]
    runs = query(tmp_path, "select input, experiment_id from agent_traces order by input")
    cities = ["Bern", "Graz", "Oslo", "Paris", "Rome"]
    assert runs == [(f"Fly to {city}", result.experiment_id) for city in cities] + [("Hello", result.experiment_id)]


@pytest.mark.nightly
def test_experiment_is_named_after_the_root_folder_and_each_session_is_a_new_one(tmp_path: Path) -> None:
    folder = tmp_path / "my+project"
    folder.mkdir()
    for _ in range(2):
        keep(folder)
    with open_source(load_settings(None, store=str(folder / "runs.duckdb"))) as source:
        names = [experiment.name for experiment in list_experiments(source.read)]
    assert names == ["pytest my-project"] * 2


@pytest.mark.nightly
def test_store_of_the_configuration_is_used_by_default(tmp_path: Path) -> None:
    (tmp_path / "tracegrade.yaml").write_text("store: configured.duckdb\n")
    tests = """
from tracegrade.evaluators import assert_scores

def test_passes(agent_capture):
    run_agent("Fly to Rome")
    assert_scores(agent_capture.run, "tool_trajectory", expected_tool_calls=["search"])
"""
    ended = run_pytest(tmp_path, tests, "--tracegrade-store")
    assert ended.code == 0, ended.text
    assert [describe(run) for run in read(tmp_path, f"pytest {tmp_path.name}", "configured.duckdb").runs] == [
        (*KEPT[0][:3], [True])
    ]


def test_running_server_gets_what_its_store_cannot_take(tmp_path: Path) -> None:
    with running(tmp_path / "runs.duckdb") as server:
        ended = keep(tmp_path, TESTS, "--tracegrade-experiment", "served")
        assert "kept 8 runs of 8 tests as experiment 'served'" in ended.text
        kept = server.rows("select item_id, status from experiment_runs order by position")
    assert [item.removeprefix("test_agent.py::") for item, _ in kept if not item.endswith("nothing")] == [
        item for item, *_ in KEPT
    ]


@pytest.mark.parametrize(
    ("tests", "message"),
    [
        ("def test_it():\n    assert True", "nothing is kept: no test used agent_capture or assert_scores"),
        ("def test_it(agent_capture):\n    run_agent('Hello')", "nothing is kept: no test asserted scores"),
    ],
    ids=["no agent", "no score"],
)
@pytest.mark.nightly
def test_session_with_nothing_to_keep_says_so(tmp_path: Path, tests: str, message: str) -> None:
    ended = keep(tmp_path, tests)
    assert ended.code == 0, ended.text
    assert message in ended.text
    assert not (tmp_path / "runs.duckdb").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tracegrade-store", "test_agent.py"], "--tracegrade-store=test_agent.py is not a store: write --tracegr"),
        (["--tracegrade-store", "."], "--tracegrade-store=. is not a store"),
        (["--tracegrade-store=postgres://x"], "--tracegrade-store: "),
        (["--tracegrade-store=broken.duckdb"], "--tracegrade-store: "),
        (["--tracegrade-store=a.duckdb", "--tracegrade-experiment", "a/b"], "--tracegrade-experiment: name"),
        (["--tracegrade-experiment", "a"], "--tracegrade-experiment names the experiment of --tracegrade-store"),
    ],
    ids=["a test", "a folder", "unknown engine", "not a store", "impossible name", "no store"],
)
@pytest.mark.nightly
def test_options_that_cannot_be_used_are_refused_before_any_test_runs(
    tmp_path: Path, options: list[str], message: str
) -> None:
    (tmp_path / "broken.duckdb").write_text("no database")
    ended = run_pytest(tmp_path, TESTS, *options)
    assert ended.code == pytest.ExitCode.USAGE_ERROR, ended.text
    assert message in ended.text


@pytest.mark.nightly
def test_option_without_the_server_is_refused(tmp_path: Path) -> None:
    (tmp_path / "without_server.py").write_text("import sys\nsys.modules.update(duckdb=None, pyarrow=None)\n")
    ended = run_pytest(tmp_path, TESTS, "-p", "without_server", "--tracegrade-store=runs.duckdb")
    assert ended.code == pytest.ExitCode.USAGE_ERROR
    assert "--tracegrade-store needs `pip install 'tracegrade[server]'`: no duckdb, pyarrow" in ended.text


@pytest.mark.nightly
def test_runs_that_cannot_be_kept_fail_the_session_and_the_results_are_shown(tmp_path: Path) -> None:
    tests = """
from pathlib import Path
from tracegrade.evaluators import assert_scores

def test_passes(agent_capture):
    run_agent("Fly to Rome")
    assert_scores(agent_capture.run, "tool_error")
    Path("runs.duckdb").mkdir()
"""
    ended = keep(tmp_path, tests)
    assert (ended.code, ended.summary) == (1, "1 passed"), ended.text
    assert "1 test could not be kept: " in ended.text
    assert "INTERNALERROR" not in ended.text
