"""Did the tools do their work?"""

from __future__ import annotations

import keyword
from typing import Any

import pytest

from tracegrade.evaluators.checks.tool_error import ToolError
from tracegrade.evaluators.model import AgentTrace, Score, ToolCall
from tracegrade.evaluators.registry import WrongOptions, configure
from tracegrade.evaluators.run import evaluate


def judged(*results: str | ToolCall | None, **options: Any) -> Score:
    calls = [result if isinstance(result, ToolCall) else ToolCall(name="t", result=result) for result in results]
    return ToolError(**options)(AgentTrace(tool_calls=tuple(calls)))


@pytest.mark.parametrize(
    ("result", "detector"),
    [
        pytest.param("done", None, id="text"),
        pytest.param("Error: boom", None, id="text about an error"),
        pytest.param("", None, id="nothing"),
        pytest.param('{"error": "not found"}', "json_error_field", id="an error field"),
        pytest.param(' \n{"error": {"code": 500}}', "json_error_field", id="an error object"),
        pytest.param('{"\\u0065rror": "x"}', "json_error_field", id="an error field in disguise"),
        pytest.param('{"error": null, "data": 1}', None, id="an error field that is null"),
        pytest.param('{"data": {"error": "x"}}', None, id="an error further down"),
        pytest.param('[{"error": "x"}]', None, id="an error in a list"),
        pytest.param('{"error": boom}', None, id="what only looks like JSON"),
        pytest.param('{"isError": true, "content": []}', "mcp_is_error", id="an MCP error"),
        pytest.param('{"is_error": true}', "mcp_is_error", id="an MCP error in snake case"),
        pytest.param('{"isError": false}', None, id="an MCP success"),
        pytest.param('{"success": false}', "success_false", id="no success"),
        pytest.param('{"success": true}', None, id="a success"),
        pytest.param('{"success": "false"}', None, id="a success that is a word"),
    ],
)
def test_one_result(result: str, detector: str | None) -> None:
    score = judged(result)
    assert score.value == (1 if detector is None else 0)
    assert score.details["calls"][0].get("detector") == detector


@pytest.mark.parametrize(
    ("option", "result"),
    [
        ("json_error_field", '{"error": "x"}'),
        ("mcp_is_error", '{"isError": true}'),
        ("success_false", '{"success": false}'),
    ],
)
def test_a_detector_can_be_switched_off(option: str, result: str) -> None:
    assert judged(result).value == 0
    assert judged(result, **{option: False}).value == 1


@pytest.mark.parametrize("result", ["", " \n\t", "\u2003"])
def test_a_blank_result_is_an_error_only_when_asked(result: str) -> None:
    assert judged(result).value == 1
    assert judged(result, blank=True).value == 0


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(ToolCall(name="t", status="error"), id="its status"),
        pytest.param(ToolCall(name="t", error="TimeoutError"), id="its error"),
        pytest.param(ToolCall(name="t", status="error", result="fine"), id="its status against its result"),
    ],
)
def test_a_call_that_is_reported_as_failed_is_an_error(call: ToolCall) -> None:
    assert judged(call).value == 0
    assert judged(call).details["calls"][0]["detector"] == "status"
    assert judged(call, status=False).value != 0


def test_a_result_that_was_not_recorded_is_left_out() -> None:
    score = judged("fine", None, ToolCall(name="t", status="error"))
    assert score.value == 0.5
    assert score.explanation == "1 of 2 calls failed (1 result not recorded): t"


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        pytest.param((), "the agent called no tools", id="no calls"),
        pytest.param((None, None), "no result of a tool call was recorded", id="no results"),
        pytest.param((ToolCall(name="t", status="not_executed"),), "no tool call was executed", id="nothing executed"),
    ],
)
def test_nothing_to_judge_is_skipped(calls: tuple[Any, ...], reason: str) -> None:
    score = judged(*calls)
    assert (score.status, score.value, score.reason) == ("skipped", None, reason)


def test_calls_that_were_never_executed_are_left_out() -> None:
    score = judged("fine", ToolCall(name="t", status="not_executed", error="refused by the user"))
    assert score.value == 1
    assert score.details["calls"][1]["status"] == "not_executed"


def test_patterns_find_errors_in_text() -> None:
    assert judged("HTTP 500 oh", "HTTP 200", pattern="HTTP 5[0-9]{2}").value == 0.5
    assert judged("HTTP 500 oh", "fatal", pattern=["HTTP 5..", "(?i)FATAL"]).value == 0


def test_a_predicate_sees_the_text_of_the_result() -> None:
    assert judged("class", "x", predicate="keyword:iskeyword").value == 0.5
    assert judged("class", "x", predicate=keyword.iskeyword).value == 0.5


def test_a_predicate_is_part_of_what_identifies_the_evaluator() -> None:
    hashes = {configure("tool_error", options={"predicate": path}).config_hash for path in ("math:sqrt", "math:exp")}
    assert len(hashes) == 2


def test_a_predicate_that_fails_is_an_error_of_the_evaluation() -> None:
    evaluator = configure("tool_error", options={"predicate": "math:sqrt"})
    verdict = evaluate(evaluator, AgentTrace(tool_calls=(ToolCall(name="t", result="x"),)))[0]
    assert (verdict.status, verdict.value) == ("error", None)


def test_a_pattern_that_is_none_is_refused_with_its_name() -> None:
    with pytest.raises(WrongOptions, match=r"option 'pattern\.0' of tool_error"):
        configure("tool_error", options={"pattern": "("})


def test_explanation_never_repeats_a_result() -> None:
    assert "4711" not in judged('{"error": "card 4711 refused"}').model_dump_json()


def test_a_long_result_without_a_telling_key_is_not_parsed() -> None:
    assert judged("{" * 5_000_000).value == 1
