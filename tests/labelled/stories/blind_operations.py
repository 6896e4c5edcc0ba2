"""Agents of engineers on call that look at what runs; labelled from the spans alone."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, tool, user

__all__ = ["STORIES"]

OPS = "You help the engineers on call of a cloud platform."
LOGS = tool("search_logs", "Search the logs of a service.", service="string", query="string", since_minutes="integer?")
STATUS = tool("get_deployment", "Get the state of a deployment.", deployment_id="string")
PROBE = tool("probe_url", "Request a URL and report what came back.", url="string")
LINT = tool("validate_manifest", "Validate a Kubernetes manifest, list all problems.", path="string")

STORIES = (
    Story(
        "operations_log_search",
        "genai",
        Agent("sre_agent", (LOGS, STATUS), OPS),
        (
            user("Checkout is slow since 14:00. What is in the logs?"),
            asks(
                call(
                    "search_logs",
                    {"service": "checkout", "query": "level:error", "since_minutes": 60},
                    {
                        "total": 3,
                        "lines": [
                            "14:02:11 ERROR upstream payments: HTTP 503 Service Unavailable",
                            "14:02:12 ERROR retry 1/3 failed: HTTP 503",
                            "14:03:40 FATAL Traceback (most recent call last): TimeoutError",
                        ],
                    },
                )
            ),
            asks(
                call(
                    "search_logs",
                    {"service": "payments", "query": "level:error", "since_minutes": 60},
                    {"total": 1, "lines": ["14:01:58 ERROR too many connections for role payments"]},
                )
            ),
            answers(
                "Checkout waits for payments, which answers 503 because its database refuses "
                "connections (limit of role `payments` reached at 14:01:58)."
            ),
        ),
        failing=(),
        why="The log lines are full of errors; finding them is what the search is for.",
    ),
    Story(
        "operations_dead_links",
        "openinference",
        Agent("docs_gardener", (PROBE,), "You check the links of our documentation."),
        (
            user("Check the links on the install page."),
            asks(
                call(
                    "probe_url",
                    {"url": "https://docs.example.org/install"},
                    {"url": "https://docs.example.org/install", "http_status": 200, "title": "Install"},
                ),
                call(
                    "probe_url",
                    {"url": "https://docs.example.org/install/windows-7"},
                    {
                        "url": "https://docs.example.org/install/windows-7",
                        "http_status": 404,
                        "title": "Error: page not found",
                    },
                ),
                call(
                    "probe_url",
                    {"url": "https://get.example.org/latest.sh"},
                    {"url": "https://get.example.org/latest.sh", "http_status": 200, "title": None},
                ),
            ),
            answers(
                "One link is dead: https://docs.example.org/install/windows-7 answers 404. The two others are fine."
            ),
        ),
        failing=(),
        why="The probe's work is to report what a URL answers; 404 is its finding.",
    ),
    Story(
        "operations_manifest_problems",
        "openllmetry",
        Agent("reviewer", (LINT,), OPS),
        (
            user("Is deploy/web.yaml all right? Do not change it, just tell me."),
            asks(
                call(
                    "validate_manifest",
                    {"path": "deploy/web.yaml"},
                    {
                        "valid": False,
                        "errors": [
                            {"line": 14, "message": 'unknown field "replica"'},
                            {"line": 31, "message": "resources.limits.memory: must be a quantity"},
                        ],
                    },
                )
            ),
            answers(
                "Not yet. Line 14: the field is called `replicas`. Line 31: the memory limit needs "
                "a unit, such as 512Mi."
            ),
        ),
        failing=(),
        why="The validator found problems, which were asked for; it did its work.",
    ),
    Story(
        "operations_null_and_whole_numbers",
        "vercel_ai",
        Agent(
            "sre_agent",
            (tool("query_metric", "Query a metric.", name="string", minutes="integer", labels="object?"),),
            OPS,
        ),
        (
            user("CPU of the search service over the last half hour?"),
            asks(
                call(
                    "query_metric",
                    {"name": "search_cpu_utilisation", "minutes": 30.0, "labels": None},
                    {"data": {"avg": 0.61, "max": 0.93}, "error": None, "warnings": []},
                )
            ),
            answers("61 % on average, with a peak of 93 %."),
        ),
        failing=(),
        why=("null for an optional property and 30.0 for an integer are valid; error: null says that there was none."),
    ),
    Story(
        "operations_service_unavailable",
        "pydantic_ai",
        Agent("sre_agent", (tool("get_incident", "Get an incident.", incident_id="string"),), OPS),
        (
            user("Who is on INC-2291?"),
            asks(
                call("get_incident", {"incident_id": "INC-2291"}, "HTTP 503 Service Unavailable: no healthy upstream")
            ),
            answers("I cannot reach the incident system at the moment. Please try again later."),
        ),
        failing=("tool_error",),
        why="The result is nothing but the message HTTP 503, and the call was not repeated.",
    ),
)
