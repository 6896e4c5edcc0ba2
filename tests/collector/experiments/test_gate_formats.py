"""Reports of a gate are what other programs expect, whatever is in the scores."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import orjson
import pytest
from xmlschema import XMLSchema

from tracegrade.collector.experiments.gate_formats import (
    build_json,
    write_annotations,
    write_junit,
    write_markdown,
)
from tracegrade.collector.experiments.gate_report import GateReport, LowScore
from tracegrade.evaluators.experiments.gate import Figures, Thresholds, decide

SCHEMA = Path(__file__).with_name("junit.xsd")
HOSTILE = 'a|b <b>c</b> `d` ]]> "e" 100%\n::warning::x @you\x1b[31m\u202e\ufffe'
GOOD = Figures(valued=10, mean=0.9, decided=10, passed=9, skipped=1)
POLITE = "pass rate 90% of 10; before 90% of 10, change +0 points (95 %: -31.5 to +31.5); 1 skipped"


def report(explanation: str = "it shouted", about: str = "all runs") -> GateReport:
    """A check that passes, one that fails, and one without data."""
    thresholds = {
        "tool_error": Thresholds(min_mean=0.5),
        "polite": Thresholds(min_pass_rate=0.95, max_pass_rate_drop=0.1),
        "absent": Thresholds(min_mean=0.5),
    }
    result = decide(thresholds, {"tool_error": GOOD, "polite": GOOD}, {"polite": GOOD})
    return GateReport(result, {"polite": [LowScore("00-01#2", 0.2, explanation)]}, about)


def test_json_has_every_check_with_its_lowest_scores() -> None:
    value = json.loads(orjson.dumps(build_json(report())))
    assert (value["status"], value["about"]) == ("failed", "all runs")
    assert [(check["evaluator"], check["status"]) for check in value["checks"]] == [
        ("tool_error", "passed"),
        ("polite", "failed"),
        ("absent", "no_data"),
    ]
    assert value["checks"][1]["lowest"] == [{"target_id": "00-01#2", "value": 0.2, "explanation": "it shouted"}]
    assert (value["checks"][1]["n"], value["checks"][1]["minimum"], value["checks"][0]["lowest"]) == (10, 0.95, [])


@pytest.mark.parametrize("explanation", ["it shouted", HOSTILE], ids=["plain", "hostile"])
def test_junit_is_valid(explanation: str) -> None:
    XMLSchema(SCHEMA).validate(write_junit(report(explanation)))


def test_junit_has_a_case_for_each_check() -> None:
    suites = ET.fromstring(write_junit(report()).partition("\n")[2])
    assert {name: suites.get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "3",
        "failures": "1",
        "errors": "1",
    }
    cases = {case.get("classname"): case for case in suites.iter("testcase")}
    assert [child.tag for case in cases.values() for child in case] == ["system-out", "failure", "error"]
    (failure,) = cases["polite"]
    assert failure.get("message") == f"{POLITE}: at least 95%"
    assert (failure.text or "").splitlines()[1:] == ["00-01#2 0.20 it shouted"]


def test_markdown_is_a_table_with_what_failed_below() -> None:
    lines = write_markdown(report()).splitlines()
    assert lines[0] == "## ❌ Gate failed"
    figures = "0.900 | 10 (1 skipped) | ≥ 0.95, drop ≤ 0.1 | 0.900 (10) | +0.000 (-0.315 to +0.315)"
    assert f"| ❌ | polite | pass rate | {figures} |" in lines
    assert "| ⚠️ | absent | mean |  | 0 of 1 | ≥ 0.5 |  |  |" in lines
    assert lines[lines.index("````text") + 1] == "00-01#2 0.20 it shouted"


def test_annotations_name_what_did_not_pass() -> None:
    assert write_annotations(report()).splitlines() == [
        f"::error title=Gate%3A polite::{POLITE.replace('%', '%25')}: at least 95%25%0A00-01#2 0.20 it shouted",
        "::error title=Gate%3A absent::no scores of absent (known here: polite, tool_error)",
    ]


def test_warning_is_in_every_report() -> None:
    warned = replace(report(), warning="7 scores of the gate are in the baseline, too")
    assert build_json(warned)["warning"] == warned.warning
    assert all(str(warned.warning) in text for text in (write_junit(warned), write_markdown(warned)))


def test_foreign_text_stays_text() -> None:
    hostile = report(HOSTILE, about=HOSTILE)
    suites = ET.fromstring(write_junit(hostile).partition("\n")[2])
    (failure,) = suites.iter("failure")
    assert "<b>c</b>" in (failure.text or "")
    annotations = write_annotations(hostile)
    assert [line.startswith("::error title=Gate") for line in annotations.splitlines()] == [True, True]
    markdown = write_markdown(hostile)
    table, _, below = markdown.partition("````text\n")
    assert "<b>" not in table
    assert below.splitlines()[1] == "````"
    for text in (markdown, annotations, write_junit(hostile)):
        assert not set("\x1b\u202e\ufffe") & set(text)


@pytest.mark.parametrize(
    ("figures", "status"),
    [({"polite": GOOD}, "passed"), ({}, "not decided: too few scores")],
    ids=["passed", "no data"],
)
def test_heading_says_how_the_gate_ended(figures: dict[str, Any], status: str) -> None:
    result = decide({"polite": Thresholds(min_mean=0.5)}, figures)
    assert status in write_markdown(GateReport(result, {}, "all runs")).splitlines()[0]
