"""What the tools return."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeAlias

from pydantic import BaseModel, Field

__all__ = [
    "Answer",
    "Explanation",
    "ListedRuns",
    "Question",
    "Questions",
    "Relation",
    "ReportAnswer",
    "Row",
    "Schema",
    "ShownRun",
    "SqlAnswer",
]

Row: TypeAlias = dict[str, Any]
"""Values by column; what is not recorded is left out."""


class Answer(BaseModel):
    """The answer of a tool. `begin` and `end`, its first and last fields, mark what is between them as data."""

    begin: str = Field("", description="the mark that begins the data, and names the one that ends it")
    left_out: list[str] = Field([], description="what is left out, since the answer would be too long")
    end: str = Field("", description="the mark that ends the data")


class ListedRuns(Answer):
    """Runs that a filter selects. Times are UTC."""

    since: datetime
    until: datetime
    count: int = Field(description="how many runs the filter selects; `runs` are the newest of them")
    runs: list[Row]


class ShownRun(Answer):
    """A run with what it did and its scores."""

    run: Row
    tool_calls: list[Row]
    scores: list[Row]
    messages: list[Row]
    sub_runs: list[Row] = Field(description="the runs of its sub-agents")
    shortened: list[str] = Field(description="parts that are too long to be shown as a whole; read them with sql")


class Explanation(Answer):
    """Each run that an id matches, with the state of each evaluator on it, and the traces without a run."""

    runs: list[Row]
    without_runs: list[Row]
    shortened: list[str] = Field(description="which of these lists are too long to be shown as a whole")


class Question(BaseModel):
    """A report: the question that it answers, which common parameters it has, and what its own ones select."""

    name: str
    question: str
    common: list[str]
    own: dict[str, str]
    period: str | None = Field(description="how far back it looks if `since` is not given")


class Questions(Answer):
    """All reports, and what the common parameters select. `faults` are files of the user that cannot be used."""

    common: dict[str, str]
    reports: list[Question]
    faults: list[str]


class SqlAnswer(Answer):
    """The rows of a query."""

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool = Field(description="the query has more rows than these")


class ReportAnswer(SqlAnswer):
    """The rows of a report, and the period that it looked at."""

    question: str
    since: datetime | None
    until: datetime | None
    note: str


class Relation(BaseModel):
    """A table or view. `columns` has their types, for one that was asked for by name."""

    name: str
    purpose: str
    columns: dict[str, str] | None = None


class Schema(Answer):
    """The tables and views that SQL can read, and our functions."""

    relations: list[Relation]
    functions: dict[str, str]
