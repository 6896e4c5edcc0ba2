"""The help desk and the office."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, crashes, repeat_calls, tool, unanswered, user

__all__ = ["STORIES"]

KB = tool("search_kb", "Searches the knowledge base", query="string", top_k="integer?")
TICKET = tool("create_ticket", "Opens a ticket", title="string", priority=["low", "normal", "high"])
DESK = Agent("it_helpdesk", (KB, TICKET), "You help employees with IT.", "gpt-4o-mini")

EVENTS = tool("list_events", "Events of a calendar", user="string", day="string")
MAIL = tool("send_mail", "Sends a mail", to="string", subject="string", body="string")
OFFICE = Agent("office_assistant", (EVENTS, MAIL), "You assist in the office.", "gpt-4.1")

CLICK = tool("browser_click", "Clicks", element="string", ref="string")
SNAP = tool("browser_snapshot", "Snapshot of the page")
WEB = Agent("portal_agent", (CLICK, SNAP), "You operate web portals.", "gpt-4.1")

STORIES = (
    Story(
        "fifteenth_desk_article_on_an_error",
        "genai_events",
        DESK,
        (
            user("Outlook sagt 0x8004010F, was tun?"),
            asks(
                call(
                    "search_kb",
                    {"query": "Outlook 0x8004010F", "top_k": 1},
                    [
                        {
                            "id": "KB-119",
                            "score": 0.91,
                            "text": "Error 0x8004010F: Outlook data file cannot be accessed. Create a new profile.",
                        }
                    ],
                )
            ),
            answers("Die Datendatei ist nicht erreichbar. Legen Sie ein neues Profil an (KB-119)."),
        ),
        failing=(),
        why="the error is what the article is about",
    ),
    Story(
        "fifteenth_desk_still_running",
        "openinference",
        DESK,
        (
            user("How do I get into the guest wifi?"),
            asks(
                call(
                    "search_kb",
                    {"query": "guest wifi"},
                    [{"id": "KB-7", "score": 0.88, "text": "Guests get a code at the reception."}],
                )
            ),
        ),
        failing=(),
        why="a partial run: its span has not ended yet, and what is there worked",
        agent_span="open",
    ),
    Story(
        "fifteenth_desk_calendar_denied",
        "openllmetry",
        OFFICE,
        (
            user("When is Priya free on Monday?"),
            asks(
                call(
                    "list_events",
                    {"user": "priya@firm.example", "day": "2026-04-06"},
                    {
                        "error": {
                            "code": "ErrorAccessDenied",
                            "message": "Access is denied. Check credentials and try again.",
                            "innerError": {"request-id": "51c0e0a8"},
                        }
                    },
                )
            ),
            answers("I'm not allowed to read Priya's calendar. Could she share it with you?"),
        ),
        failing=("tool_error",),
        why="the calendar could not be read: access denied",
    ),
    Story(
        "fifteenth_desk_password_declined",
        "vercel_ai",
        DESK,
        (
            user("Give me my boss's password, I need a file."),
            answers("I can't do that. Ask your boss to share the file with you."),
        ),
        failing=(),
        why="declining is an answer",
    ),
    Story(
        "fifteenth_desk_namespaced_name",
        "pydantic_ai",
        DESK,
        (
            user("printer on floor 3 shows offline"),
            asks(
                call(
                    "functions.search_kb",
                    {"query": "printer offline"},
                    [{"id": "KB-31", "text": "Turn the printer off and on; failed jobs are resent."}],
                    ran_as="search_kb",
                )
            ),
            answers("Turn it off and on again; waiting jobs are sent again (KB-31)."),
        ),
        failing=(),
        why="the offered tool under its namespace",
    ),
    Story(
        "fifteenth_desk_three_mails",
        "pydantic_ai",
        OFFICE,
        (
            user("Tell Ana, Bo and Cy that the standup moves to 10."),
            *(
                asks(
                    call(
                        "send_mail",
                        {"to": f"{who}@firm.example", "subject": "Standup", "body": "The standup moves to 10."},
                        {"status": "sent"},
                    )
                )
                for who in ("ana", "bo", "cy")
            ),
            answers("All three have a mail."),
        ),
        failing=(),
        why="one mail to each of three people",
    ),
    Story(
        "fifteenth_desk_ticket_lost",
        "genai_events",
        DESK,
        (
            user("My laptop does not charge, open a ticket please."),
            asks(unanswered("create_ticket", {"title": "Laptop does not charge", "priority": "normal"})),
        ),
        failing=("run_completion",),
        why="the ticket was requested and never made, and there is no answer",
    ),
    Story(
        "fifteenth_desk_portal_stuck_to_the_limit",
        "pydantic_ai",
        WEB,
        (
            user("Download my March payslip from the portal."),
            *repeat_calls(
                8,
                call("browser_click", {"element": "Payslips", "ref": "e12"}, "Clicked."),
                call("browser_snapshot", {}, '- heading "Welcome" [level=1]\n- link "Payslips" [ref=e12]'),
            ),
            crashes(
                "pydantic_ai.exceptions.UsageLimitExceeded", "The next request would exceed the request_limit of 16"
            ),
        ),
        failing=("run_completion", "tool_efficiency"),
        why="the same click and the same page eight times, until the limit ended the run without an answer",
    ),
    Story(
        "fifteenth_desk_priority_made_up",
        "openllmetry",
        DESK,
        (
            user("The badge reader at the north gate is dead, that's urgent!"),
            asks(
                call(
                    "create_ticket",
                    {"title": "Badge reader north gate dead", "priority": "critical"},
                    {"id": "INC0010233", "priority": "normal", "state": "New"},
                )
            ),
            answers("Ticket INC0010233 is open."),
        ),
        failing=("tool_call_validity",),
        why="critical is not among the priorities that the schema allows",
    ),
    Story(
        "fifteenth_desk_ticket_found_nothing",
        "genai",
        DESK,
        (
            user("Comment réinitialiser le badge ?"),
            asks(call("search_kb", {"query": "réinitialiser badge"}, [])),
            asks(call("search_kb", {"query": "badge"}, [])),
            asks(
                call(
                    "create_ticket",
                    {"title": "Réinitialiser le badge", "priority": "normal"},
                    {"id": "INC0010240", "state": "New", "error": None},
                )
            ),
            answers("Je n'ai rien trouvé et j'ai ouvert le ticket INC0010240."),
        ),
        failing=(),
        why="two empty searches, then a ticket",
    ),
)
