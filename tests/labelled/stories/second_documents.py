"""Runbooks, tickets, mails and source code talk of errors all day long."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, tool, user

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
        "second_runbook_begins_with_error",
        "openinference",
        DESK,
        (
            user("What do we do when Redis refuses connections?"),
            asks(
                call(
                    "get_runbook",
                    {"topic": "redis"},
                    "Error: ECONNREFUSED 127.0.0.1:6379\n\nWhen you see this, Redis is down. 1. Check the pod. "
                    "2. Check the memory limit. 3. Restart it and watch the replication lag.",
                )
            ),
            answers("Check the pod and its memory limit, then restart it."),
        ),
        (),
        "a runbook quotes the message that it is about",
    ),
    Story(
        "second_sentry_stack_trace",
        "vercel_ai",
        DESK,
        (
            user("Show me the trace of event e1."),
            asks(
                call(
                    "get_sentry_event",
                    {"id": "e1"},
                    'Traceback (most recent call last):\n  File "shop/cart.py", line 40, in total\n'
                    "    return sum(prices)\nTypeError: unsupported operand type(s) for +: 'int' and 'str'",
                )
            ),
            answers("A price is a text in `cart.total`."),
        ),
        (),
        "the stack trace of another program was asked for",
    ),
    Story(
        "second_tickets_quote_errors",
        "openllmetry",
        DESK,
        (
            user("Are there tickets about the login?"),
            asks(
                call(
                    "search_tickets",
                    {"query": "login"},
                    [
                        {"id": 1, "subject": "Error: invalid credentials", "status": "open"},
                        {
                            "id": 2,
                            "subject": "HTTP 500 after login",
                            "status": "open",
                            "body": "Exception: NullPointer",
                        },
                    ],
                )
            ),
            answers("Two: 1 and 2."),
        ),
        (),
        "tickets that quote errors were found",
    ),
    Story(
        "second_bounced_mail",
        "genai_events",
        DESK,
        (
            user("Why did my mail come back?"),
            asks(
                call(
                    "read_email",
                    {"id": "m5"},
                    "Subject: Undelivered Mail Returned to Sender\n\n550 5.1.1 <bo@x.example>: Recipient address "
                    "rejected: User unknown",
                )
            ),
            answers("The address does not exist."),
        ),
        (),
        "a mail about a failure was read",
    ),
    Story(
        "second_source_of_exceptions",
        "pydantic_ai",
        DESK,
        (
            user("Which exceptions does the client define?"),
            asks(
                call(
                    "read_file",
                    {"path": "client/errors.py"},
                    'class PaymentError(Exception):\n    """Payment failed."""\n\n\nclass Declined(PaymentError):\n'
                    '    def __str__(self):\n        return f"Error: declined ({self.code})"',
                )
            ),
            answers("`PaymentError` and `Declined`."),
        ),
        (),
        "source code that defines errors",
    ),
    Story(
        "second_read_missing_file_as_content",
        "genai_events",
        DESK,
        (
            user("What is in notes.md?"),
            asks(
                call(
                    "read_file",
                    {"path": "notes.md"},
                    [{"type": "text", "text": "Error: ENOENT: no such file or directory, open 'notes.md'"}],
                )
            ),
            answers("It says that the deployment is on Friday."),
        ),
        ("tool_error",),
        "the file could not be read, and its content is made up",
    ),
    Story(
        "second_incident_summary_tells_of_failures",
        "openinference",
        DESK,
        (
            user("Sum up incident 12 for the board."),
            asks(
                call(
                    "summarize_incident",
                    {"id": "12"},
                    "Failed to renew the TLS certificate: the automation lost its DNS permission on 3 March. All "
                    "logins returned HTTP 525 for 41 minutes. The permission was restored; an alert warns in time.",
                )
            ),
            answers("A certificate was not renewed; logins failed for 41 minutes; an alert now prevents it."),
        ),
        (),
        "a summary of an incident begins with what failed",
    ),
)
