"""Operations: logs, roll-outs, restarts."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, pause, tool, unanswered, user

__all__ = ["STORIES"]

LOGS = tool("search_logs", "Search logs", service="string", query="string", minutes="integer?")
DEPLOY = tool("deployment_status", "State of a roll-out", service="string")
RESTART = tool("restart_service", "Restart a service", service="string", env=["staging", "production"])
PROBE = tool("http_probe", "Ask a URL and tell the status", url="string")
OPS = Agent("ops_agent", (LOGS, DEPLOY, RESTART, PROBE), "You are on call with the platform team.")

STORIES = [
    Story(
        "third_ops_logs_full_of_errors",
        "openllmetry",
        OPS,
        (
            user("Why did checkout alert?"),
            asks(
                call(
                    "search_logs",
                    {"service": "checkout", "query": "level:error", "minutes": "30"},
                    [
                        "12:01:07 ERROR payment failed: HTTP 503 Service Unavailable",
                        "12:01:09 ERROR TimeoutError: ledger did not answer",
                    ],
                )
            ),
            answers("The ledger stopped answering at 12:01, so payments failed."),
        ),
        (),
        "a log search that shows errors; 30 as text converts",
    ),
    Story(
        "third_ops_rollout_polled",
        "openinference",
        OPS,
        (
            user("Tell me when checkout 2.4 is out."),
            asks(call("deployment_status", {"service": "checkout"}, {"phase": "progressing", "ready": "1/4"})),
            pause(30),
            asks(call("deployment_status", {"service": "checkout"}, {"phase": "progressing", "ready": "1/4"})),
            pause(30),
            asks(call("deployment_status", {"service": "checkout"}, {"phase": "progressing", "ready": "1/4"})),
            pause(30),
            asks(call("deployment_status", {"service": "checkout"}, {"phase": "complete", "ready": "4/4"})),
            answers("Checkout 2.4 runs on all four pods."),
        ),
        (),
        "polling that ends",
    ),
    Story(
        "third_ops_probe_503",
        "vercel_ai",
        OPS,
        (
            user("Is the status page up?"),
            asks(call("http_probe", {"url": "https://status.acme.example"}, {"status": 503, "latency_ms": 41})),
            answers("No, it answers with 503."),
        ),
        (),
        "a probe whose work is to tell the status of something else",
    ),
    Story(
        "third_ops_restart_wrong_environment",
        "genai",
        OPS,
        (
            user("Restart billing in prod."),
            asks(
                call(
                    "restart_service",
                    {"service": "billing", "env": "prod"},
                    {"ok": False, "error": "env must be one of staging, production"},
                )
            ),
            asks(call("restart_service", {"service": "billing", "env": "production"}, {"ok": True})),
            answers("Billing was restarted in production."),
        ),
        ("tool_call_validity",),
        "prod is no value of env; the second call made the failure good",
    ),
    Story(
        "third_ops_restart_forbidden",
        "pydantic_ai",
        OPS,
        (
            user("Restart ledger in production."),
            asks(
                call(
                    "restart_service",
                    {"service": "ledger", "env": "production"},
                    {"statusCode": 403, "body": {"message": "ops-agent may not restart ledger"}},
                )
            ),
            answers("I am not permitted to restart the ledger."),
        ),
        ("tool_error",),
        "an HTTP status 403 in an envelope",
    ),
    Story(
        "third_ops_alternates",
        "openllmetry",
        OPS,
        (
            user("Why is search slow?"),
            *(
                asks(call(name, args, result))
                for _ in range(4)
                for name, args, result in (
                    ("search_logs", {"service": "search", "query": "slow"}, "0 lines"),
                    ("http_probe", {"url": "https://search.acme.example/health"}, {"status": 200}),
                )
            ),
            answers("I could not find out why."),
        ),
        ("tool_efficiency",),
        "two calls in turns four times, with nothing new",
    ),
    Story(
        "third_ops_restart_not_executed",
        "genai_events",
        OPS,
        (
            user("Restart search on staging."),
            asks(unanswered("restart_service", {"service": "search", "env": "staging"})),
        ),
        ("run_completion",),
        "the call was never executed",
    ),
]
