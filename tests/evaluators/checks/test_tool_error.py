"""Did the tools do their work?"""

from __future__ import annotations

import json
import keyword
import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.checks.tool_error import ToolError
from tracegrade.evaluators.definition.registry import WrongOptions
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.model import AgentTrace, LlmCall, Score, ToolCall


def score_of(*results: object, **options: Any) -> Score:
    """The score of a run; what is not a call is the result of one of a tool that may do anything."""
    return ToolError(**options)(AgentTrace(tool_calls=tuple(map(_call, results))))


def _call(result: object) -> ToolCall:
    if isinstance(result, ToolCall):
        return result
    is_text = result is None or isinstance(result, str)
    return ToolCall(name="act", result=result if is_text else json.dumps(result))


def rule_of(tool: str, result: object, **args: Any) -> str | None:
    """The rule by which a call of `tool` counts as failed."""
    text = result if isinstance(result, str) else json.dumps(result)
    score = score_of(ToolCall(name=tool, args=args, result=text))
    rule: str | None = score.details["calls"][0].get("rule")
    return rule


@pytest.mark.parametrize(
    ("result", "rule"),
    [
        pytest.param("done", None, id="text"),
        pytest.param("", None, id="nothing"),
        pytest.param({"error": "not found"}, "error_field", id="an error field"),
        pytest.param(' \n{"error": {"code": 500}}', "error_field", id="an error object"),
        pytest.param('{"\\u0065rror": "x"}', "error_field", id="an error field in disguise"),
        pytest.param("{'error': 'denied', 'at': None}", "error_field", id="the repr of a dict"),
        pytest.param({"result": {"error": "x"}}, "error_field", id="an error in an envelope"),
        pytest.param([{"type": "text", "text": '{"error": "x"}'}], "error_field", id="an error in MCP content"),
        pytest.param({"errorMessage": "x", "errorType": "KeyError"}, "error_field", id="an error of AWS Lambda"),
        pytest.param({"jsonrpc": "2.0", "error": {"code": -32601}}, "error_field", id="an error of JSON-RPC"),
        pytest.param({"error": False, "data": 1}, None, id="an error that is false"),
        pytest.param({"error": None, "data": 1}, None, id="an error that is null"),
        pytest.param({"error": "", "data": 1}, None, id="an error that is empty"),
        pytest.param({"error": 0, "data": 1}, None, id="an error that is zero"),
        pytest.param({"error": [], "errors": []}, None, id="errors that are empty"),
        pytest.param({"error": "none"}, None, id="an error that says none"),
        pytest.param({"mean": 3.1, "error": 0.02}, None, id="a standard error"),
        pytest.param({"data": {"error": "x"}, "n": 1}, None, id="an error further down"),
        pytest.param('{"error": boom}', None, id="what only looks like JSON"),
        pytest.param({"isError": True, "content": []}, "mcp_is_error", id="an MCP error"),
        pytest.param({"is_error": True}, "mcp_is_error", id="an MCP error in snake case"),
        pytest.param({"isError": False, "content": []}, None, id="an MCP success"),
        pytest.param({"success": False, "message": "no"}, "success_false", id="no success"),
        pytest.param({"ok": False, "reason": "no"}, "success_false", id="not ok"),
        pytest.param({"success": "false"}, "success_false", id="a success that is false in words"),
        pytest.param({"success": "true"}, None, id="a success in words"),
        pytest.param({"status": "error", "message": "no"}, "status_field", id="the status error"),
        pytest.param({"status": "Failed"}, "status_field", id="the status failed"),
        pytest.param({"status": "done"}, None, id="the status done"),
        pytest.param({"errors": ["row 3"]}, "errors_field", id="errors"),
        pytest.param({"errors": 0}, None, id="a count of errors"),
        pytest.param({"data": None, "errors": [{"message": "x"}]}, "errors_field", id="GraphQL without data"),
        pytest.param({"data": {"a": None}, "errors": [{}]}, "errors_field", id="GraphQL with empty data"),
        pytest.param({"data": {"a": 1}, "errors": [{"message": "x"}]}, None, id="GraphQL with data"),
        pytest.param([{"error": "x"}, {"error": "y"}], "error_list", id="a list of errors"),
        pytest.param([{"message": "x", "errorCode": "Y"}], "error_list", id="a list of error codes"),
        pytest.param([{"error": "x"}, {"id": 1}], None, id="a list with an error"),
        pytest.param({"statusCode": 503, "body": "x"}, "http_status", id="an HTTP status"),
        pytest.param({"type": "about:blank", "status": 404, "title": "x"}, "http_status", id="problem details"),
        pytest.param({"status": 200}, None, id="an HTTP success"),
        pytest.param({"code": 429, "message": "slow down"}, "http_status", id="an HTTP code"),
        pytest.param({"code": 421, "city": "Metz"}, None, id="a code of something else"),
        pytest.param({"code": 14, "message": "x", "details": []}, "grpc_status", id="a gRPC status"),
        pytest.param({"code": "NOT_FOUND", "message": "x"}, "grpc_status", id="a gRPC status by name"),
        pytest.param({"code": 0, "message": "x"}, None, id="the gRPC status OK"),
        pytest.param("Error: flight not available", "error_text", id="a message"),
        pytest.param("### Error\nRef e957 not found", "error_text", id="a message under a heading"),
        pytest.param({"error": "", "response": "Error: no"}, "error_text", id="a message beside an empty error"),
        pytest.param({"content": "Error: flight not available"}, "error_text", id="a message in an envelope"),
        pytest.param("PaymentError: no", "exception_text", id="an exception"),
        pytest.param("HTTP 503", "http_text", id="an HTTP status as text"),
        pytest.param("Unknown tool: x", "unknown_tool", id="an unknown tool"),
    ],
)
def test_one_result(result: object, rule: str | None) -> None:
    score = score_of(result)
    assert score.details["calls"][0].get("rule") == rule
    assert (score.value, score.passed) == ((1, True) if rule is None else (0, False))


