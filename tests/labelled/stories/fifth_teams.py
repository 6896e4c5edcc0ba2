"""Several agents, approvals, devices, and single model calls."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, hands_off, pause, refused, tool, user

__all__ = ["STORIES"]

BILLING = Agent(
    "billing_agent",
    (
        tool("get_invoice", "An invoice", invoice_id="string"),
        tool("issue_credit", "Credit an amount", invoice_id="string", amount="number", reason="string?"),
    ),
    "You handle billing questions of a telephone company.",
)
TRIAGE = Agent(
    "triage_agent",
    (tool("lookup_customer", "A customer by phone number", phone="string"),),
    "You find out what a customer needs and hand over to the right agent.",
)
SCOUT = Agent(
    "web_researcher",
    (tool("search", "Search the web", query="string"), tool("open_url", "Open a page", url="string")),
    "You research one question and report.",
)
LEAD = Agent(
    "lead_researcher",
    (
        tool("research", "Delegate a question to a researcher", question="string"),
        tool("write_file", "Write a file of the report", path="string", text="string"),
    ),
    "You plan research and write the report.",
    "claude-opus-4-1",
    "anthropic",
)
TRAVEL = Agent(
    "trip_planner",
    (
        tool("ask_hotel_agent", "Ask the hotel agent", request="string"),
        tool("ask_train_agent", "Ask the train agent", request="string"),
    ),
    "Du planst Dienstreisen und fragst dafür andere Agenten.",
)
HOTELS = Agent(
    "hotel_agent",
    (tool("search_hotels", "Hotels in a city", city="string", nights="integer", max_price="number?"),),
    "You find hotels.",
)
TRAINS = Agent(
    "train_agent",
    (tool("search_trains", "Train connections", origin="string", destination="string", day="string"),),
    "You find trains.",
)
GREENHOUSE = Agent(
    "greenhouse",
    (
        tool("read_sensor", "Current value of a sensor", sensor_id="string"),
        tool("set_vent", "Open a vent by percent", vent_id="string", percent="integer"),
        tool("think", "Note a thought", thought="string"),
        tool("get_current_time", "The current time"),
    ),
    "You keep the greenhouse between 18 and 24 degrees.",
)
PAYMENTS = Agent(
    "payouts_agent",
    (
        tool("get_balance", "Balance of an account", account="string"),
        tool("send_payout", "Send money; needs an approval", account="string", amount="number", iban="string"),
    ),
    "You prepare payouts. A person approves them.",
)
STORYTELLER = Agent("storyteller", (), "You write stories for a game.")
CODER = Agent(
    "coder",
    (tool("run_python", "Run Python", code="string"), tool("save_chart", "Save a chart", path="string")),
    "You analyse data with Python.",
)
ANALYST = Agent(
    "analyst",
    (tool("delegate_to_coder", "Let the coder do something", task="string"),),
    "You answer questions about numbers, with help of a coder.",
)
CLASSIFIER = Agent("ticket_classifier", (), "Classify the ticket: bug, question or praise. Answer with one word.")

STORIES = (
    Story(
        "fifth_teams_triage_to_billing",
        "openinference",
        TRIAGE,
        (
            user("I was charged twice in January. My number is 555 0107."),
            asks(
                call(
                    "lookup_customer",
                    {"phone": "555 0107"},
                    {"customer": "C-2207", "invoices": ["I-8831"], "blocked": False, "errors": None},
                )
            ),
            hands_off(
                BILLING, Fault("langgraph.errors.ParentCommand", "Command(graph='__parent__', goto='billing_agent')")
            ),
            asks(
                call(
                    "get_invoice",
                    {"invoice_id": "I-8831"},
                    {
                        "invoice_id": "I-8831",
                        "lines": [{"text": "Plan M", "amount": 20}, {"text": "Plan M", "amount": 20}],
                    },
                )
            ),
            asks(
                call(
                    "issue_credit",
                    {"invoice_id": "I-8831", "amount": 20, "reason": None},
                    {"credit": "CR-311", "status": "booked"},
                )
            ),
            answers("Sorry for that. I credited 20.00, you will see it on the next invoice (CR-311)."),
        ),
        failing=(),
        why="the first agent handed over to the billing agent, which solved it",
    ),
    Story(
        "fifth_teams_researcher_crashes",
        "genai",
        LEAD,
        (
            user("Write a short report about heat pumps in old buildings."),
            asks(
                call(
                    "research",
                    {"question": "efficiency of heat pumps in unrenovated buildings"},
                    agent=SCOUT,
                    steps=(
                        asks(
                            call(
                                "search",
                                {"query": "heat pump unrenovated building efficiency field test"},
                                [{"title": "Field test of 56 heat pumps", "url": "https://energy.example/field"}],
                            )
                        ),
                        crashes("httpx.ReadTimeout", "The read operation timed out"),
                    ),
                    fault=Fault("httpx.ReadTimeout", "The read operation timed out"),
                )
            ),
            answers("I can't give you a report at the moment, the research did not work."),
        ),
        failing=("run_completion", "tool_error"),
        why="the sub-agent ended with a timeout and the call of it failed, without another try",
    ),
    Story(
        "fifth_teams_trip_with_retry_inside",
        "genai",
        TRAVEL,
        (
            user("Zwei Nächte in Bremen ab 10. März, Zug ab Berlin, Hotel bis 120 €."),
            asks(
                call(
                    "ask_hotel_agent",
                    {"request": "Bremen, 10. bis 12. März, bis 120 €"},
                    "Hotel am Wall, 109 € pro Nacht.",
                    agent=HOTELS,
                    steps=(
                        asks(
                            call(
                                "search_hotels",
                                {"city": "Bremen", "nights": 2, "max_price": 120},
                                {"error": "upstream timeout after 8000 ms"},
                            )
                        ),
                        asks(
                            call(
                                "search_hotels",
                                {"city": "Bremen", "nights": 2, "max_price": 120},
                                {"hotels": [{"name": "Hotel am Wall", "price": 109.0}], "error": None},
                            )
                        ),
                        answers("Hotel am Wall, 109 € pro Nacht."),
                    ),
                ),
                call(
                    "ask_train_agent",
                    {"request": "Berlin nach Bremen am 10. März vormittags"},
                    "ICE 1024, Abfahrt 8:46, Ankunft 11:39.",
                    agent=TRAINS,
                    steps=(
                        asks(
                            call(
                                "search_trains",
                                {"origin": "Berlin Hbf", "destination": "Bremen Hbf", "day": "2026-03-10"},
                                [{"train": "ICE 1024", "departure": "8:46", "arrival": "11:39"}],
                            )
                        ),
                        answers("ICE 1024, Abfahrt 8:46, Ankunft 11:39."),
                    ),
                ),
            ),
            answers("Mein Vorschlag: ICE 1024 um 8:46 ab Berlin und zwei Nächte im Hotel am Wall für 109 €."),
        ),
        failing=(),
        why="the hotel agent repeated its timed out search with success",
    ),
    Story(
        "fifth_teams_coder_unknown_tool",
        "pydantic_ai",
        ANALYST,
        (
            user("How strongly do ice cream sales follow the temperature?"),
            asks(
                call(
                    "delegate_to_coder",
                    {"task": "Correlate sales.csv with temperature.csv"},
                    "r = 0.83. I could not install seaborn, so there is no chart.",
                    agent=CODER,
                    steps=(
                        asks(
                            refused(
                                "pip_install",
                                {"package": "seaborn"},
                                "Unknown tool name: 'pip_install'. Available tools: 'run_python', 'save_chart'",
                            )
                        ),
                        asks(
                            call(
                                "run_python",
                                {"code": "import pandas as pd\nprint(a.merge(b, on='day').corr(numeric_only=True))"},
                                "             sales  temperature\nsales         1.00         0.83",
                            )
                        ),
                        answers("r = 0.83. I could not install seaborn, so there is no chart."),
                    ),
                )
            ),
            answers("Strongly: the correlation is 0.83."),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="the sub-agent called a tool that it was not offered",
    ),
    Story(
        "fifth_teams_payout_waits_for_approval",
        "pydantic_ai",
        PAYMENTS,
        (
            user("Pay out 1,200 € to the account of the plumber, DE02 1203 0000 0000 2020 51."),
            asks(call("get_balance", {"account": "ops"}, {"account": "ops", "balance": 8412.5, "holds": 0})),
            asks(
                call(
                    "send_payout",
                    {"account": "ops", "amount": 1200, "iban": "DE02120300000000202051"},
                    deferral="ApprovalRequired",
                    is_answered=False,
                )
            ),
        ),
        failing=(),
        why="the payout waits for the approval of a person, as intended",
    ),
    Story(
        "fifth_teams_greenhouse_night",
        "vercel_ai",
        GREENHOUSE,
        (
            user("Bring house 3 below 24 degrees, check every few minutes, and log when it is done."),
            asks(
                call("get_current_time", {}, "2026-02-03T13:00:00Z"),
                call("read_sensor", {"sensor_id": "h3-temp"}, {"value": 26.4, "unit": "C", "error_code": 0}),
            ),
            asks(call("think", {"thought": "2.4 degrees too warm. 30 percent should do."}, "OK")),
            asks(call("set_vent", {"vent_id": "h3-v1", "percent": 30}, {"vent_id": "h3-v1", "percent": 30})),
            pause(300),
            asks(call("read_sensor", {"sensor_id": "h3-temp"}, {"value": 25.1, "unit": "C", "error_code": 0})),
            asks(call("think", {"thought": "Falling. Wait for another five minutes."}, "OK")),
            pause(300),
            asks(call("read_sensor", {"sensor_id": "h3-temp"}, {"value": 24.3, "unit": "C", "error_code": 0})),
            pause(300),
            asks(call("read_sensor", {"sensor_id": "h3-temp"}, {"value": 24.3, "unit": "C", "error_code": 0})),
            pause(300),
            asks(call("read_sensor", {"sensor_id": "h3-temp"}, {"value": 24.3, "unit": "C", "error_code": 0})),
            asks(call("think", {"thought": "It stays at 24.3, so open further."}, "OK")),
            asks(call("set_vent", {"vent_id": "h3-v1", "percent": 45}, {"vent_id": "h3-v1", "percent": 45})),
            pause(300),
            asks(
                call("read_sensor", {"sensor_id": "h3-temp"}, {"value": 23.6, "unit": "C", "error_code": 0}),
                call("get_current_time", {}, "2026-02-03T13:25:04Z"),
            ),
            answers("House 3 is at 23.6 degrees since 13:25, with the vent open at 45 %."),
        ),
        failing=(),
        why="a sensor that is read again every five minutes, a clock and notes",
    ),
    Story(
        "fifth_teams_researcher_cut_off",
        "genai_events",
        LEAD,
        (
            user("Compare the recycling quotas of France and Italy, in one paragraph."),
            asks(
                call(
                    "research",
                    {"question": "recycling quota of France, latest"},
                    "France recycled about 45 % of its munici",
                    agent=SCOUT,
                    steps=(
                        asks(
                            call(
                                "search",
                                {"query": "France municipal waste recycling rate"},
                                [{"title": "Waste statistics", "url": "https://stat.example/waste"}],
                            )
                        ),
                        answers("France recycled about 45 % of its munici", "length"),
                    ),
                ),
                call(
                    "research",
                    {"question": "recycling quota of Italy, latest"},
                    "Italy recycled about 51 % of its municipal waste.",
                    agent=SCOUT,
                    steps=(answers("Italy recycled about 51 % of its municipal waste."),),
                ),
            ),
            answers("Italy recycles about 51 % of its municipal waste, France about 45 %."),
        ),
        failing=("run_completion",),
        why="the report of one sub-agent was cut off by length",
    ),
    Story(
        "fifth_teams_story_filtered",
        "vercel_ai",
        STORYTELLER,
        (
            user("Continue the duel scene in detail."),
            answers("Mara drew the second blade and", "content_filter"),
        ),
        failing=("run_completion",),
        why="the content filter stopped the answer in its first sentence",
    ),
    Story(
        "fifth_teams_single_classification",
        "openllmetry",
        CLASSIFIER,
        (
            user("Ticket: 'Error: failed to load resource' whenever I open the map. Traceback attached."),
            answers("bug"),
        ),
        failing=(),
        why="a single model call without an agent, answered with one word as told",
        agent_span="none",
    ),
    Story(
        "fifth_teams_handed_to_a_person",
        "genai_events",
        BILLING,
        (
            user("Your invoice I-9004 is wrong and I will see you in court."),
            asks(
                call(
                    "get_invoice",
                    {"invoice_id": "I-9004"},
                    {"invoice_id": "I-9004", "status": "overdue", "dunning_level": 2, "failed_debits": 1},
                )
            ),
            answers(
                "I'm sorry about the trouble. A colleague from our legal team will call you back today before 18:00."
            ),
        ),
        failing=(),
        why="handed over to a person; the failed debit is a fact of the invoice",
    ),
)
