"""Several agents: hand-offs, sub-agents as tools, supervisors."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, hands_off, tool, unanswered, user

__all__ = ["STORIES"]

INVOICE = tool("get_invoice", "An invoice", number="string")
REFUND = tool("refund", "Refund an invoice", number="string", amount="number")
SEARCH = tool("search", "Search the web", query="string")
RESEARCH = tool("research", "Ask the researcher", question="string")
WRITE = tool("write_section", "Ask the writer", brief="string")
BILLING = Agent("billing", (INVOICE, REFUND), "You solve questions of invoices.")
TRIAGE = Agent("triage", (), "You hand customers to the right colleague.")
RESEARCHER = Agent("researcher", (SEARCH,), "You find facts.")
WRITER = Agent("writer", (), "You write.")
EDITOR = Agent("editor", (RESEARCH, WRITE), "You produce reports with a team.")
MANAGER = Agent("manager", (SEARCH,), "You manage other agents.", model="Qwen2.5-Coder-32B")

PARENT = Fault("langgraph.errors.ParentCommand", "Command(graph='__parent__', update={'messages': []}, goto='billing')")
PAID = {"number": "R-2291", "amount": 89.0, "state": "paid", "error": None}


STORIES = (
    Story(
        "teams_hand_off_to_billing",
        "openllmetry",
        TRIAGE,
        (
            user("I was charged twice for R-2291"),
            hands_off(BILLING),
            asks(call("get_invoice", {"number": "R-2291"}, PAID)),
            asks(call("refund", {"number": "R-2291", "amount": 89}, {"refunded": 89.0, "errors": []})),
            answers("I've refunded the second charge of €89."),
        ),
        failing=(),
        why="triage handed the customer on and billing answered; the first agent owes no answer",
    ),
    Story(
        "teams_langgraph_parent_command",
        "openinference",
        TRIAGE,
        (
            user("I was charged twice for R-2292"),
            hands_off(BILLING, PARENT),
            asks(call("get_invoice", {"number": "R-2292"}, {**PAID, "number": "R-2292"})),
            answers("Invoice R-2292 was charged once only; the other entry is a reservation that will vanish."),
        ),
        failing=(),
        why="ParentCommand is how LangGraph leaves the first agent; nothing failed",
    ),
    Story(
        "teams_refund_fails_after_hand_off",
        "genai",
        TRIAGE,
        (
            user("Refund R-2293 please"),
            hands_off(BILLING),
            asks(
                call(
                    "refund",
                    {"number": "R-2293", "amount": 12.5},
                    fault=Fault("PaymentProviderError", "refund window of 180 days has passed"),
                )
            ),
            answers("This invoice is too old for an automatic refund, I'm sorry."),
        ),
        failing=("tool_error",),
        why="the refund raised in the second agent and was not made good",
    ),
    Story(
        "teams_second_agent_without_answer",
        "openinference",
        TRIAGE,
        (
            user("Why is R-2294 so high?"),
            hands_off(BILLING),
            asks(call("get_invoice", {"number": "R-2294"}, {**PAID, "number": "R-2294", "amount": 940.0})),
        ),
        failing=("run_completion",),
        why="after the hand-off the invoice was read, and then nobody answered",
    ),
    Story(
        "teams_report_by_sub_agents",
        "genai",
        EDITOR,
        (
            user("Half a page on tidal power in Brittany."),
            asks(
                call(
                    "research",
                    {"question": "tidal power in Brittany"},
                    "La Rance has run since 1966 with 240 MW.",
                    agent=RESEARCHER,
                    steps=(
                        asks(
                            call(
                                "search", {"query": "tidal power Brittany"}, [{"title": "La Rance: 240 MW since 1966"}]
                            )
                        ),
                        answers("La Rance has run since 1966 with 240 MW."),
                    ),
                )
            ),
            asks(
                call(
                    "write_section",
                    {"brief": "La Rance, 1966, 240 MW"},
                    "On the Rance, the sea has made power since 1966.",
                    agent=WRITER,
                    steps=(answers("On the Rance, the sea has made power since 1966."),),
                )
            ),
            answers("On the Rance, the sea has made power since 1966. With 240 MW, the plant …"),
        ),
        failing=(),
        why="both sub-agents and the editor did their part",
    ),
    Story(
        "teams_sub_agent_loops",
        "vercel_ai",
        EDITOR,
        (
            user("A line on fusion power in Iceland."),
            asks(
                call(
                    "research",
                    {"question": "fusion power in Iceland"},
                    "Nothing found.",
                    agent=RESEARCHER,
                    steps=(
                        *(asks(call("search", {"query": "fusion power Iceland"}, [])) for _ in range(5)),
                        answers("Nothing found."),
                    ),
                )
            ),
            answers("There is no fusion power in Iceland that I could find."),
        ),
        failing=("tool_efficiency",),
        why="the sub-agent made the same empty search five times in a row",
    ),
    Story(
        "teams_sub_agent_crashes",
        "pydantic_ai",
        EDITOR,
        (
            user("A line on geothermal heat in Reykjavik."),
            asks(
                call(
                    "research",
                    {"question": "geothermal heat in Reykjavik"},
                    agent=RESEARCHER,
                    steps=(crashes("UnexpectedModelBehavior", "Exceeded maximum retries (1) for output validation"),),
                    fault=Fault("UnexpectedModelBehavior", "Exceeded maximum retries (1) for output validation"),
                )
            ),
            answers("My researcher is out of order, so I can only say that Reykjavik heats with hot springs."),
        ),
        failing=("run_completion", "tool_error"),
        why="the sub-agent's run ended in an error, and the call of it failed and was not repeated",
    ),
    Story(
        "teams_managed_agent_is_no_tool",
        "genai",
        MANAGER,
        (
            user("What is the population of Lyon?"),
            asks(
                call(
                    "city_expert",
                    {"task": "population of Lyon"},
                    "522,000",
                    agent=Agent("city_expert", (SEARCH,), model="Qwen2.5-Coder-32B"),
                    steps=(asks(call("search", {"query": "Lyon population"}, "522,250 (2021)")), answers("522,000")),
                )
            ),
            answers("About 522,000."),
        ),
        failing=(),
        why="a managed agent is called like a tool without being offered as one",
    ),
    Story(
        "teams_supervisor_drops_a_call",
        "openllmetry",
        EDITOR,
        (
            user("A report on wind in Denmark."),
            asks(
                call(
                    "research",
                    {"question": "wind in Denmark"},
                    "55 % of power",
                    agent=RESEARCHER,
                    steps=(asks(call("search", {"query": "wind Denmark"}, ["55 %"])), answers("55 % of power")),
                )
            ),
            asks(unanswered("write_section", {"brief": "wind, Denmark, 55 %"})),
        ),
        failing=("run_completion",),
        why="the writer was asked for and never ran; there is no report",
    ),
    Story(
        "teams_hand_off_content_not_captured",
        "genai",
        TRIAGE,
        (
            user("Hello"),
            hands_off(BILLING),
            asks(call("get_invoice", {"number": "R-1"}, PAID)),
            answers("Here you are."),
        ),
        failing=(),
        why="contents are not recorded; nothing in the spans speaks of a failure",
        has_content=False,
    ),
)