@pytest.mark.parametrize(
    ("tool", "result", "rule"),
    [
        pytest.param("get_job", {"id": "j1", "status": "failed", "error": "OOM"}, None, id="a job that failed"),
        pytest.param("get_job", {"error": "no such job"}, "error_field", id="a job that is not there"),
        pytest.param("start_job", {"id": "j1", "status": "failed"}, "status_field", id="a job that did not start"),
        pytest.param("check_url", {"url": "http://x", "status_code": 404}, None, id="a probe of an address"),
        pytest.param("fetch_url", {"status": 404, "body": ""}, "http_status", id="a page that is not there"),
        pytest.param(
            "validate_iban", {"valid": False, "errors": ["checksum"]}, None, id="a validator that finds fault"
        ),
        pytest.param("validate_iban", "Invalid: checksum", None, id="a validator's word"),
        pytest.param("validate_iban", "Error: the service is unavailable", "error_text", id="a validator that is down"),
        pytest.param("search_logs", [{"error": "x"}], None, id="a search of logs"),
        pytest.param("search_docs", "Error: 42 " + "means this. " * 50, None, id="a document"),
        pytest.param("read_file", "Error: no such file", "error_text", id="a file that is not there"),
        pytest.param("load_dataset", "Traceback (most recent call last):\nX: y", "exception_text", id="no document"),
        pytest.param("calculate", "Error: division by zero", "error_text", id="a calculation"),
    ],
)
def test_the_kind_of_work_decides_what_a_result_means(tool: str, result: object, rule: str | None) -> None:
    assert rule_of(tool, result) == rule


OUTCOME = {"resourceType": "OperationOutcome"}


