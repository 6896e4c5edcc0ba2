"""Mail, calendars, tickets, people in the loop; and runs whose spans tell only a part."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, tool, user

__all__ = ["STORIES"]

SEND = tool("send_email", "Send a mail", to="string", subject="string", body="string")
SEARCH = tool("search_mail", "Search the mailbox", query="string")
EVENTS = tool("list_events", "Events of a day", day="string")
INVITE = tool("create_event", "Create an event", title="string", start="string", attendees="string[]")
SLACK = tool("post_message", "Post to Slack", channel="string", text="string")
TICKET = tool("create_ticket", "Create a ticket", title="string", priority=["low", "normal", "urgent"])
ASSISTANT = Agent("office_assistant", (SEND, SEARCH, EVENTS, INVITE, SLACK, TICKET), "You are an office assistant.")

INTERRUPT = Fault(
    "langgraph.errors.GraphInterrupt",
    "(Interrupt(value={'question': 'Send this mail to all customers?'}, id='b1f0'),)",
)
MAIL = {"to": "all-customers@example.com", "subject": "New prices", "body": "Our prices change on 1 January."}

STORIES = (
    Story(
        "office_waits_for_approval",
        "pydantic_ai",
        ASSISTANT,
        (
            user("Tell all customers about the new prices."),
            asks(call("send_email", MAIL, deferral="ApprovalRequired", is_answered=False)),
            answers('{"calls": [], "approvals": [{"tool_name": "send_email"}], "metadata": {}}'),
        ),
        failing=(),
        why="the mail waits for a person's approval",
    ),
    Story(
        "office_graph_interrupt",
        "openinference",
        ASSISTANT,
        (
            user("Tell all customers about the new prices, but let me look at it first."),
            asks(call("send_email", MAIL, fault=INTERRUPT, is_answered=False)),
        ),
        failing=(),
        why="the graph was interrupted to ask a person; that is no failure and no missing answer",
    ),
    Story(
        "office_slack_not_ok",
        "openllmetry",
        ASSISTANT,
        (
            user("Post 'standup in 5' to #team-nord"),
            asks(
                call(
                    "post_message",
                    {"channel": "#team-nord", "text": "standup in 5"},
                    {"ok": False, "error": "channel_not_found"},
                )
            ),
            answers("There is no channel #team-nord that I can post to."),
        ),
        failing=("tool_error",),
        why="Slack's answer is `ok: false` with an error",
    ),
    Story(
        "office_slack_ok",
        "openllmetry",
        ASSISTANT,
        (
            user("Post 'standup in 5' to #nord"),
            asks(
                call(
                    "post_message",
                    {"channel": "#nord", "text": "standup in 5"},
                    {"ok": True, "ts": "1763712000.000100"},
                )
            ),
            answers("Posted."),
        ),
        failing=(),
        why="the message was posted",
    ),
    Story(
        "office_mail_about_failures",
        "genai_events",
        ASSISTANT,
        (
            user("Did anybody write about the outage?"),
            asks(
                call(
                    "search_mail",
                    {"query": "outage"},
                    [
                        {
                            "from": "ops@example.com",
                            "subject": "Error: backup failed",
                            "snippet": "status: failed, HTTP 500 …",
                        }
                    ],
                )
            ),
            answers("Yes, operations wrote that a backup failed."),
        ),
        failing=(),
        why="the mails talk of failures; the search worked",
    ),
    Story(
        "office_priority_invented",
        "openinference",
        ASSISTANT,
        (
            user("Open a ticket: the printer is on fire!"),
            asks(call("create_ticket", {"title": "Printer on fire", "priority": "blazing"}, {"ticket": "IT-4410"})),
            answers("Ticket IT-4410 is open. Please also call the fire brigade."),
        ),
        failing=("tool_call_validity",),
        why="the priority is none of those that the schema allows",
    ),
    Story(
        "office_attendees_not_a_list",
        "genai",
        ASSISTANT,
        (
            user("Lunch with Ana and Tom at noon"),
            asks(
                call(
                    "create_event",
                    {"title": "Lunch", "start": "2026-11-24T12:00", "attendees": {"first": "Ana", "second": "Tom"}},
                    {"event_id": "ev_1"},
                )
            ),
            answers("It's in your calendar."),
        ),
        failing=("tool_call_validity",),
        why="the attendees have to be a list, and are an object",
    ),
    Story(
        "office_same_question_next_turn",
        "vercel_ai",
        ASSISTANT,
        (
            user("What is on today?"),
            asks(call("list_events", {"day": "2026-11-23"}, ["09:00 standup"])),
            answers("The standup at nine."),
            user("And now, anything new?"),
            asks(call("list_events", {"day": "2026-11-23"}, ["09:00 standup"])),
            answers("No, just the standup."),
        ),
        failing=(),
        why="the same call in the next turn, because the user asked again",
    ),
    Story(
        "office_second_turn_fails",
        "genai",
        ASSISTANT,
        (
            user("What is on Thursday?"),
            asks(call("list_events", {"day": "2026-11-26"}, ["14:00 review"])),
            answers("The review at two."),
            user("Invite Tom to it."),
            asks(
                call(
                    "create_event",
                    {"title": "review", "start": "2026-11-26T14:00", "attendees": ["tom@example.com"]},
                    {"error": {"code": 403, "message": "calendar is read-only"}},
                )
            ),
            answers("Your calendar is read-only, I could not invite Tom."),
        ),
        failing=("tool_error",),
        why="the first turn is fine, and in the second the invitation failed",
    ),
    Story(
        "office_never_answered",
        "genai_events",
        ASSISTANT,
        (
            user("Find the contract of Tessel and tell me when it ends."),
            asks(
                call(
                    "search_mail",
                    {"query": "Tessel contract"},
                    [{"subject": "Contract", "snippet": "until 31 March 2027"}],
                )
            ),
        ),
        failing=("run_completion",),
        why="the run ended after the search, without an answer",
    ),
)
