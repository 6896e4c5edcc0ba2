"""Prints the report of a gate, and writes it for other programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.text import Text

from tracegrade.evaluators.text.messages import counted
from tracegrade.queries.foreign_text import one_line

from ..errors import Fault
from ..experiments.gate_formats import list_lowest, write_annotations, write_junit, write_markdown
from ..experiments.gate_report import GateReport
from .console import complain, console

__all__ = ["EXIT_CODES", "GateOutput", "show_report"]

EXIT_CODES: Final = {"passed": 0, "failed": 1, "no_data": 3}
_SIGNS: Final = {"passed": ("✓", "green"), "failed": ("✗", "red"), "no_data": ("?", "yellow")}
_RESULTS: Final = {"passed": "passed", "failed": "failed", "no_data": "not decided"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOutput:
    """The files that a report is written to, and whether it is printed for GitHub Actions."""

    junit: Path | None = None
    markdown: Path | None = None
    github: bool = False

    def write(self, report: GateReport) -> None:
        """Write a report. Raises Fault if a file cannot be written."""
        _write(self.junit, write_junit, report)
        _write(self.markdown, write_markdown, report)
        if self.github and report.result.status != "passed":
            complain(write_annotations(report).rstrip())  # beside the JSON of standard output; the runner reads both


def show_report(report: GateReport) -> None:
    """Print the checks, with the lowest scores behind those that failed."""
    console().print(f"gate: {one_line(report.about)}", markup=False)
    if report.warning is not None:
        console().print(f"warning: {report.warning}", markup=False)
    width = max(len(check.evaluator) for check in report.result.checks)
    for check in report.result.checks:
        sign, style = _SIGNS[check.status]
        line = Text.assemble((sign, style), f" {check.evaluator:<{width}}  {one_line(check.message)}")
        console().print(line, soft_wrap=True)
        for score in list_lowest(report, check):
            console().print(Text(f"    {score}"), soft_wrap=True)
    console().print(_conclude(report), markup=False)


def _conclude(report: GateReport) -> str:
    statuses = [check.status for check in report.result.checks]
    counts = ", ".join(f"{statuses.count(status):,} {word}" for status, word in _RESULTS.items() if status in statuses)
    return f"{_RESULTS[report.result.status]}: {counts} of {counted(len(statuses), 'check')}"


def _write(path: Path | None, write: Callable[[GateReport], str], report: GateReport) -> None:
    if path is None:
        return
    try:
        path.write_text(write(report), encoding="utf-8")
    except OSError as error:
        raise Fault(f"{path} cannot be written: {error.strerror}") from error
