"""The tools about reports."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tracegrade.queries.cookbook.report import COMMON
from tracegrade.queries.result import plain_rows

from ..clock import utc_now
from ..reports.cookbook import answer, ask
from .access import Access, explaining
from .answers import Question, Questions, ReportAnswer
from .shown import fit

__all__ = ["ReportTools"]

_MOST_ROWS = 200

Choice = Annotated[str, Field(description="only runs with this one; empty: all")]


class ReportTools:
    """Lists the reports, and answers one."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def reports(self) -> Questions:
        """List the reports: questions about runs in production that are answered by name, each with its parameters."""
        library = self._access.library()
        return Questions(
            common=COMMON,
            reports=[
                Question(
                    name=report.name,
                    question=report.question,
                    common=[name for name in report.parameters if name in COMMON],
                    own={name: report.meaning(name) for name in report.parameters if name not in COMMON},
                    period=report.period,
                )
                for report in library.reports.values()
            ],
            faults=list(library.faults.values()),
        )

    def report(  # noqa: PLR0913 - each is an argument of the tool
        self,
        name: Annotated[str, Field(description="name of the report, as `reports` lists it")],
        *,
        since: Annotated[
            str, Field(description="7d, 12h, yesterday, or a time in ISO 8601 (UTC); empty: default")
        ] = "",
        until: Annotated[str, Field(description="as since; empty: now")] = "",
        agent: Choice = "",
        version: Choice = "",
        environment: Choice = "",
        parameters: Annotated[
            dict[str, str] | None, Field(description="own parameters of this report, such as tool")
        ] = None,
    ) -> ReportAnswer:
        """Answer a question by its report: what failed (failed), got worse (worse), costs (agent_costs), and others."""
        common = {"since": since, "until": until, "agent": agent, "version": version, "environment": environment}
        given = {**{key: value for key, value in common.items() if value}, **(parameters or {})}
        with explaining():
            asked = ask(self._access.library(), name, given, now=utc_now())
        with self._access.reading(max_rows=_MOST_ROWS) as source:
            answered = answer(source.read, asked)
        rows, is_cut = fit(plain_rows(answered.result))
        return ReportAnswer(
            question=answered.report.question,
            note=answered.report.note,
            since=answered.filled.since,
            until=answered.filled.until,
            columns=[column.name for column in answered.result.columns],
            rows=rows,
            truncated=is_cut or answered.result.truncated,
        )