@pytest.mark.parametrize(
    ("result", "rule"),
    [
        pytest.param(
            {"StatusCode": 200, "FunctionError": "Unhandled", "Payload": "{}"}, "error_field", id="a function"
        ),
        pytest.param({"faultCode": 4, "faultString": "denied"}, "error_field", id="a fault"),
        pytest.param({"resultCode": 17, "resultMessage": "no stock"}, "error_field", id="a result code"),
        pytest.param({"resultCode": "0000", "resultMessage": "no stock left"}, None, id="a result code of zeros"),
        pytest.param({"resultCode": 200, "resultMessage": "created"}, None, id="a result code of success"),
        pytest.param({"errcode": 40013, "errmsg": "invalid appid"}, "error_field", id="an error code"),
        pytest.param({"errno": "110", "msg": "timed out"}, "error_field", id="an error number in words"),
        pytest.param({"errcode": 0, "errmsg": "ok"}, None, id="the error code 0"),
        pytest.param({"code": -1, "msg": "denied"}, "error_field", id="a code below 0"),
        pytest.param({"code": -1, "msg": "cold", "celsius": -1}, None, id="a number below 0 beside facts"),
        pytest.param({"ok": 0, "errmsg": "denied"}, "success_false", id="a success of 0"),
        pytest.param({"success": 0, "pending": 3}, None, id="a count of successes"),
        pytest.param({"retcode": 3}, None, id="a code without a message"),
        pytest.param({"__type": "com.x#NotFoundException", "message": "no"}, "error_field", id="an exception of AWS"),
        pytest.param({"__type": "Order", "message": "no"}, None, id="a type that is not an exception"),
        pytest.param({"detail": "Not authenticated"}, "error_field", id="a refusal of FastAPI"),
        pytest.param({"detail": [{"loc": ["a"], "msg": "missing"}]}, "error_field", id="faulty arguments in FastAPI"),
        pytest.param({"detail": "Order shipped"}, None, id="a detail"),
        pytest.param({"detail": "Not found", "order": 7}, None, id="a detail beside facts"),
        pytest.param({"hasError": True}, "errors_field", id="has an error"),
        pytest.param({"hasError": False}, None, id="has no error"),
        pytest.param({"validationErrors": [{"field": "a"}]}, "errors_field", id="validation errors"),
        pytest.param({"validationErrors": []}, None, id="no validation errors"),
        pytest.param(OUTCOME | {"issue": [{"severity": "fatal"}]}, "errors_field", id="a FHIR outcome that is fatal"),
        pytest.param(OUTCOME | {"issue": [{"severity": "information"}]}, None, id="a FHIR outcome that informs"),
        pytest.param({"errors": {"mae": 0.2, "rmse": 1}}, None, id="errors that are measures"),
        pytest.param({"errors": [0.1, 0.3]}, None, id="a list of measures"),
        pytest.param({"responseStatus": "ERROR"}, "status_field", id="a response status"),
        pytest.param({"stat": "fail", "code": 1, "message": "no"}, "status_field", id="a stat"),
        pytest.param({"stat": "ok", "code": 0}, None, id="a stat that is fine"),
        pytest.param({"status": "rejected", "message": "limit"}, "status_field", id="a rejected request"),
        pytest.param({"id": "o1", "status": "rejected", "message": "limit"}, None, id="a rejected order"),
        pytest.param({"meta": {"status": 404}, "response": []}, "http_status", id="an HTTP status in meta"),
        pytest.param({"meta": {"status": 200}, "response": []}, None, id="an HTTP success in meta"),
        pytest.param({"requestId": "1", "data": {"error": "denied"}}, "error_field", id="an envelope in an envelope"),
        pytest.param({"requestId": "1", "data": {"id": 1, "status": "failed"}}, None, id="a record in an envelope"),
        pytest.param({"requestId": "1", "results": [{"error": "denied"}]}, "error_list", id="errors in an envelope"),
        pytest.param([{"severity": "error", "message": "no"}], "error_list", id="a list of severe issues"),
        pytest.param([{"severity": "error", "id": 1, "message": "no"}], None, id="a list of records"),
        pytest.param({"status": 404, "name": "room 404"}, None, id="a number of a room"),
        pytest.param({"status": 404, "room": "x", "message": "gone"}, "http_status", id="an HTTP status beside facts"),
    ],
)
def test_envelopes_of_errors_are_known_by_the_words_of_their_keys(result: object, rule: str | None) -> None:
    assert rule_of("act", result) == rule


REQUEST = {"url": "x", "status": 503, "ok": False, "error": "Service Unavailable", "ms": 81}


@pytest.mark.parametrize(
    ("tool", "result", "rule"),
    [
        pytest.param("check_uptime", REQUEST, None, id="a probe"),
        pytest.param("search_request_logs", REQUEST, None, id="a reader of logs"),
        pytest.param("fetch_url", REQUEST, "error_field", id="a request of its own"),
        pytest.param(
            "get_weather",
            {"success": False, "status": "unavailable", "city": "Rome"},
            "success_false",
            id="a reader that tells its own success",
        ),
        pytest.param("check_stock", {"status": "unavailable", "message": "x"}, None, id="a state in a gRPC word"),
        pytest.param(
            "get_route", {"status": "DENIED", "error_message": "x", "results": []}, "error_field", id="empty results"
        ),
        pytest.param("get_invoice", {"id": 1, "status": "failed", "reason": "x"}, None, id="a record by its id"),
        pytest.param("validate_order", {"validationErrors": ["a"]}, None, id="a validator"),
    ],
)
def test_a_status_code_beside_facts_may_be_that_of_something_else(tool: str, result: object, rule: str | None) -> None:
    assert rule_of(tool, result) == rule


