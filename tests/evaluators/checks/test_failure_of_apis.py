"""Errors and answers as the APIs of services write them, in JSON, XML and text; names and numbers are invented."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tracegrade.evaluators.checks.failure import FailureRules
from tracegrade.evaluators.model import ToolCall

CASES = [json.loads(line) for line in Path(__file__).with_name("answers_of_apis.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["tool"])
def test_answer_of_an_api_fails_if_it_is_an_error(case: dict[str, object]) -> None:
    result = case["result"] if isinstance(case["result"], str) else json.dumps(case["result"])
    failure = FailureRules().failure_of(ToolCall(name=str(case["tool"]), args={"a": 1}, result=result))
    assert (failure is not None and not failure.is_program) == case["fails"]
