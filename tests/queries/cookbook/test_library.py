"""Which reports there are: our own, and those in a folder of the user."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracegrade.queries.cookbook.errors import BadReport, UnknownReport
from tracegrade.queries.cookbook.library import read_library
from tracegrade.queries.cookbook.report import COMMON, Report

REPORTS = [*read_library().reports.values()]
WIDTH = 80
REFUNDS = (
    "-- report:  refunds\n-- purpose: How many refunds were there?\n-- amount:  of this amount\nselect $amount as n"
)


def test_there_are_at_least_twenty_reports() -> None:
    assert len(REPORTS) >= 20
    assert [report.name for report in REPORTS] == sorted(report.name for report in REPORTS)


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_report_says_its_question_in_a_line_and_the_meaning_of_all_its_parameters(report: Report) -> None:
    assert len(report.question) <= WIDTH - max(len(other.name) for other in REPORTS) - 2
    assert report.question.endswith("?")
    assert report.grain
    assert [name for name in report.parameters if not report.meaning(name)] == []


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_header_explains_only_parameters_that_the_select_has(report: Report) -> None:
    keys = {"report", "purpose", "grain", "reads", "note", "period"}
    assert report.file.header.keys() - keys <= {*report.parameters}
    assert report.file.header.keys() & COMMON.keys() <= {*report.parameters}


def test_report_of_the_users_folder_is_found_beside_ours(tmp_path: Path) -> None:
    (tmp_path / "refunds.sql").write_text(REFUNDS)
    (tmp_path / "notes.txt").write_text("not a report")
    library = read_library(tmp_path)
    report = library.find("refunds")
    assert (report.question, report.is_own, report.parameters) == ("How many refunds were there?", True, ("amount",))
    assert len(library.reports) == len(REPORTS) + 1


def test_report_of_the_user_replaces_ours_of_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "worse.sql").write_text(REFUNDS.replace("refunds\n", "worse\n"))
    assert read_library(tmp_path).find("worse").is_own
    assert len(read_library(tmp_path).reports) == len(REPORTS)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param("select 1", "the first line must read `-- report: NAME`", id="no header"),
        pytest.param(REFUNDS, "its header calls it 'refunds'", id="another name"),
        pytest.param("-- report: mine\nselect 1", "no line `-- purpose:", id="no question"),
        pytest.param(
            "-- report: mine\n-- purpose: x?\n-- splices: condition\nselect 1 where\n${condition}\n",
            "in place of `splices`",
            id="splices",
        ),
    ],
)
def test_file_that_is_no_report_is_named_and_keeps_no_other_from_use(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "mine.sql").write_text(text)
    (tmp_path / "refunds.sql").write_text(REFUNDS)
    library = read_library(tmp_path)
    assert library.find("refunds")
    with pytest.raises(BadReport, match=r"mine\.sql") as error:
        library.find("mine")
    assert fault in str(error.value)


def test_unknown_report_is_answered_with_the_nearest_or_with_all() -> None:
    with pytest.raises(UnknownReport, match="did you mean 'worse'"):
        read_library().find("worser")
    with pytest.raises(UnknownReport, match="known here: agent_costs, agreement"):
        read_library().find("xyzzy")


def test_folder_that_cannot_be_listed_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(BadReport, match="missing: the folder of reports cannot be read: No such file"):
        read_library(tmp_path / "missing")