def test_a_list_of_error_codes_is_a_failure_of_a_reader_that_was_asked_for_records() -> None:
    errors = [{"message": "No such column", "errorCode": "INVALID_FIELD"}]
    assert rule_of("salesforce_query", errors, soql="SELECT x FROM y") == "error_list"
    assert rule_of("salesforce_query", errors, soql="SELECT message FROM ErrorLog") is None
    assert rule_of("salesforce_query", [errors[0] | {"timestamp": "2026-01-01"}], soql="SELECT x") is None
    assert rule_of("search_logs", errors) is None


def test_a_file_may_hold_an_error_and_a_search_for_errors_may_find_one() -> None:
    assert rule_of("read_file", {"error": "invalid_grant"}, path="response.json") is None
    assert rule_of("read_file", {"error": "no such file: response.json"}, path="response.json") == "error_field"
    assert rule_of("search_logs", "Error: disk full", query="error") is None


@pytest.mark.parametrize(
    "part",
    [{"score": 0.87}, {"url": "https://pay.example/errors"}, {"title": "Declines"}, {"metadata": {"page": 3}}],
)
def test_found_texts_are_content(part: dict[str, Any]) -> None:
    found = [
        {"text": "HTTP 402: Error: card_declined. The request failed."} | part,
        {"text": "Timeouts: retry."} | part,
    ]
    assert rule_of("retrieve", found) is None
    assert rule_of("query_handbook", found[:1]) is None
    assert rule_of("retrieve", [{"type": "text", "text": "Error: the index is offline"}]) == "error_text"


@pytest.mark.parametrize(
    ("tool", "result", "rule"),
    [
        (
            "API-post-page",
            {"object": "error", "status": 400, "code": "invalid", "message": "x"},
            "error_field",
        ),
        ("get_page", {"object": "error", "code": "object_not_found", "message": "x"}, "error_field"),
        ("create_page", {"type": "error", "message": "x"}, "error_field"),
        ("get_page", {"object": "page", "status": 400, "message": "x"}, None),
        ("list_events", {"type": "error", "message": "x"}, None),
        ("lint_file", {"type": "error", "message": "unused variable"}, None),
        ("create_page", {"type": "warning", "message": "x"}, None),
    ],
)
def test_object_may_say_that_it_is_an_error(tool: str, result: object, rule: str | None) -> None:
    assert rule_of(tool, result) == rule


def test_the_kind_of_a_tool_can_be_said() -> None:
    call = ToolCall(name="acme", result='{"id": 1, "status": "failed"}')
    assert score_of(call).passed is False
    assert score_of(call, tool_kinds={"acme": "probe"}).passed is True


RULES = {
    "error_field": {"error": "x"},
    "mcp_is_error": {"isError": True},
    "success_false": {"success": False},
    "status_field": {"status": "failed"},
    "errors_field": {"errors": ["x"]},
    "error_list": [{"error": "x"}],
    "http_status": {"statusCode": 500},
    "grpc_status": {"code": 5, "message": "x"},
    "http_text": "HTTP 500",
    "exception_text": "KeyError: x",
    "error_text": "Error: x",
    "unknown_tool": "Unknown tool: x",
}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_named_and_can_be_switched_off(rule: str) -> None:
    assert f"({rule})" in str(score_of(RULES[rule]).explanation)
    assert score_of(RULES[rule], **{rule: False}).value == 1


@pytest.mark.parametrize("result", ["", " \n\t", "\u2003"])
def test_a_blank_result_is_an_error_only_when_asked(result: str) -> None:
    assert score_of(result).value == 1
    assert score_of(result, blank=True).value == 0


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(ToolCall(name="t", status="error"), id="its status"),
        pytest.param(ToolCall(name="t", error="TimeoutError"), id="its error"),
        pytest.param(ToolCall(name="t", status="error", result="fine"), id="its status against its result"),
    ],
)
def test_a_call_that_is_reported_as_failed_is_an_error(call: ToolCall) -> None:
    assert score_of(call).value == 0
    assert score_of(call).details["calls"][0]["rule"] == "status"
    assert score_of(call, status=False).value != 0


def test_a_result_that_was_not_recorded_is_left_out() -> None:
    score = score_of("fine", None, ToolCall(name="t", status="error"))
    assert score.value == 0.5
    assert score.explanation == "1 of 2 calls failed (1 result not recorded): t: error (status)"


@pytest.mark.parametrize(
    ("calls", "reason"),
    [
        pytest.param((), "the agent called no tools", id="no calls"),
        pytest.param((None, None), "no result of a tool call was recorded", id="no results"),
        pytest.param((ToolCall(name="t", status="not_executed"),), "no tool call was executed", id="nothing executed"),
    ],
)
def test_nothing_to_evaluate_is_skipped(calls: tuple[Any, ...], reason: str) -> None:
    score = score_of(*calls)
    assert (score.status, score.value, score.reason) == ("skipped", None, reason)


