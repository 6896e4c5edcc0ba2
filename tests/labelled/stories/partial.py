"""Runs whose spans tell only a part, and runs whose spans say what was expected of them."""

from __future__ import annotations

from ..story import Fault, Story, answers, asks, call, unanswered, user
from .office import ASSISTANT

__all__ = ["STORIES"]

STORIES = (
    Story(
        "office_run_still_open",
        "openllmetry",
        ASSISTANT,
        (
            user("Clean up my mailbox."),
            asks(call("search_mail", {"query": "older_than:2y"}, [{"id": 1}, {"id": 2}])),
            asks(call("search_mail", {"query": "is:unread"}, [{"id": 3}])),
        ),
        failing=(),
        why="the run has not ended yet, so nothing can be missing from it",
        agent_span="open",
    ),
    Story(
        "office_single_model_call",
        "genai",
        ASSISTANT,
        (user("Subject line for a mail about new prices?"), answers("Our prices change on 1 January")),
        failing=(),
        why="a single model call without an agent",
        agent_span="none",
    ),
    Story(
        "office_single_model_call_asks_for_a_tool",
        "openinference",
        ASSISTANT,
        (user("What is on Friday?"), asks(unanswered("list_events", {"day": "2026-11-27"}))),
        failing=(),
        why="a single model call without an agent; whatever runs the tool is not traced",
        agent_span="none",
    ),
    Story(
        "office_content_not_captured",
        "genai_events",
        ASSISTANT,
        (
            user("What is on Friday?"),
            asks(call("list_events", {"day": "2026-11-27"}, [])),
            answers("Nothing."),
        ),
        failing=(),
        why="contents are not recorded; the spans show a call that worked and a model that stopped",
        has_content=False,
    ),
    Story(
        "office_content_not_captured_tool_raised",
        "vercel_ai",
        ASSISTANT,
        (
            user("What is on Friday?"),
            asks(
                call(
                    "list_events",
                    {"day": "2026-11-27"},
                    fault=Fault("TokenExpiredError", "the calendar token has expired"),
                )
            ),
            answers("I can't reach your calendar."),
        ),
        failing=("tool_error",),
        why="contents are not recorded, but the span of the call has an error",
        has_content=False,
    ),
    Story(
        "office_expected_calls_made",
        "genai",
        ASSISTANT,
        (
            user("Book a room review on Monday at ten with Ana."),
            asks(
                call(
                    "create_event",
                    {"title": "Room review", "start": "2026-11-30T10:00", "attendees": ["ana@example.com"]},
                    {"event_id": "ev_2", "error": None},
                )
            ),
            answers("Booked."),
        ),
        failing=(),
        why="the call that the spans say was expected was made",
        attributes={"tracegrade.expected_tool_calls": '[{"name": "create_event"}]'},
    ),
    Story(
        "office_expected_call_missing",
        "genai",
        ASSISTANT,
        (
            user("Book a room review on Monday at ten with Ana."),
            asks(call("list_events", {"day": "2026-11-30"}, [])),
            answers("Monday at ten is free."),
        ),
        failing=("tool_correctness", "tool_trajectory"),
        why="the event was expected to be created, and only the calendar was read",
        attributes={"tracegrade.expected_tool_calls": '[{"name": "create_event"}]'},
    ),
    Story(
        "sdk_loop_cut_off",
        "vercel_ai",
        ASSISTANT,
        (user("Write a long poem on prices."), answers("Prices rise and", "length")),
        failing=("run_completion",),
        why="the SDK's own loop is the agent here, and its answer is cut off by length",
    ),
)
