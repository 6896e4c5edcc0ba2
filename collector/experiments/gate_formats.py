"""Reports of a gate for other programs: JSON, JUnit XML, Markdown, and annotations of GitHub Actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final
from xml.etree import ElementTree as ET

from tracegrade.evaluators.experiments.gate import Check, describe_unscored
from tracegrade.evaluators.text.messages import shortened
from tracegrade.queries.foreign_text import escape_markdown, one_line, without_controls

from .gate_report import GateReport, LowScore

__all__ = ["build_json", "list_lowest", "write_annotations", "write_junit", "write_markdown"]

_SIGNS: Final = {"passed": "✅", "failed": "❌", "no_data": "⚠️"}
_WORDS: Final = {"passed": "passed", "failed": "failed", "no_data": "not decided: too few scores"}
_MOST_CHARACTERS: Final = 200


def build_json(report: GateReport) -> dict[str, Any]:
    """Build the report as a value for JSON."""
    return {
        "status": report.result.status,
        "about": report.about,
        "warning": report.warning,
        "checks": [
            {**asdict(check), "lowest": [asdict(score) for score in _lowest_of(report, check)]}
            for check in report.result.checks
        ],
    }


def write_junit(report: GateReport) -> str:
    """Write JUnit XML, a test case for each check, as the schema of Jenkins' xUnit plugin has it.

    A check without data is an error, since nothing was tested.
    https://github.com/jenkinsci/xunit-plugin/blob/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd
    """
    statuses = [check.status for check in report.result.checks]
    counts = {
        "tests": str(len(statuses)),
        "failures": str(statuses.count("failed")),
        "errors": str(statuses.count("no_data")),
    }
    suites = ET.Element("testsuites", {"name": "tracegrade gate", **counts})
    name = "; ".join(filter(None, (report.about, report.warning)))
    suite = ET.SubElement(suites, "testsuite", {"name": name, **counts})
    for check in report.result.checks:
        case = ET.SubElement(suite, "testcase", {"classname": check.evaluator, "name": check.statistic, "time": "0"})
        if check.status != "passed":
            kind = "failure" if check.status == "failed" else "error"
            fault = ET.SubElement(case, kind, {"message": check.message, "type": check.status})
            fault.text = "\n".join([check.message, *list_lowest(report, check)])
        else:
            ET.SubElement(case, "system-out").text = check.message
    for element in suites.iter():
        element.text = None if element.text is None else without_controls(element.text)
        element.attrib.update({name: without_controls(value) for name, value in element.attrib.items()})
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'


def write_markdown(report: GateReport) -> str:
    """Write a summary for a pull request."""
    lines = [
        f"## {_SIGNS[report.result.status]} Gate {_WORDS[report.result.status]}",
        "",
        escape_markdown(report.about),
        *([] if report.warning is None else ["", f"⚠️ {report.warning}"]),
        "",
        "| | evaluator | statistic | value | n | limit | baseline | change (95 %) |",
        "| --- | --- | --- | ---: | ---: | --- | ---: | --- |",
        *(f"| {' | '.join(_build_cells(check))} |" for check in report.result.checks),
    ]
    for check in report.result.checks:
        if check.status != "passed":
            lines += ["", f"**{escape_markdown(check.evaluator)}**: {escape_markdown(check.message)}"]
        if lowest := list(list_lowest(report, check)):
            lines += ["", "````text", *lowest, "````"]  # in which foreign text neither links nor mentions anybody
    return "\n".join(lines).rstrip() + "\n"


def write_annotations(report: GateReport) -> str:
    """Write an annotation of GitHub Actions for each check that did not pass.

    https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
    """
    return "".join(
        f"::error title={_escape_property(f'Gate: {check.evaluator}')}::"
        f"{_escape_data(chr(10).join([check.message, *list_lowest(report, check)]))}\n"
        for check in report.result.checks
        if check.status != "passed"
    )


def _lowest_of(report: GateReport, check: Check) -> Sequence[LowScore]:
    return report.lowest.get(check.evaluator, ()) if check.status == "failed" else ()


def list_lowest(report: GateReport, check: Check) -> Iterator[str]:
    """Yield a line for each of the lowest scores behind a check that failed."""
    for score in _lowest_of(report, check):
        value = "-" if score.value is None else f"{score.value:.2f}"
        explanation = shortened(one_line(score.explanation or ""), _MOST_CHARACTERS)
        yield " ".join(filter(None, (score.target_id, value, explanation)))


def _build_cells(check: Check) -> Iterator[str]:
    yield _SIGNS[check.status]
    yield escape_markdown(check.evaluator)
    yield check.statistic.replace("_", " ")
    yield "" if check.value is None else f"{check.value:.3f}"
    yield f"{check.n:,}{''.join(_describe_others(check))}"
    yield ", ".join(_describe_limits(check))
    yield "" if check.baseline is None else f"{check.baseline:.3f} ({check.baseline_n:,})"
    yield _describe_change(check)


def _describe_others(check: Check) -> Iterator[str]:
    """Yield how many scores are missing, and how many targets have none."""
    if check.n < check.min_n:
        yield f" of {check.min_n:,}"
    if others := describe_unscored(check):
        yield f" ({others})"


def _describe_limits(check: Check) -> Iterator[str]:
    if check.minimum is not None:
        yield f"≥ {check.minimum:g}"
    if check.max_drop is not None:
        yield f"drop ≤ {check.max_drop:g}"


def _describe_change(check: Check) -> str:
    if check.change is None:
        return ""
    interval = "" if check.interval is None else f" ({check.interval.low:+.3f} to {check.interval.high:+.3f})"
    return f"{check.change:+.3f}{interval}"


def _escape_data(text: str) -> str:
    return without_controls(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")
