from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.__main__ import DATA, examine, main
from tests.conformance.cases import Case, cases, files
from tests.conformance.declared import DEFECTS
from tests.conformance.families import NOT_YET

ASKED = [file for file in files([DATA]) if not all(case["evaluator"] in NOT_YET for case in cases(file))]
CASE: Case = {
    "id": "one",
    "evaluator": "ragas.tool_call_f1",
    "options": {},
    "actual_tool_calls": [{"name": "a", "args": {}}],
    "expected_tool_calls": [{"name": "a", "args": {}}],
    "expected": {"score": 1.0},
}


def write_cases(folder: Path, *told: Any) -> Path:
    path = folder / "cases.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in told), encoding="utf-8")
    return path


@pytest.mark.parametrize("file", ASKED, ids=lambda file: file.stem)
def test_answers_are_those_of_the_peer_or_its_defect_is_declared(file: Path) -> None:
    findings = [examine(case) for case in cases(file)]
    assert [(one.case["id"], one.differs) for one in findings if one.is_failure] == []
    assert any(one.not_asked is None for one in findings)


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.reason)
def test_declared_defect_explains_a_few_cases_and_not_most(defect: Any) -> None:
    told = [case for file in ASKED for case in cases(file) if case["evaluator"] == defect.evaluator]
    seen = sum(examine(case).defect == defect.reason for case in told)
    assert seen < len(told) / 2


def test_runner_ends_with_0_and_counts_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(write_cases(tmp_path, CASE)), "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["families"]["ragas.tool_call_f1"] == {"passed": 1, "failed": 0, "declared": 0, "not_asked": 0}


@pytest.mark.parametrize(
    "expected",
    [{"score": 0.5}, {"score": None, "error": "refused"}, {"score": 1.0, "passed": False}],
    ids=["another score", "a refusal", "another score"],
)
def test_runner_ends_with_1_and_names_what_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], expected: Any
) -> None:
    assert main([str(write_cases(tmp_path, {**CASE, "expected": expected}))]) == 1
    assert capsys.readouterr().out.startswith("one: ")


def test_runner_ends_with_3_when_nothing_was_asked(tmp_path: Path) -> None:
    assert main([str(write_cases(tmp_path, {**CASE, "evaluator": "nobody.nothing"}))]) == 3


def test_runner_names_the_line_that_is_no_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(write_cases(tmp_path, CASE, {"id": "two"}))]) == 2
    assert "line 2" in capsys.readouterr().err
