"""The page of the reports has every report, and ten questions that are answered in a line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.contract.cookbook import (
    PAGE,
    QUESTIONS,
    render_parameters,
    render_questions,
    section_of,
)

from tracegrade.queries.cookbook.library import read_library

LONGEST_LINE = 80
TEXT = PAGE.read_text(encoding="utf-8")
MADE = "run `python -m tests.contract.cookbook`"


def test_questions_and_parameters_on_the_page_are_those_of_the_reports() -> None:
    assert section_of(TEXT, "Ten questions") == render_questions(), MADE
    assert section_of(TEXT, "Parameters") == render_parameters(), MADE


def test_every_report_is_on_the_page() -> None:
    headings = [line.removeprefix("### ").strip("`") for line in TEXT.splitlines() if line.startswith("### ")]
    assert headings == [*read_library().reports], MADE


def test_report_of_the_users_folder_that_the_page_shows_can_be_used(tmp_path: Path) -> None:
    example = section_of(TEXT, "Your own reports").partition("```sql\n")[2].partition("```")[0]
    (tmp_path / "refunds.sql").write_text(example)
    report = read_library(tmp_path).find("refunds")
    assert (report.parameters, report.meaning("least")) == (
        ("since", "until", "least"),
        "only refunds of at least this amount",
    )


@pytest.mark.parametrize(("question", "command", "sql"), QUESTIONS, ids=[question for question, *_ in QUESTIONS])
def test_question_is_answered_in_one_line(question: str, command: str, sql: str) -> None:
    assert question.endswith("?")
    assert len(command) <= LONGEST_LINE
    assert len(sql) <= LONGEST_LINE