def test_calls_that_nobody_recorded_are_not_called_none() -> None:
    trace = AgentTrace(llm_calls=(LlmCall(finish_reasons=("tool_calls",)),), gaps=("content_not_captured",))
    assert ToolError()(trace).reason == "tool calls were not recorded (the model asked for tools)"


def test_calls_that_were_never_executed_are_left_out() -> None:
    score = score_of("fine", ToolCall(name="t", status="not_executed", result="The user rejected the call"))
    assert score.value == 1
    assert score.details["calls"][1]["status"] == "not_executed"


def test_a_tool_that_does_not_exist_is_a_failure_though_it_never_ran() -> None:
    score = score_of("fine", ToolCall(name="t", status="not_executed", result="Unknown tool: t"))
    assert (score.value, score.passed) == (0.5, False)


@pytest.mark.parametrize(
    "text",
    [
        "Action 'Ask question to co-worker' don't exist, these are the only available Actions: search: " + "x " * 600,
        "Tool 'Delegate work to co-worker' does not exist.",
        "Error: Ask question to co-worker is not a valid tool, try one of [search].",
        "Function with name `get_orders` not found",
    ],
)
def test_tool_whose_name_is_a_phrase_is_unknown(text: str) -> None:
    assert score_of(ToolCall(name="x", result=text, status="not_executed")).passed is False
    assert rule_of("x", text) == "unknown_tool"


@pytest.mark.parametrize(
    "text", ["Action items do not exist yet", "This is not a valid entry", "Tools are out of stock"]
)
def test_sentence_about_actions_names_no_unknown_tool(text: str) -> None:
    assert rule_of("x", text) is None


def test_a_run_that_ended_for_want_of_a_tool_tells_the_failure_of_its_call() -> None:
    call = ToolCall(name="cancel_flight", status="not_executed")
    run = AgentTrace(tool_calls=(call,), error="Tool not found: cancel_flight")
    assert ToolError()(run).explanation == "1 of 1 call failed: cancel_flight: error (unknown_tool)"
    assert ToolError()(run.model_copy(update={"error": "RateLimitError: 429"})).status == "skipped"


def test_a_failure_that_a_later_call_of_the_same_tool_made_good_passes_and_counts() -> None:
    pay = ToolCall(name="pay", error="PaymentError: card 4711 refused", status="error")
    score = score_of(pay, ToolCall(name="pay", result="paid"), "done")
    assert score.value == pytest.approx(2 / 3)
    assert (score.passed, score.label) == (True, "recovered")
    said = "; said “PaymentError: card 4711 refused”"
    assert score.explanation == f"1 of 3 calls failed: pay: PaymentError (status), recovered by a retry{said}"
    assert score_of(pay, ToolCall(name="pay", result="paid"), recovered=False).passed is False


def test_another_tool_or_an_earlier_call_makes_nothing_good() -> None:
    pay = ToolCall(name="pay", error="no", status="error")
    assert score_of(pay, ToolCall(name="look", result="fine")).passed is False
    assert score_of(ToolCall(name="pay", result="paid"), pay).passed is False


def test_of_calls_side_by_side_none_makes_up_for_another() -> None:
    began = datetime(2026, 1, 1, tzinfo=UTC)
    failed = ToolCall(name="pay", status="error", started_at=began, duration_ms=1000)
    beside = ToolCall(name="pay", result="paid", started_at=began + timedelta(milliseconds=5))
    behind = ToolCall(name="pay", result="paid", started_at=began + timedelta(milliseconds=1200))
    assert score_of(failed, beside).passed is False
    assert score_of(failed, behind).passed is True


def test_what_was_out_of_order_is_made_good_only_by_a_call_about_the_same() -> None:
    failed = ToolCall(name="pay", args={"invoice": "A"}, status="error", error="HTTP 503: the gateway is unavailable")
    other = ToolCall(name="pay", args={"invoice": "B"}, result="paid")
    assert score_of(failed, other).passed is False
    assert score_of(failed, other, failed.model_copy(update={"status": "ok", "error": None, "result": "paid"})).passed


def test_what_was_refused_is_made_good_by_another_request() -> None:
    full = ToolCall(name="book", args={"flight_id": "A"}, result="Error: flight A is full")
    assert score_of(full, ToolCall(name="book", args={"flight_id": "B"}, result="booked")).passed is True


STALE = "Error: Ref e13 not found in the current page snapshot. Try capturing new snapshot."


