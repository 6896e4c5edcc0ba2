"""Reports over HTTP: the list, answers in every format, and what is said to who asks wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.api import read_error
from tests.support.api_reads import ask
from tests.support.store import opened

from tracegrade.queries.cookbook.library import read_library

PATH = "/api/v1/reports"


def test_reports_are_listed_with_question_and_parameters(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        shown = {report["name"]: report for report in ask(store, PATH).json()["reports"]}
    assert shown["calls_with"]["question"].endswith("?")
    assert {"since", "tool", "argument", "value"} <= shown["calls_with"]["parameters"].keys()
    assert shown["failed"]["period"] == "24h"


def test_report_is_answered_in_the_format_that_is_asked_for(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1)
        name = f"{PATH}/runs_by_hour"
        rows = ask(store, name, since="2000-01-01", format="json").json()
        table = ask(store, name, since="2000-01-01").json()
        lines = ask(store, name, since="2000-01-01", format="csv").text.splitlines()
    assert [column["name"] for column in table["columns"]] == list(rows[0])
    assert len(lines) == 1 + len(rows)


def test_report_of_the_user_is_listed_and_answered(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "mine.sql").write_text("-- report:  mine\n-- purpose: Who?\nselect $who as who\n", encoding="utf-8")
    (folder / "broken.sql").write_text("select 1\n", encoding="utf-8")
    library = read_library(folder)
    with opened(tmp_path) as store:
        shown = ask(store, PATH, library=library).json()
        answer = ask(store, f"{PATH}/mine", library=library, who="me", format="json").json()
        broken = ask(store, f"{PATH}/broken", library=library)
    assert [report["name"] for report in shown["reports"] if report["is_own"]] == ["mine"]
    assert str(tmp_path) not in shown["faults"]["broken"]
    assert answer == [{"who": "me"}]
    assert read_error(broken)[:2] == (400, "failed")


@pytest.mark.any_duckdb  # 2.0.0 does not say where, if a comment comes first
def test_wrong_sql_of_a_report_says_where(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "mine.sql").write_text("-- report:  mine\n-- purpose: Who?\nselect who\n", encoding="utf-8")
    with opened(tmp_path) as store:
        answer = ask(store, f"{PATH}/mine", library=read_library(folder))
    assert (answer.json()["kind"], answer.json()["line"]) == ("failed", 3)


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        pytest.param("faild", 404, "did you mean 'failed'?", id="unknown report"),
        pytest.param("failed?sinc=7d", 400, "it takes: since, until, agent, version, environment", id="unknown"),
        pytest.param("failed?since=soon", 400, "since", id="no time"),
        pytest.param("failed?max_rows=0", 400, "write 1 or more", id="no rows"),
        pytest.param("failed?since=1d&since=2d", 400, "more than once", id="repeated"),
    ],
)
def test_wrong_question_says_what_would_be_right(tmp_path: Path, path: str, status: int, text: str) -> None:
    with opened(tmp_path) as store:
        answer = ask(store, f"{PATH}/{path}")
    assert read_error(answer)[0] == status
    assert text in read_error(answer)[2]
