"""Agents on call: logs, deployments, probes, clusters."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, crashes, model_fails, pause, tool, user

__all__ = ["STORIES"]

LOGS = tool("search_logs", "Search the logs", service="string", query="string", minutes="integer?")
PROBE = tool("probe_endpoint", "Request a URL of ours and tell what came back", url="string")
DEPLOY = tool("deploy", "Deploy a version", service="string", version="string", dry_run="boolean?")
PIPELINE = tool("get_pipeline", "The state of a pipeline of the CI", pipeline_id="integer")
KUBECTL = tool("kubectl", "Run kubectl", args="string")
PAGE = tool("page_engineer", "Page the engineer on call", team="string", message="string")
CLOCK = tool("get_current_time", "The time in UTC")
LINT = tool("lint_manifest", "Lint a manifest", path="string")
AGENT = Agent("sre_agent", (LOGS, PROBE, DEPLOY, PIPELINE, KUBECTL, PAGE, CLOCK, LINT), "You help engineers on call.")

LINES = """2026-11-20T08:14:02Z ERROR checkout  PaymentError: card processor unreachable (trace 91b2)
2026-11-20T08:14:02Z ERROR checkout  Traceback (most recent call last):
2026-11-20T08:14:02Z ERROR checkout    File "/app/pay.py", line 88, in charge
2026-11-20T08:14:03Z WARN  checkout  HTTP 503 from cards.internal, retry 1 of 3
2026-11-20T08:14:09Z INFO  checkout  charge ok"""

STORIES = (
    Story(
        "devops_log_search_full_of_errors",
        "genai",
        AGENT,
        (
            user("What went wrong in checkout at 08:14?"),
            asks(call("search_logs", {"service": "checkout", "query": "level:ERROR", "minutes": 30}, LINES)),
            answers("The card processor could not be reached for seven seconds; the retry succeeded."),
        ),
        failing=(),
        why="the log search found the errors that it was asked for",
    ),
    Story(
        "devops_probe_sees_502",
        "openinference",
        AGENT,
        (
            user("Is the shop up?"),
            asks(
                call(
                    "probe_endpoint",
                    {"url": "https://shop.example.com/healthz"},
                    {
                        "url": "https://shop.example.com/healthz",
                        "observed_status": 502,
                        "healthy": False,
                        "latency_ms": 41,
                    },
                )
            ),
            answers("No: the health check answers 502."),
        ),
        failing=(),
        why="the probe worked; what it saw is the state of something else",
    ),
    Story(
        "devops_pipeline_has_failed",
        "openllmetry",
        AGENT,
        (
            user("Why is pipeline 8812 red?"),
            asks(
                call(
                    "get_pipeline",
                    {"pipeline_id": 8812},
                    {
                        "pipeline": {"id": 8812, "ref": "main", "result": "failed", "duration_s": 412},
                        "jobs": [{"name": "unit", "result": "failed"}, {"name": "lint", "result": "passed"}],
                    },
                )
            ),
            answers("Its unit tests failed; lint passed."),
        ),
        failing=(),
        why="the pipeline has failed, the look-up of it has not",
    ),
    Story(
        "devops_deploy_failed_status",
        "genai",
        AGENT,
        (
            user("Deploy checkout 4.2.0"),
            asks(
                call(
                    "deploy",
                    {"service": "checkout", "version": "4.2.0"},
                    {"status": "failed", "message": "image checkout:4.2.0 not found in registry"},
                )
            ),
            answers("The deployment did not go through: there is no image 4.2.0."),
        ),
        failing=("tool_error",),
        why="the deployment reports that it failed, and was not repeated",
    ),
    Story(
        "devops_deploy_flag_as_text",
        "vercel_ai",
        AGENT,
        (
            user("Dry-run checkout 4.2.1"),
            asks(
                call(
                    "deploy",
                    {"service": "checkout", "version": "4.2.1", "dry_run": "true"},
                    {"status": "ok", "changes": 3},
                )
            ),
            answers("It would change three resources."),
        ),
        failing=(),
        why='"true" converts to a boolean without loss, and the call worked',
    ),
    Story(
        "devops_rollout_polled",
        "genai_events",
        AGENT,
        (
            user("Watch the rollout of checkout and tell me when it's done."),
            *(
                step
                for ready in (1, 1, 2, 2)
                for step in (
                    asks(
                        call(
                            "kubectl",
                            {"args": "rollout status deploy/checkout --watch=false"},
                            f"Waiting for rollout: {ready} of 3 updated replicas are available",
                        )
                    ),
                    pause(15),
                )
            ),
            asks(
                call(
                    "kubectl",
                    {"args": "rollout status deploy/checkout --watch=false"},
                    'deployment "checkout" successfully rolled out',
                )
            ),
            answers("The rollout is done: 3 of 3 replicas."),
        ),
        failing=(),
        why="polling that ends when the rollout is done",
    ),
    Story(
        "devops_clock_asked_thrice",
        "openinference",
        AGENT,
        (
            user("Tell me the time every now and then while you look."),
            asks(call("get_current_time", {}, "2026-11-20T08:20:01Z")),
            pause(30),
            asks(call("get_current_time", {}, "2026-11-20T08:20:32Z")),
            pause(30),
            asks(call("get_current_time", {}, "2026-11-20T08:21:03Z")),
            answers("It is 08:21 UTC now."),
        ),
        failing=(),
        why="a clock tells something new each time",
    ),
    Story(
        "devops_grpc_unavailable",
        "pydantic_ai",
        AGENT,
        (
            user("Page the payments team: checkout is down."),
            asks(
                call(
                    "page_engineer",
                    {"team": "payments", "message": "checkout is down"},
                    "rpc error: code = Unavailable desc = connection error: dial tcp 10.2.0.7:443: connection refused",
                )
            ),
            answers("I could not page them: the pager service is unreachable. Please call the on-call phone."),
        ),
        failing=("tool_error",),
        why="a gRPC status says that the page was not sent",
    ),
    Story(
        "devops_linter_reports_problems",
        "openinference",
        AGENT,
        (
            user("Check deploy/checkout.yaml"),
            asks(
                call(
                    "lint_manifest",
                    {"path": "deploy/checkout.yaml"},
                    "checkout.yaml:14: error: no memory limit\ncheckout.yaml:31: warning: tag latest\n1 error",
                )
            ),
            answers("Line 14 lacks a memory limit, and line 31 uses the tag latest."),
        ),
        failing=(),
        why="a linter that finds an error did its work",
    ),
    Story(
        "devops_agent_cancelled",
        "openllmetry",
        AGENT,
        (
            user("Drain node-7"),
            asks(
                call(
                    "kubectl",
                    {"args": "drain node-7 --ignore-daemonsets"},
                    "node/node-7 cordoned\nevicting pod shop/checkout-1",
                )
            ),
            model_fails("httpx.ReadTimeout", "the model did not answer within 60 s"),
            crashes("httpx.ReadTimeout", "the model did not answer within 60 s"),
        ),
        failing=("run_completion",),
        why="the model timed out and the run ended in that error, with the node half drained",
    ),
    Story(
        "devops_second_search_is_a_repeat",
        "pydantic_ai",
        AGENT,
        (
            user("Any errors in search?"),
            asks(call("search_logs", {"service": "search", "query": "level:ERROR"}, "no matching lines")),
            asks(call("search_logs", {"service": "search", "query": "level:ERROR"}, "no matching lines")),
            answers("No, there are none."),
        ),
        failing=(),
        why="one needless repeat is not optimal and no loop",
    ),
)