@pytest.mark.parametrize(
    ("tool", "key", "error"),
    [
        ("browser_click", "ref", STALE),
        ("playwright_hover", "ref", "### Error\nError: Ref e13 not found in the current page snapshot."),
        ("type_text", "element_id", "stale element reference: the element is not found in the current frame"),
        ("mobile_tap", "elementRef", "Timeout 5000ms exceeded."),
    ],
)
def test_stale_element_is_made_good_by_another(tool: str, key: str, error: str) -> None:
    failed = ToolCall(name=tool, args={key: "e13"}, result=error)
    assert score_of(failed).passed is False
    assert (
        score_of(failed, ToolCall(name=tool, args={key: "s2e459"}, result="### Page\n- heading")).label == "recovered"
    )


def test_reference_of_a_booking_is_no_element() -> None:
    failed = ToolCall(name="cancel_booking", args={"ref": "A1"}, result="Error: connection refused")
    assert score_of(failed, ToolCall(name="cancel_booking", args={"ref": "B2"}, result="cancelled")).passed is False


FAILING = (
    pytest.param("Traceback (most recent call last):\n  …\nValueError: no", id="a traceback"),
    pytest.param("ls: cannot access 'x'\nExit code: 2", id="an exit code in text"),
    pytest.param('{"stdout": "", "stderr": "no", "exit_code": 1}', id="an exit code in JSON"),
    pytest.param("===== 1 failed, 3 passed in 0.12s =====", id="a failing test"),
    pytest.param("<returncode>1</returncode>\n<output>no</output>", id="an exit code in tags"),
)


@pytest.mark.parametrize("output", FAILING)
def test_a_failing_program_is_told_and_passes_unless_it_is_the_end(output: str) -> None:
    bash = ToolCall(name="bash", args={"command": "pytest -q"}, result=output)
    between = score_of(bash, "edited", ToolCall(name="bash", args={"command": "pytest -q"}, result="3 passed"))
    assert between.value == pytest.approx(2 / 3)
    assert between.passed is True
    assert "(failing_program)" in str(between.explanation)
    assert score_of("edited", bash).passed is False
    assert score_of("edited", bash, ToolCall(name="submit", result="ok")).passed is False
    assert score_of(bash, "edited", failing_program=False).passed is not None


@pytest.mark.parametrize(
    "output",
    [
        pytest.param("a: Creating...\n╷\n│ Error: no bucket\n╵", id="terraform"),
        pytest.param("src/a.ts(3,5): error TS2322: x", id="tsc"),
        pytest.param("src/a.ts:3:5 - error TS2322: x", id="tsc with colours off"),
        pytest.param("✖ 3 problems (3 errors, 0 warnings)\n  0 errors and 1 warning fixable", id="eslint"),
        pytest.param("E501 x\nFound 2 errors.", id="ruff"),
        pytest.param("npm error code ERESOLVE", id="npm"),
        pytest.param("Collecting x\nERROR: No matching distribution", id="pip"),
        pytest.param('ERROR:  relation "x" does not exist\nLINE 1: x', id="psql"),
        pytest.param("Error from server (Forbidden): no", id="kubectl"),
        pytest.param("[INFO] x\n[INFO] BUILD FAILURE", id="maven"),
        pytest.param("FAILURE: Build failed with an exception.", id="gradle"),
        pytest.param("** BUILD FAILED **", id="xcodebuild"),
        pytest.param("FAILURES!\nTests: 3, Assertions: 3, Failures: 1.", id="phpunit"),
        pytest.param("...\n3 examples, 1 failure", id="rspec"),
        pytest.param("  5 passing (20ms)\n  1 failing", id="mocha"),
        pytest.param("      Tests  1 failed | 9 passed (10)", id="vitest"),
        pytest.param("Tests:  1 failed, 9 passed\nSnapshots:   1 passed, 1 total", id="jest"),
        pytest.param("test result: FAILED. 2 passed; 1 failed", id="cargo test"),
        pytest.param("# x\n./a.go:3:5: undefined: x", id="go build"),
        pytest.param("x\nReferenceError: x is not defined\n    at a.js:3\n\nNode.js v20", id="node"),
        pytest.param("CMake Error at CMakeLists.txt:3", id="cmake"),
        pytest.param("ERROR 1045 (28000): Access denied", id="mysql"),
        pytest.param("a.rb:3:in `x': undefined (NoMethodError)", id="ruby"),
        pytest.param("> Task :x FAILED", id="a task of gradle"),
        pytest.param("curl: (7) Failed to connect", id="curl"),
        pytest.param("ssh: connect to host x port 22: Connection refused", id="ssh"),
        pytest.param("rm: cannot remove 'x': No such file or directory", id="rm"),
        pytest.param("#5 x\nERROR: failed to solve: x", id="docker build"),
        pytest.param(" ! [rejected] main\nerror: failed to push some refs", id="git push"),
        pytest.param("Auto-merging a\nCONFLICT (content): Merge conflict in a", id="git merge"),
        pytest.param("\x1b[31merror\x1b[0m: denied", id="an error in colour"),
    ],
)
def test_programs_tell_in_their_output_that_they_failed(output: str) -> None:
    assert rule_of("bash", output, command="make x") == "failing_program"


