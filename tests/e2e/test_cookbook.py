"""The reports on the history of the demo: the page has their answers, and they find the fault that is in it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from tests.contract.cookbook import END, PAGE, QUESTIONS, RUN, render_answers, section_of
from tests.support.command import Done, inside
from tests.support.history import history_store

from tracegrade.collector.demo.agents import FAULTY_AGENT, FAULTY_TOOL, FAULTY_VERSION

pytestmark = pytest.mark.timeout(300)  # the first of them makes the history


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return history_store(tmp_path_factory, days=28, end=END).path


def run(store: Path, line: str, at: Path) -> Done:
    """Runs a line as a person types it, at the end of the history."""
    with mock.patch("tracegrade.collector.cli.report.utc_now", return_value=END):
        return inside(*shlex.split(line)[1:], at=at, TRACEGRADE_STORE=str(store))


def ask(store: Path, line: str, at: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(run(store, f"tracegrade report {line} --format json", at).out)
    return rows


def test_answers_on_the_page_are_those_of_the_history(store: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert section_of(page, "All reports") == render_answers(store), "run `python -m tests.contract.cookbook`"


@pytest.mark.parametrize(("question", "command", "sql"), QUESTIONS, ids=[question for question, *_ in QUESTIONS])
def test_question_is_answered_by_its_command_and_by_its_sql(
    store: Path, tmp_path: Path, question: str, command: str, sql: str
) -> None:
    line = command
    if RUN in command:
        line = command.replace(RUN, ask(store, "failed", tmp_path)[0]["agent_trace_id"])
    done = run(store, line, tmp_path)
    assert (done.code, done.err) == (0, ""), question
    assert done.text.splitlines()[-1] != "nothing"
    assert run(store, shlex.join(["tracegrade", "sql", sql]), tmp_path).code == 0


def test_what_got_worse_is_the_faulty_agent_since_the_fault_began(store: Path, tmp_path: Path) -> None:
    worse = {(row["agent"], row["measure"]): row for row in ask(store, "worse", tmp_path)}
    errors = worse[FAULTY_AGENT, "failing tool_error"]
    assert errors["change_low"] > 0
    assert errors["since_at"].startswith("2026-01-25T1")
    assert (FAULTY_AGENT, "duration of a run") in worse
    assert {agent for agent, _ in worse} == {FAULTY_AGENT}


def test_version_that_is_worse_is_the_faulty_one(store: Path, tmp_path: Path) -> None:
    rows = {row["evaluator"]: row for row in ask(store, "version_difference", tmp_path)}
    assert (rows["tool_error"]["version"], rows["tool_error"]["finding"]) == (FAULTY_VERSION, "worse")
    assert (rows["all runs"]["version"], rows["all runs"]["finding"]) == (FAULTY_VERSION, "worse")


def test_failing_runs_share_the_faulty_version_and_its_tool(store: Path, tmp_path: Path) -> None:
    shared = {(row["property"], row["value"]) for row in ask(store, "different_in_failing", tmp_path)}
    assert {("version", FAULTY_VERSION), ("tool", FAULTY_TOOL)} <= shared


def test_most_frequent_pattern_is_that_of_the_faulty_tool(store: Path, tmp_path: Path) -> None:
    first, *_ = ask(store, "failure_patterns", tmp_path)
    assert first["tool"] == FAULTY_TOOL
    assert FAULTY_VERSION in first["versions"]
    assert first["first_seen_at"] > "2026-01-25"
