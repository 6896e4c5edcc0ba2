"""Messages that tools put below a heading or in other Markdown."""

from __future__ import annotations

import pytest

from tracegrade.evaluators.checks.failure.label import without_label
from tracegrade.evaluators.checks.failure.rules import FailureRules
from tracegrade.evaluators.checks.tool_error import ToolError
from tracegrade.evaluators.model import AgentTrace, ToolCall

SENTRY = (
    "**Input Error**\n\nThere was an HTTP 400 error with your request to the Sentry API.\n\n"
    "API error (400): Unknown event type: default\n\nYou may be able to resolve the issue by trying again."
)
CRASHED = "### Error\nTimeoutError: locator.click\n\n### Page\n- Page URL: https://mugs.example\n" + "- button\n" * 900


def rule_of(tool: str, result: str) -> str | None:
    failure = FailureRules().failure_of(ToolCall(name=tool, args={}, result=result))
    return failure.rule if failure else None


@pytest.mark.parametrize(
    ("tool", "result", "rule"),
    [
        (
            "browser_click",
            "### Result\nError: TimeoutError: x: Timeout 5000ms exceeded.\nCall log:\n  - x",
            "error_text",
        ),
        ("browser_click", "### Result\nTimeoutError: locator.click: Timeout 5000ms exceeded.", "exception_text"),
        ("browser_click", "### Result\nThe element could not be clicked.", "error_text"),
        ("browser_click", CRASHED, "error_text"),
        ("get_issue_details", SENTRY, "error_text"),
        ("create_page", "## ❌ Error\n\nThe parent page is archived.", "error_text"),
        ("create_page", "❌ **Failed to create the page**: its parent is archived", "error_text"),
        ("create_page", "> **Error**\n> The parent page is archived.", "error_text"),
        ("create_page", "*Error*: the parent page is archived", "error_text"),
        ("create_page", "```\nValueError: the parent page is archived\n```", "exception_text"),
        ("charge", "⚠️ **Payment Failure**\n\nThe issuer declined.", "error_text"),
        ("charge", "Tool result: HTTP 503", "http_text"),
        ("charge", "**Result:** Connection refused", "error_text"),
    ],
)
def test_message_in_markdown_is_a_failure(tool: str, result: str, rule: str) -> None:
    assert rule_of(tool, result) == rule


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        ("browser_click", "### Ran Playwright code\n```js\nx\n```\n### Page\n- status: Error: no seats"),
        ("browser_evaluate", '### Result\n"Error: card declined"'),
        ("search_issues", "# Search Results\n\nFound **1** issue:\n\n## 1. X-14\n\n**Connection pool exhausted**"),
        ("read_docs", "# Error\n\nWhen a call fails the API answers with an error. It has a code and a message."),
        ("read_docs", "## Error\n\nThe type that all calls return when they fail."),
        ("get_mail", "> Error: payment failed\n\nHi, what does this mean? I got it twice."),
        ("create_report", "Result: Failed: 0, passed: 3"),
        ("create_report", "**Results:** 404 results"),
    ],
)
def test_markdown_about_errors_is_no_failure(tool: str, result: str) -> None:
    assert rule_of(tool, result) is None


def test_quote_leaves_out_the_label() -> None:
    score = ToolError()(AgentTrace(tool_calls=(ToolCall(name="get_issue_details", args={}, result=SENTRY),)))
    assert score.details["quotes"][0]["text"] == "There was an HTTP 400 error with your request to the Sentry API."


@pytest.mark.parametrize(
    "text", ["#" * 9_000, "*" * 9_000, "```" * 3_000, "> " * 4_000, "result " * 1_500, "__a" * 3_000]
)
def test_hostile_markdown_is_read(text: str) -> None:
    assert without_label(text, is_of_reader=False) is not None
