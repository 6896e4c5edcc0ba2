"""Probes, scanners, validators and lookups report errors of others all day long."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, tool, user

DESK = Agent(
    "on-call-assistant",
    (
        tool("get_runbook", "Read a runbook", topic="string"),
        tool("check_uptime", "Probe an address", url="string"),
        tool("get_sentry_event", "Read an event", id="string"),
        tool("get_pipeline", "State of a pipeline", id="integer"),
        tool("search_tickets", "Search tickets", query="string"),
        tool("read_email", "Read a mail", id="string"),
        tool("scan_image", "Scan a container image", image="string"),
        tool("status_page", "Status of a provider", provider="string"),
        tool("validate_manifest", "Validate a manifest", path="string"),
        tool("read_file", "Read a file", path="string"),
        tool("get_webhook_deliveries", "Deliveries of a webhook", id="string"),
        tool("restart_service", "Restart a service", name="string"),
        tool("summarize_incident", "Summary of an incident", id="string"),
        tool("list_users", "List users", page="integer?"),
    ),
    "You support the engineer on call.",
    model="gpt-4.1",
)


STORIES = (
    Story(
        "second_uptime_probe_503",
        "genai",
        DESK,
        (
            user("Is the shop up?"),
            asks(
                call(
                    "check_uptime",
                    {"url": "https://shop.example"},
                    {
                        "url": "https://shop.example",
                        "status": 503,
                        "ok": False,
                        "error": "Service Unavailable",
                        "ms": 81,
                    },
                )
            ),
            answers("No, it answers 503."),
        ),
        (),
        "the probe did its work: it is the shop that is down",
    ),
    Story(
        "second_pipeline_failed_lookup",
        "pydantic_ai",
        DESK,
        (
            user("What happened to pipeline 991?"),
            asks(
                call(
                    "get_pipeline",
                    {"id": 991},
                    {"id": 991, "status": "failed", "failed_job": "lint", "message": "exit code 1"},
                )
            ),
            answers("It failed in `lint`."),
        ),
        (),
        "the pipeline failed, the lookup did not",
    ),
    Story(
        "second_scanner_findings",
        "genai",
        DESK,
        (
            user("Is our image safe?"),
            asks(
                call(
                    "scan_image",
                    {"image": "shop:4"},
                    {
                        "passed": False,
                        "errors": [{"id": "CVE-2025-1", "severity": "CRITICAL", "message": "Heap overflow in zlib"}],
                    },
                )
            ),
            answers("No: one critical finding in zlib."),
        ),
        (),
        "finding fault is the work of a scanner",
    ),
    Story(
        "second_provider_outage",
        "openinference",
        DESK,
        (
            user("Is it us or the provider?"),
            asks(
                call(
                    "status_page",
                    {"provider": "cloudy"},
                    {
                        "status": {"indicator": "major", "description": "Major Service Outage"},
                        "components": [{"name": "API", "status": "major_outage"}],
                    },
                )
            ),
            answers("It is the provider: its API is down."),
        ),
        (),
        "the status page tells of an outage of the provider",
    ),
    Story(
        "second_validator_invalid",
        "vercel_ai",
        DESK,
        (
            user("Is the manifest fine?"),
            asks(
                call(
                    "validate_manifest",
                    {"path": "web.yaml"},
                    {
                        "valid": False,
                        "errors": ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
                    },
                )
            ),
            answers("No, `replicas` is negative."),
        ),
        (),
        "finding fault is the work of a validator",
    ),
    Story(
        "second_webhook_deliveries",
        "openllmetry",
        DESK,
        (
            user("How do the deliveries of hook h1 look?"),
            asks(
                call(
                    "get_webhook_deliveries",
                    {"id": "h1"},
                    {
                        "deliveries": [
                            {"id": 1, "status_code": 500, "status": "error", "error": "Internal Server Error"},
                            {"id": 2, "status_code": 200, "status": "ok", "error": None},
                        ]
                    },
                )
            ),
            answers("The first failed with 500, the second worked."),
        ),
        (),
        "a list of deliveries, one of which had failed",
    ),
    Story(
        "second_restart_failed_twice",
        "genai",
        DESK,
        (
            user("Restart billing."),
            asks(call("restart_service", {"name": "billing"}, fault=Fault("TimeoutError", "no answer within 30 s"))),
            asks(call("restart_service", {"name": "billing"}, {"code": 14, "message": "agent offline", "details": []})),
            answers("It does not react."),
        ),
        ("tool_error",),
        "both attempts failed",
    ),
    Story(
        "second_deprecation_notice",
        "vercel_ai",
        DESK,
        (
            user("Who has an account?"),
            asks(
                call(
                    "list_users",
                    {},
                    {
                        "warnings": ["Error-prone: v1 is deprecated and will fail after 2027-01-01"],
                        "users": ["ana", "bo"],
                    },
                )
            ),
            answers("Ana and Bo."),
        ),
        (),
        "a notice of deprecation beside the data",
    ),
    Story(
        "second_list_users_page_null",
        "genai",
        DESK,
        (
            user("Who has an account?"),
            asks(call("list_users", {"page": None}, {"users": ["ana", "bo"], "error": "", "next": None})),
            answers("Ana and Bo."),
        ),
        (),
        "null for an optional property, and an empty error",
    ),
)