@pytest.mark.parametrize(
    "output",
    [
        pytest.param("Found 0 errors.", id="no errors"),
        pytest.param("0 failed", id="no failures"),
        pytest.param("no problems", id="no problems"),
        pytest.param("✖ 3 problems (0 errors, 3 warnings)", id="warnings only"),
        pytest.param("a.py:3: warning: unused", id="a warning"),
        pytest.param("warning: cannot find x", id="a warning about what is missing"),
        pytest.param("tests/a.py::test_error PASSED\n3 passed in 0.1s", id="a test called test_error"),
        pytest.param("test test_error ... ok\ntest result: ok. 3 passed; 0 failed", id="a test in Rust"),
        pytest.param("Error: boom\n    at a.js:3\n\n  5 passing (3ms)", id="an error that a passing test expects"),
        pytest.param("ERROR: retrying\nSuccessfully installed x", id="an error that was overcome"),
        pytest.param("Found 3 errors (3 fixed, 0 remaining).", id="errors that were fixed"),
        pytest.param("loss 0.3\nerror: 0.034", id="a measure"),
        pytest.param("12 failed logins were found", id="a sentence"),
        pytest.param("2026-01-01T10:00:00 error rate 0", id="a line with a time"),
    ],
)
def test_output_that_talks_of_errors_is_not_a_failing_program(output: str) -> None:
    assert rule_of("bash", output, command="make x") is None


@pytest.mark.parametrize(
    "command",
    [
        "kubectl -n prod logs web",
        "docker compose logs api",
        "sudo journalctl -u x | tail -5",
        "gh run view 3 --log",
        "sed -n 1,5p a.txt",
        "awk '/x/' a.txt",
        "git -C x show abc",
    ],
)
@pytest.mark.parametrize("output", ["Error: boom", "ERROR: x\n3", "Traceback (most recent call last):\nX: y"])
def test_what_a_command_that_only_reads_shows_is_not_its_own(command: str, output: str) -> None:
    assert rule_of("bash", output, command=command) is None


@pytest.mark.parametrize("command", ["kubectl delete pod logs", "sed -n -i s/a/b/p a.txt", "gh run rerun 3"])
def test_other_commands_of_such_programs_may_fail(command: str) -> None:
    assert rule_of("bash", "Error: boom", command=command) == "failing_program"


def test_a_runner_that_never_started_the_program_failed_itself() -> None:
    args = {"command": "pytest"}
    broken = ToolCall(name="bash", args=args, status="error", error="SandboxError: container exited before start")
    output = broken.model_copy(update={"error": "Traceback (most recent call last):\n  …\nKeyError: x"})
    code = broken.model_copy(update={"error": "CommandError: exited with code 2"})
    rules = [score_of(call).details["calls"][0]["rule"] for call in (broken, output, code)]
    assert rules == ["status", "failing_program", "failing_program"]


def test_shell_that_rejects_a_command_failed_itself() -> None:
    rejected = ToolCall(
        name="exec_cmd", args={"command": "kubectl top pod"}, result="Command Rejected: Forbidden: pods"
    )
    assert score_of(rejected, "done").passed is False
    assert (
        score_of(rejected, ToolCall(name="exec_cmd", args={"command": "kubectl get pod"}, result="web-1")).passed
        is True
    )


def test_a_shell_that_is_marked_as_failed_for_its_program_did_its_work() -> None:
    bash = ToolCall(name="Bash", args={"command": "pytest"}, status="error", error="Exit code 1\n1 failed")
    assert score_of(bash, "edited").passed is True
    assert score_of(ToolCall(name="Bash", status="error", error="the sandbox is gone"), "edited").passed is False


