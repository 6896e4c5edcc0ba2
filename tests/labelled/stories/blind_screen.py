"""Agents that operate a browser or a mailbox; labelled from the spans alone."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, crashes, model_fails, tool, user

__all__ = ["STORIES"]

SCREEN = "You operate a browser by screenshots, clicks and keys."
SHOT = tool("screenshot", "Take a screenshot, described in text.")
CLICK = tool("click", "Click at a position.", x="integer", y="integer")
TYPE = tool("type_text", "Type text.", text="string")

STORIES = (
    Story(
        "screen_form_filled",
        "pydantic_ai",
        Agent("browser_agent", (SHOT, CLICK, TYPE), SCREEN),
        (
            user("Enter 42 as the meter reading on the energy portal and send it."),
            asks(call("screenshot", {}, "Page 'Meter reading', empty field at (310, 220), button Send at (310, 300)")),
            asks(call("click", {"x": 310, "y": 220}, "ok")),
            asks(call("screenshot", {}, "Page 'Meter reading', the field has the focus")),
            asks(call("type_text", {"text": "42"}, "ok")),
            asks(call("screenshot", {}, "Page 'Meter reading', field shows 42")),
            asks(call("click", {"x": 310, "y": 300}, "ok")),
            asks(call("screenshot", {}, "Page 'Thank you', reading 42 received")),
            answers("The portal has received the reading 42."),
        ),
        failing=(),
        why="Screenshots between the actions, each shows something new, and the form was sent.",
    ),
    Story(
        "screen_dead_button",
        "openinference",
        Agent("browser_agent", (SHOT, CLICK, TYPE), SCREEN),
        (
            user("Accept the terms and go on."),
            *(
                asks(call("click", {"x": 512, "y": 640}, "ok")),
                asks(call("screenshot", {}, "Page 'Terms', button Accept is grey at (512, 640)")),
            )
            * 5,
            answers("The button Accept stays grey; I cannot go on."),
        ),
        failing=("tool_efficiency",),
        why="The same click and the same unchanged screenshot in turn, five times.",
    ),
    Story(
        "mcp_issue_created_under_short_name",
        "genai_events",
        Agent(
            "triage",
            (tool("mcp__github__create_issue", "Create an issue.", repo="string", title="string", body="string?"),),
            "You turn reports into issues.",
        ),
        (
            user("File it: the export button does nothing in Safari."),
            asks(
                call(
                    "mcp__github__create_issue",
                    {"repo": "acme/web", "title": "Export button does nothing in Safari"},
                    {"number": 812, "state": "open"},
                    ran_as="create_issue",
                )
            ),
            answers("I filed it as acme/web#812."),
        ),
        failing=(),
        why=("The tool is offered as mcp__github__create_issue and runs as create_issue: the same tool."),
    ),
    Story(
        "mcp_is_error",
        "openllmetry",
        Agent(
            "triage",
            (tool("create_issue", "Create an issue.", repo="string", title="string"),),
            "You turn reports into issues.",
        ),
        (
            user("File it: the map is upside down."),
            asks(
                call(
                    "create_issue",
                    {"repo": "acme/maps", "title": "The map is upside down"},
                    {"content": [{"type": "text", "text": "Resource not accessible by integration"}], "isError": True},
                )
            ),
            answers("I have no permission to file issues in acme/maps."),
        ),
        failing=("tool_error",),
        why="The MCP result has isError true, and the call was not repeated.",
    ),
    Story(
        "agent_step_limit_reached",
        "vercel_ai",
        Agent(
            "inbox_agent",
            (tool("next_mail", "Get the next mail."), tool("archive", "Archive a mail.", id="string")),
            "You tidy up a mailbox.",
        ),
        (
            user("Archive all newsletters."),
            asks(call("next_mail", {}, {"id": "m1", "from": "news@shop.example", "subject": "Spring sale"})),
            asks(call("archive", {"id": "m1"}, {"archived": True})),
            asks(call("next_mail", {}, {"id": "m2", "from": "news@bikes.example", "subject": "New models"})),
            asks(call("archive", {"id": "m2"}, {"archived": True})),
            crashes("GraphRecursionError", "Recursion limit of 5 reached without hitting a stop condition."),
        ),
        failing=("run_completion",),
        why="The framework stopped the run with an error after its step limit; there is no answer.",
    ),
    Story(
        "agent_model_overloaded",
        "pydantic_ai",
        Agent("inbox_agent", (tool("count_mails", "Count mails.", folder="string"),), "You tidy up a mailbox."),
        (
            user("How many mails are in my inbox?"),
            asks(call("count_mails", {"folder": "INBOX"}, {"count": 317})),
            model_fails("OverloadedError", "529 overloaded_error: Overloaded"),
            crashes("OverloadedError", "529 overloaded_error: Overloaded"),
        ),
        failing=("run_completion",),
        why=("The second model call was refused with 529 overloaded, and the run ended with that error."),
    ),
)
