"""Work that is done, with an error beside its state or in its status."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tracegrade.evaluators.checks.tool_error import ToolError
from tracegrade.evaluators.model import AgentTrace, Score, ToolCall

BIGQUERY = {
    "jobReference": {"jobId": "j-1"},
    "status": {"state": "DONE", "errorResult": {"reason": "quotaExceeded", "message": "Quota exceeded: QueryUsage"}},
}
DATABRICKS = {"statement_id": "s-1", "status": {"state": "FAILED", "error": {"error_code": "BAD_REQUEST"}}}
ATHENA = {"QueryExecution": {"QueryExecutionId": "q-1", "Status": {"State": "FAILED", "StateChangeReason": "SYNTAX"}}}


def score_of(*calls: tuple[str, object], **args: Any) -> Score:
    return ToolError()(
        AgentTrace(tool_calls=tuple(ToolCall(name=tool, args=args, result=json.dumps(value)) for tool, value in calls))
    )


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        ("run_query", BIGQUERY),
        ("submit_job", BIGQUERY),
        ("execute_sql", DATABRICKS),
        ("athena_query", ATHENA),
        ("run_job", {"job": BIGQUERY["status"]}),
        ("import_rows", {"id": "i-1", "status": "completed", "failureReason": "quota"}),
        ("import_rows", {"id": "i-1", "status": "finished", "failure": {"message": "no disk"}}),
        ("sync_contacts", {"id": "s-1", "status": {"state": "completed", "lastError": {"message": "401"}}}),
        ("dispatch_workflow", {"id": 7, "status": "completed", "conclusion": "failure"}),
    ],
)
def test_ended_work_with_an_error_has_failed(tool: str, result: object) -> None:
    assert score_of((tool, result)).passed is False


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        ("get_job", BIGQUERY),
        ("list_jobs", {"jobs": [BIGQUERY]}),
        ("resources_get", {"kind": "Node", "status": {"state": "failed", "lastError": "no disk"}}),
        ("describe_run", {"run": {"state": "done", "failureReason": "quota"}}),
        ("query_orders", {"id": 1, "status": {"state": "failed", "error": "card declined"}}),
        ("run_query", {"status": {"state": "DONE", "errorResult": None}, "rows": [1]}),
        ("run_query", {"status": {"state": "DONE", "errors": [{"reason": "one bad row"}]}, "rows": [1]}),
        ("sync_contacts", {"status": {"state": "running", "lastError": {"message": "401"}}}),
        ("update_connector", {"id": 1, "status": "active", "lastError": {"message": "401"}}),
        ("import_rows", {"id": "i-1", "status": "completed", "failureReason": None, "failure": ""}),
    ],
)
def test_state_of_other_work_is_no_failure(tool: str, result: object) -> None:
    assert score_of((tool, result)).passed is True


def test_polled_job_that_ends_with_an_error_has_failed() -> None:
    started = ("start_job", {"jobReference": {"jobId": "j-1"}, "job_id": "j-1", "status": "RUNNING"})
    assert score_of(started, ("get_job", BIGQUERY), job_id="j-1").passed is False


def test_message_in_the_status_is_quoted() -> None:
    assert score_of(("run_query", BIGQUERY)).details["quotes"][0]["text"] == "Quota exceeded: QueryUsage"
