"""Tools that read logs: an error in the log is no failure of the tool."""

from __future__ import annotations

import json

import pytest

from tracegrade.evaluators.checks.failure.rules import FailureRules
from tracegrade.evaluators.model import ToolCall


def fails(tool: str, result: object, **fields: str) -> bool:
    text = result if isinstance(result, str) else json.dumps(result)
    return FailureRules().failure_of(ToolCall(name=tool, args={}, result=text, **fields)) is not None


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        ("pods_log", "panic: dial tcp: lookup payments.prod.svc on 10.96.0.10:53: no such host"),
        ("get_logs", "java.lang.NullPointerException: Cannot invoke charge"),
        ("get_job_logs", "Error: Process completed with exit code 1."),
        ("tail_log", "Error: connect ECONNREFUSED 10.0.0.1:5432"),
        ("docker_logs", "Error: EACCES: permission denied, open '/data/x'"),
        ("journalctl", "fatal: unable to open database"),
        ("read_syslog", "Out of memory: Killed process 8812"),
        ("getDeploymentLogs", "Error: Cannot find module 'express'\n    at boot.js:3"),
        ("get_function_logs", "Access denied for user 'app'@'10.0.0.7'"),
        ("browser_console_messages", "### Result\n[ERROR] Failed to load resource: 404 (Not Found)"),
        ("pods_log", {"level": "error", "error": "connection refused"}),
        ("get_logs", {"severity": "fatal", "status": 500, "message": "no disk"}),
    ],
)
def test_error_in_a_log_is_content(tool: str, result: object) -> None:
    assert not fails(tool, result)


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        ("pods_log", 'Error from server (NotFound): pods "checkout" not found'),
        ("pods_log", "failed to get pod checkout log: container web is not valid for pod checkout"),
        ("docker_logs", "Error response from daemon: No such container: web"),
        ("get_logs", "Error: failed to fetch logs"),
        ("tail_log", "Error: ENOENT: no such file or directory, open '/var/log/nginx/error.log'"),
        ("get_logs", "HTTP 503 Service Unavailable"),
        ("get_logs", "Rate limit exceeded"),
        ("get_log_events", "ResourceNotFoundException: The specified log group does not exist."),
        ("query_loki_logs", "parse error at line 1, col 5: unexpected IDENTIFIER"),
        ("get_logs", {"error": "pod not found"}),
        ("write_log", "Error: disk full"),
    ],
)
def test_log_that_was_not_read_is_a_failure(tool: str, result: object) -> None:
    assert fails(tool, result)


def test_reported_failure_of_a_log_reader_counts() -> None:
    assert fails("pods_log", "panic: no such host", status="error")
