"""`tracegrade report` on a store that no server holds."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from tests.support import agent_spans
from tests.support.command import Done, inside

OWN = (
    "-- report:  slow\n-- purpose: Which runs were slow?\n-- least:   seconds\nselect $least::int as least_s from runs"
)


MANY = "-- report:  many\n-- purpose: Which numbers are there?\nselect i, repeat('x', 9) as text from range(12000) r(i)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of two runs and a configuration."""
    folder = tmp_path_factory.mktemp("reports")
    (folder / "tracegrade.yaml").write_text("reports: questions\n")
    (folder / "questions").mkdir()
    (folder / "questions" / "slow.sql").write_text(OWN)
    (folder / "questions" / "many.sql").write_text(MANY)
    for number in (1, 2):
        (folder / f"{number}.pb").write_bytes(agent_spans.export_request(agent_spans.trip(number)))
    assert inside("import", "1.pb", "2.pb", at=folder).code == 0
    return folder


def report(folder: Path, *words: str) -> Done:
    return inside("report", *words, at=folder)


def test_without_a_name_all_reports_are_listed_in_a_line_each(folder: Path) -> None:
    done = report(folder)
    assert (done.code, done.err) == (0, "")
    lines = done.text.splitlines()
    assert "worse                 What got worse than before, by how much, since when?" in lines
    assert "slow                  Which runs were slow?" in lines
    assert max(map(len, lines)) <= 80


def test_list_in_json_has_the_parameters_with_their_meaning(folder: Path) -> None:
    by_name = {entry["name"]: entry for entry in json.loads(report(folder, "--format", "json").out)}
    assert by_name["slow"] == {
        "name": "slow",
        "question": "Which runs were slow?",
        "is_own": True,
        "period": None,
        "parameters": {"least": "seconds"},
    }
    assert by_name["failed"]["period"] == "24h"
    assert by_name["calls_with"]["parameters"]["tool"] == "calls of this tool"


def test_table_says_the_question_and_has_numbers_with_their_unit(folder: Path) -> None:
    done = report(folder, "slowest_tools", "--since", "2020-01-01", "--until", "2100-01-01")
    assert (done.code, done.err) == (0, "")
    assert done.text.startswith("Which tools are the slowest? (2020-01-01 00:00 to 2100-01-01 00:00 UTC)\n")
    assert "only 2" in done.text
    assert " s │" in done.text


def test_expanded_answer_has_a_column_a_line(folder: Path) -> None:
    lines = report(folder, "versions", "--since", "2020-01-01", "-x").text.splitlines()
    assert "n                  2" in lines
    assert "failing_rate       0 of 2" in lines


def test_answer_without_rows_is_nothing(folder: Path) -> None:
    assert report(folder, "worse", "--since", "2020-01-01").text.splitlines()[-1] == "nothing"


def test_json_and_csv_have_raw_numbers(folder: Path) -> None:
    words = ("versions", "--since", "2020-01-01")
    (row,) = json.loads(report(folder, *words, "--format", "json").out)
    assert (row["n"], row["failing_rate"], row["remark"]) == (2, 0.0, "only 2")
    (line,) = csv.DictReader(io.StringIO(report(folder, *words, "--format", "csv").text))
    assert (line["n"], line["failing_rate"], line["p50_ms"]) == ("2", "0.0", str(row["p50_ms"]))


def test_markdown_is_a_table_with_numbers_for_people(folder: Path) -> None:
    head, rule, row = report(folder, "versions", "--since", "2020-01-01", "--format", "markdown").text.splitlines()
    assert head.startswith("| agent | version | prompt | first_run_at |")
    assert rule.startswith("| --- | --- | --- | --- | --- | ---: | ---: |")
    assert "| 2 | 0 of 2 |" in row


def test_file_has_all_rows_and_what_is_laid_out_says_how_many_it_shows(folder: Path) -> None:
    assert len(json.loads(report(folder, "many", "--format", "json").out)) == 12_000
    assert len(report(folder, "many", "--format", "csv").text.splitlines()) == 12_001
    done = report(folder, "many", "--format", "markdown")
    assert len(done.text.splitlines()) == 10_002
    assert "only the first 10,000 rows are shown: --format csv writes all" in done.err


def test_report_of_the_users_folder_takes_its_own_parameters(folder: Path) -> None:
    assert json.loads(report(folder, "slow", "--least", "3", "--format", "json").out) == [{"least_s": 3}] * 2
    assert json.loads(report(folder, "slow", "--least=4", "--format", "json").out) == [{"least_s": 4}] * 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["wrse"], "there is no report 'wrse' (did you mean 'worse'?)", id="report"),
        pytest.param(["worse", "--tool", "x"], "it takes: since, until, agent, version, environment", id="parameter"),
        pytest.param(["slow", "--agent", "x"], "report slow has no parameter 'agent'; it takes: least", id="common"),
        pytest.param(["worse", "--since", "soon"], "since: 'soon' is not a time", id="time"),
        pytest.param(["slow", "--least"], "--least has no value", id="no value"),
        pytest.param(["worse", "failed"], "one report at a time: worse or failed?", id="two"),
        pytest.param(
            ["worse", "-x", "--format", "csv"], "--expanded prints a table; leave out --format csv", id="both"
        ),
        pytest.param(["--format", "csv"], "the list of reports is a table or json", id="format of the list"),
        pytest.param(["--agent", "x"], "--agent: of which report?", id="no report"),
        pytest.param(["slow", "--least", "many"], "Could not convert string 'many' to INT32", id="value"),
    ],
)
def test_wrong_words_are_answered_with_the_right_ones(folder: Path, words: list[str], message: str) -> None:
    done = report(folder, *words)
    assert (done.code, done.out) == (2, b"")
    assert message in done.err


def test_report_of_the_user_may_only_read(folder: Path) -> None:
    file = folder / "questions" / "bad.sql"
    file.write_text("-- report:  bad\n-- purpose: May this write?\ndelete from spans")
    done = report(folder, "bad")
    file.unlink()
    assert done.code == 2
    assert "DELETE is refused" in done.err


def test_file_that_is_no_report_is_named_behind_the_list(folder: Path) -> None:
    file = folder / "questions" / "broken.sql"
    file.write_text("select 1")
    done = report(folder)
    file.unlink()
    assert done.code == 0
    assert "questions/broken.sql: the first line must read `-- report: NAME`" in done.err


def test_folder_that_a_setting_names_has_to_exist(folder: Path) -> None:
    done = inside("report", at=folder, TRACEGRADE_REPORTS="elsewhere")
    assert done.code == 2
    assert "elsewhere: the folder of reports cannot be read: No such file or directory" in done.err


def test_folder_beside_the_configuration_is_found_from_elsewhere(folder: Path, tmp_path: Path) -> None:
    done = inside("report", "--config", folder / "tracegrade.yaml", at=tmp_path)
    assert "Which runs were slow?" in done.text
