"""A configuration that lies in the working directory: its Python runs where evaluators run, and nowhere else."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.support import agent_spans
from tests.support.command import Done, inside, tracegrade

from tracegrade.collector.cli.commands import COMMANDS, EVALUATING

NAMING = """
evaluators:
  - use: defaults
  - {name: mine, python: "planted:evaluator", options: {limit: 3}}
  - {name: file, python: "planted.py:evaluator"}
  - {name: both, combine: {of: [mine, tool_error]}}
  - {use: tool_error, name: option, options: {predicate: "planted:predicate"}}
  - {name: of_tools, python: "planted:evaluator", scope: tool}
  - {name: asking, rubric: rubric.yaml, judge: own}
judges:
  own: {python: "planted:judge"}
"""
PLANTED = """
from pathlib import Path
Path("ran").touch()
def evaluator(run, limit=1): return True
def predicate(text): return False
def judge(prompt): return "{}"
"""
READING: Mapping[str, Sequence[Sequence[str]]] = {
    "tail": [("tail", "--no-follow")],
    "sql": [("sql", "select 1")],
    "runs": [("runs",), ("runs", "is:failing", "tool:search"), ("runs", "sql:tool_call_count > 0")],
    "show": [("show", "00")],
    "report": [("report",), ("report", "failed"), ("report", "calls_with", "--tool", "search")],
    "export": [("export", "exported")],
    "mcp": [("mcp",)],
    "annotate": [("annotate", "00", "--name", "mien", "--score", "1")],
    "dataset": [
        ("dataset", "add", "trips", "--from", "select agent_trace_id from agent_traces"),
        ("dataset", "list"),
        ("dataset", "show", "trips"),
        ("dataset", "export", "trips"),
        ("dataset", "remove", "trips", "--all"),
    ],
    "gate": [("gate", "--min", "tool_error=1")],
    "evaluators": [("evaluators",), ("evaluators", "mine"), ("evaluators", "mine", "--pause")],
    "explain": [("explain", "00")],
    "backlog": [("backlog",)],
    "judges": [("judges",)],
    "calibrate": [("calibrate",)],
    "snapshot": [("snapshot", "copy.duckdb")],
    "restore": [("restore", "copy.duckdb", "--store", "other.duckdb")],
    "reload": [("reload",)],
    "lint-tools": [("lint-tools",)],
    "doctor": [("doctor",), ("doctor", "--ledger"), ("doctor", "--judges"), ("doctor", "00"), ("doctor", "spans.pb")],
    "init": [("init", "other.yaml")],
    "completion": [("completion", "bash")],
}
"""What each command that only reads, or writes what it is given, may be asked."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a run, and with what its author would like to be run."""
    monkeypatch.delitem(sys.modules, "planted", raising=False)  # of another test's folder
    (tmp_path / "spans.pb").write_bytes(agent_spans.export_request(agent_spans.trip(1)))
    assert inside("import", "spans.pb", at=tmp_path).code == 0
    (tmp_path / "planted.py").write_text(PLANTED, encoding="utf-8")
    (tmp_path / "rubric.yaml").write_text("criteria: It is polite.\n", encoding="utf-8")
    (tmp_path / "tracegrade.yaml").write_text(NAMING, encoding="utf-8")
    return tmp_path


def ran(folder: Path) -> bool:
    return (folder / "ran").exists()


def test_every_command_is_known_to_evaluate_or_to_read() -> None:
    assert READING.keys() | EVALUATING == COMMANDS.keys()
    assert not READING.keys() & EVALUATING


def test_command_that_evaluates_nothing_runs_no_code_of_the_folder(folder: Path) -> None:
    for command in (words for several in READING.values() for words in several):
        done = inside(*command, at=folder)
        assert not ran(folder), command
        assert (done.code in {0, 1, 3, 4}, "Traceback" in done.err) == (True, False), (command, done)


def test_command_of_its_own_process_runs_none_either(folder: Path) -> None:
    done = tracegrade("backlog", at=folder)
    assert (done.code, ran(folder)) == (0, False), done


@pytest.mark.parametrize("command", [("import", "spans.pb"), ("check",), ("preview", "mine", "--limit", "1")], ids=str)
def test_command_that_evaluates_or_tries_a_configuration_runs_it(folder: Path, command: tuple[str, ...]) -> None:
    done = inside(*command, at=folder)
    assert ran(folder), done


def evaluated(folder: Path, *command: str) -> Done:
    """What a command answers after the functions have evaluated a run."""
    (folder / "more.pb").write_bytes(agent_spans.export_request(agent_spans.trip(2)))
    assert inside("import", "more.pb", at=folder).code == 0
    (folder / "ran").unlink()
    return inside(*command, at=folder)


def test_scores_of_a_function_are_explained_and_audited_without_it(folder: Path) -> None:
    explained = evaluated(folder, "explain", "00", "--json")
    states = {one["evaluator"]: one["state"] for run in explained_runs(explained)[-1:] for one in run["evaluators"]}
    assert {states[name] for name in ("mine", "file", "both", "option")} == {"scored"}
    audited = inside("doctor", "--ledger", at=folder)
    assert (audited.code, "nothing to audit" in audited.text, ran(folder)) == (0, False, False), audited.text


def explained_runs(done: Done) -> list[dict[str, list[dict[str, str]]]]:
    runs: list[dict[str, list[dict[str, str]]]] = json.loads(done.text)["runs"]
    return runs