@pytest.mark.parametrize(
    ("command", "output"),
    [
        pytest.param("grep -rn x .", "exit code: 1", id="a search that finds nothing"),
        pytest.param("/bin/bash -lc 'pidof server'", "Exit code: 1", id="a probe in a shell"),
        pytest.param("pytest -q", "no tests ran in 0.01s\nExit code: 5", id="no tests"),
        pytest.param("cat run.sh", "set -e\nexit 2\necho done\n", id="a script that is shown"),
        pytest.param("cat app.log", "Traceback (most recent call last):\nKeyError: x", id="a log that is shown"),
        pytest.param("pip download x", "x-5.0.0-rc4.tar.gz", id="a number that is no exit code"),
    ],
)
def test_what_is_no_failing_program(command: str, output: str) -> None:
    assert score_of(ToolCall(name="bash", args={"command": command}, result=output)).value == 1


def test_what_a_program_prints_is_its_own_and_what_a_shell_says_is_the_shells() -> None:
    assert rule_of("bash", "Error: 404", command="./get.sh") == "failing_program"
    assert rule_of("run_code", {"error": "ZeroDivisionError: division by zero"}) == "failing_program"
    assert rule_of("bash", "Error: command timed out after 120 s", command="./get.sh") == "error_text"
    assert rule_of("run_tests", {"status": "no_tests", "exit_code": 5, "failed": 0}) is None


def test_a_threshold_that_a_user_configures_decides() -> None:
    run = AgentTrace(tool_calls=(ToolCall(name="a", result="fine"), ToolCall(name="b", error="no", status="error")))
    [usual] = evaluate(configure("tool_error"), run)
    [configured] = evaluate(configure("tool_error", threshold=0.5), run)
    assert (usual.passed, usual.threshold) == (False, None)
    assert (configured.passed, configured.threshold) == (True, 0.5)


def test_patterns_find_errors_in_text() -> None:
    assert score_of("code 500 oh", "code 200", pattern="code 5[0-9]{2}").value == 0.5
    assert score_of("code 500 oh", "fatal", pattern=["code 5..", "(?i)FATAL"]).value == 0


def test_a_predicate_sees_the_text_of_the_result() -> None:
    assert score_of("class", "x", predicate=keyword.iskeyword).value == 0.5


def test_a_predicate_is_part_of_what_identifies_the_evaluator() -> None:
    hashes = {configure("tool_error", options={"predicate": each}).config_hash for each in (math.sqrt, math.exp)}
    assert len(hashes) == 2


def test_a_predicate_that_fails_is_an_error_of_the_evaluation() -> None:
    evaluator = configure("tool_error", options={"predicate": math.sqrt})
    [score] = evaluate(evaluator, AgentTrace(tool_calls=(ToolCall(name="t", result="x"),)))
    assert (score.status, score.value) == ("error", None)


def test_a_pattern_that_is_none_is_refused_with_its_name() -> None:
    with pytest.raises(WrongOptions, match=r"option 'pattern\.0' of tool_error"):
        configure("tool_error", options={"pattern": "("})


@pytest.mark.parametrize(
    ("result", "quote"),
    [
        pytest.param({"error": {"code": "x", "message": "no room\nfor 4711"}}, "no room for 4711", id="data"),
        pytest.param("{'error': 'no room'}", "no room", id="the repr of a dict"),
        pytest.param("Error executing tool book: no room\nFix it.", "no room", id="a message of a framework"),
        pytest.param("Traceback (most recent call last):\n  x\nHotelError: full", "HotelError: full", id="a traceback"),
        pytest.param("Error: card\u202erefused", "card<U+202E>refused", id="a hidden character"),
        pytest.param("Error: " + "x" * 900, "x" * 199 + "…", id="a long text"),
    ],
)
def test_explanation_quotes_what_the_call_said(result: object, quote: str) -> None:
    score = score_of("done", result)
    assert score.details["quotes"] == [{"position": 1, "text": quote}]
    assert str(score.explanation).endswith(f"; said “{quote}”")


@pytest.mark.parametrize("result", ["{" * 5_000_000, "[" * 100_000, "{'a': " * 5_000, "error: " * 500, "Error " * 700])
def test_hostile_results_are_read_in_bounded_time(result: str) -> None:
    assert score_of(result).status == "scored"


def test_call_of_which_nothing_says_whether_it_ran_is_neither_a_success_nor_a_failure() -> None:
    open_call = ToolCall(name="act", status=None)
    failed = ToolCall(name="act", status="error", error="denied")
    assert score_of(open_call).status == "skipped"
    assert score_of(failed, open_call).label is None
    assert [call["status"] for call in score_of("done", open_call).details["calls"]] == ["ok", "skipped"]
