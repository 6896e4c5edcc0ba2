"""Teams of agents: delegation, hand-offs, supervisors, remote agents."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, hands_off, repeat_calls, tool, user

__all__ = ["STORIES"]

DELEGATE = tool(
    "delegate_work_to_coworker", "Delegate a task to a coworker", task="string", context="string", coworker="string"
)
MANAGER = Agent("crew_manager", (DELEGATE,), "You manage a crew and delegate.", "gpt-4o")
FIGURES = tool("read_figures", "Reads the figures of a quarter", quarter="string")
ANALYST = Agent("senior_market_analyst", (FIGURES,), "You analyse markets.", "gpt-4o-mini")

SCOUT_TOOL = tool("scout", "Researches a question on the web", question="string")
EDITOR = Agent("chief_editor", (SCOUT_TOOL,), "You answer readers. Facts come from the scout.", "gpt-4.1")
EXA = tool("exa_search", "Neural web search", query="string", numResults="integer?")
SCOUT = Agent("scout", (EXA,), "You search the web.", "gpt-4.1-mini")

CONTRACT = tool("get_contract", "A customer's contract", customer_no="string")
FRONT = Agent("front_desk", (CONTRACT,), "Du nimmst Anfragen an und gibst sie weiter.", "gpt-4.1-mini")
CREDIT = tool(
    "issue_credit", "Credits an amount to the next bill", customer_no="string", amount_eur="number", reason="string"
)
BILLING = Agent("billing_agent", (CREDIT,), "Du klärst Rechnungen.", "gpt-4.1")
METERS = tool("get_meter_values", "Values of a meter", meter_no="string")
TECH = Agent("tech_agent", (METERS,), "Du klärst technische Fragen.", "gpt-4.1")

WRITE_TOOL = tool("copywriter", "Writes a text by a brief", brief="string")
CRITIC_TOOL = tool("critic", "Reviews a text", draft="string")
STUDIO = Agent(
    "studio_lead",
    (WRITE_TOOL, CRITIC_TOOL),
    "You get a text written and reviewed until the critic is content.",
    "gpt-4.1",
)
COPYWRITER = Agent("copywriter", (), "You write slogans.", "gpt-4.1-mini")
CRITIC = Agent("critic", (), "You review slogans.", "gpt-4.1-mini")

ASK_HR = tool("ask_hr_archive", "Asks the archive of HR", question="string")
ASK_LEGAL = tool("ask_legal_archive", "Asks the archive of legal", question="string")
ASK_FINANCE = tool("ask_finance_archive", "Asks the archive of finance", question="string")
ARCHIVES = Agent("archive_router", (ASK_HR, ASK_LEGAL, ASK_FINANCE), "You ask all archives at once.", "gpt-4.1")
FIND = tool("find_documents", "Finds documents", terms="string")
HR = Agent("hr_archive", (FIND,), "You search HR's archive.", "gpt-4.1-nano")
LEGAL = Agent("legal_archive", (FIND,), "You search legal's archive.", "gpt-4.1-nano")
FINANCE = Agent("finance_archive", (FIND,), "You search finance's archive.", "gpt-4.1-nano")

OPEN = tool("get_open_tasks", "Open tasks of the plan", plan_id="string")
ASSIGN = tool("assign_task", "Assigns a task to a worker", task_id="string", worker=["alpha", "beta"])
SUPERVISOR = Agent("supervisor", (OPEN, ASSIGN), "You assign every open task of a plan.", "gpt-4o")

SLOT = tool("book_slot", "Books an appointment", day="string", time="string", name="string")
TRANSFER = tool("transfer_to_number", "Transfers the call to a person", transfer_number="string", reason="string")
RECEPTION = Agent(
    "praktijk_balie",
    (SLOT, TRANSFER),
    "Je neemt de telefoon op voor een huisartsenpraktijk. Bij spoed verbind je door.",
    "gpt-4o",
)

REMOTE = tool("send_message", "Sends a message to a remote agent", agent_name="string", message="string")
HOST = Agent("a2a_host", (REMOTE,), "You route requests to remote agents.", "gemini-2.5-flash", "gcp.gemini")

KNOW_TOOL = tool("ask_runbooks", "Asks the agent that knows the runbooks", question="string")
ONCALL = Agent("oncall_companion", (KNOW_TOOL,), "You support whoever is on call.", "gpt-4.1")
SEARCH_DOCS = tool("search_knowledge_base", "Searches runbooks and post-mortems", query="string", top_k="integer?")
LIBRARIAN = Agent("runbook_librarian", (SEARCH_DOCS,), "You answer from documents only.", "gpt-4.1-mini")

SLOGAN = "Tidewater Gin. Taste the turning of the tide."
VERDICT = "Too close to our last campaign. Please make it shorter and drop the word 'tide'."

STORIES = (
    Story(
        "fourteenth_crew_coworker_named_wrongly_first",
        "openinference",
        MANAGER,
        (
            user("How did our market share develop in Q3?"),
            asks(
                call(
                    "delegate_work_to_coworker",
                    {
                        "task": "Market share in Q3 against Q2",
                        "context": "Board meeting on Friday",
                        "coworker": "Analyst",
                    },
                    "\nError executing tool. coworker mentioned not found, it must be one of the following options:\n"
                    "- senior market analyst\n- copywriter\n",
                )
            ),
            asks(
                call(
                    "delegate_work_to_coworker",
                    {
                        "task": "Market share in Q3 against Q2",
                        "context": "Board meeting on Friday",
                        "coworker": "senior market analyst",
                    },
                    "The share rose from 11.2 % in Q2 to 12.0 % in Q3.",
                    agent=ANALYST,
                    steps=(
                        asks(
                            call("read_figures", {"quarter": "2026-Q2"}, "region,share\nall,11.2\n"),
                            call("read_figures", {"quarter": "2026-Q3"}, "region,share\nall,12.0\n"),
                        ),
                        answers("The share rose from 11.2 % in Q2 to 12.0 % in Q3."),
                    ),
                )
            ),
            answers("Our market share rose from 11.2 % to 12.0 % in Q3."),
        ),
        failing=(),
        why="the coworker was named wrongly once, then the task was delegated and done",
    ),
    Story(
        "fourteenth_crew_scout_without_credits",
        "vercel_ai",
        EDITOR,
        (
            user("Has the ferry between Mallaig and Armadale changed its winter timetable?"),
            asks(
                call(
                    "scout",
                    {"question": "Winter timetable of the ferry Mallaig - Armadale, changes"},
                    "The winter timetable runs from late October with reduced sailings; no changes are known.",
                    agent=SCOUT,
                    steps=(
                        asks(
                            call(
                                "exa_search",
                                {"query": "Mallaig Armadale ferry winter timetable change", "numResults": 5},
                                {
                                    "requestId": "b5947044c4b78efa9552a7c89b306d95",
                                    "error": "You have exceeded your credits limit. Please top up to keep using Exa at dashboard.exa.ai",
                                    "tag": "NO_MORE_CREDITS",
                                },
                            )
                        ),
                        answers(
                            "The winter timetable runs from late October with reduced sailings; no changes are known."
                        ),
                    ),
                )
            ),
            answers(
                "No, nothing has changed: the winter timetable starts in late October with fewer sailings, as usual."
            ),
        ),
        failing=("tool_error",),
        why="the scout's only search was refused for lack of credits, and the answer rests on nothing",
    ),
    Story(
        "fourteenth_crew_graph_left_for_billing",
        "genai",
        FRONT,
        (
            user(
                "Auf der Septemberrechnung stehen 19,90 € für eine Option, die ich gekündigt habe. Kundennummer 771204."
            ),
            asks(
                call(
                    "get_contract",
                    {"customer_no": "771204"},
                    {
                        "customer_no": "771204",
                        "tariff": "Fiber 250",
                        "options": [{"name": "TV", "cancelled_on": "2026-08-14"}],
                        "dunning": None,
                    },
                )
            ),
            hands_off(
                BILLING,
                Fault(
                    "langgraph.errors.ParentCommand",
                    "Command(graph='front_desk:6f1c', goto='billing_agent', update={'messages': [...]})",
                ),
            ),
            asks(
                call(
                    "issue_credit",
                    {"customer_no": "771204", "amount_eur": 19.9, "reason": "TV option cancelled on 14 August"},
                    {"status": "posted", "credit_note": "GS-2026-5501", "errors": []},
                )
            ),
            answers(
                "Ich habe Ihnen 19,90 € gutgeschrieben (GS-2026-5501); sie werden mit der Oktoberrechnung verrechnet."
            ),
        ),
        failing=(),
        why="the exception is how the graph leaves the first agent, and the second one credited the amount",
    ),
    Story(
        "fourteenth_crew_tool_of_the_former_agent",
        "genai",
        FRONT,
        (
            user("Mein Zähler 1ISK0070 spinnt, Kundennummer 880113. Habe ich überhaupt noch den Zweitarif?"),
            hands_off(TECH),
            asks(
                call(
                    "get_meter_values",
                    {"meter_no": "1ISK0070"},
                    {
                        "meter_no": "1ISK0070",
                        "obis": {"1.8.1": 20441.7, "1.8.2": 11875.2},
                        "quality": "W",
                        "event_log": [],
                    },
                )
            ),
            asks(
                call(
                    "get_contract",
                    {"customer_no": "880113"},
                    {"customer_no": "880113", "tariff": "Strom Duo (HT/NT)", "options": [], "dunning": None},
                )
            ),
            answers(
                "Der Zähler liefert plausible Werte für beide Register, und Sie haben weiterhin den Zweitarif „Strom Duo“."
            ),
        ),
        failing=("tool_call_validity",),
        why="the second agent called a tool that only the first one is offered; the shared node ran it all the same",
    ),
    Story(
        "fourteenth_crew_slogan_goes_in_circles",
        "openinference",
        STUDIO,
        (
            user("I need a slogan for Tidewater Gin by noon."),
            *repeat_calls(
                4,
                call(
                    "copywriter",
                    {"brief": "Slogan for Tidewater Gin, one line"},
                    SLOGAN,
                    agent=COPYWRITER,
                    steps=(answers(SLOGAN),),
                ),
                call("critic", {"draft": SLOGAN}, VERDICT, agent=CRITIC, steps=(answers(VERDICT),)),
            ),
            answers(
                "The best we have is “Taste the turning of the tide.”, but our critic finds it too close to the last campaign."
            ),
        ),
        failing=("tool_efficiency",),
        why="four rounds of the same brief, the same slogan and the same verdict",
    ),
    Story(
        "fourteenth_crew_three_archives_one_knows",
        "genai_events",
        ARCHIVES,
        (
            user("Do we have anything on the 2019 fire in the Turku warehouse?"),
            asks(
                call(
                    "ask_hr_archive",
                    {"question": "2019 fire in the Turku warehouse"},
                    "Nothing on this in HR's archive.",
                    agent=HR,
                    steps=(
                        asks(call("find_documents", {"terms": "Turku fire 2019"}, "[]")),
                        answers("Nothing on this in HR's archive."),
                    ),
                ),
                call(
                    "ask_legal_archive",
                    {"question": "2019 fire in the Turku warehouse"},
                    "One document: L-2020-077, settlement with the insurer over the failed sprinkler.",
                    agent=LEGAL,
                    steps=(
                        asks(
                            call(
                                "find_documents",
                                {"terms": "Turku fire 2019"},
                                [
                                    {
                                        "id": "L-2020-077",
                                        "title": "Settlement with insurer: failed sprinkler, Turku",
                                        "error": None,
                                    }
                                ],
                            )
                        ),
                        answers("One document: L-2020-077, settlement with the insurer over the failed sprinkler."),
                    ),
                ),
                call(
                    "ask_finance_archive",
                    {"question": "2019 fire in the Turku warehouse"},
                    "No documents were found.",
                    agent=FINANCE,
                    steps=(
                        asks(call("find_documents", {"terms": "Turku fire 2019"}, "[]")),
                        answers("No documents were found."),
                    ),
                ),
            ),
            answers(
                "Only legal has something: L-2020-077, the settlement with the insurer over the sprinkler that failed."
            ),
        ),
        failing=(),
        why="two archives have nothing and one has a document about a failure",
    ),
    Story(
        "fourteenth_crew_supervisor_out_of_requests",
        "pydantic_ai",
        SUPERVISOR,
        (
            user("Assign everything that is open in plan P-31."),
            *repeat_calls(
                6,
                call(
                    "get_open_tasks",
                    {"plan_id": "P-31"},
                    '[{"id":"T-1","title":"Draft the tender","assignee":null},{"id":"T-2","title":"Check the budget","assignee":null}]',
                ),
            ),
            crashes(
                "pydantic_ai.exceptions.UsageLimitExceeded", "The next request would exceed the request_limit of 6"
            ),
        ),
        failing=("run_completion", "tool_efficiency"),
        why="it read the same open tasks six times in a row and ended at the limit of requests",
    ),
    Story(
        "fourteenth_crew_caller_put_through",
        "openllmetry",
        RECEPTION,
        (
            user("Mijn vader heeft sinds een kwartier druk op de borst."),
            asks(
                call(
                    "transfer_to_number",
                    {"transfer_number": "+31205550112", "reason": "Druk op de borst, mogelijk spoed"},
                    {"status": "success", "result": "Transferring call to +31205550112", "transfer_type": "conference"},
                ),
                text="Ik verbind u direct door met de dokter, blijf aan de lijn.",
            ),
        ),
        failing=(),
        why="the call was handed to a person, and the caller was told so",
    ),
    Story(
        "fourteenth_crew_remote_agent_failed",
        "genai_events",
        HOST,
        (
            user("Convert 1,200 CZK of yesterday's expenses to euros."),
            asks(
                call(
                    "send_message",
                    {"agent_name": "Currency Agent", "message": "Convert 1200 CZK to EUR with yesterday's rate"},
                    {
                        "jsonrpc": "2.0",
                        "id": "9d1f4c",
                        "result": {
                            "kind": "task",
                            "id": "363422be-b0f9-4692-a24d-278670e7c7f1",
                            "contextId": "c295ea44-7543-4f78-b524-7a38915ad6e4",
                            "status": {
                                "state": "failed",
                                "message": {
                                    "role": "agent",
                                    "parts": [
                                        {
                                            "kind": "text",
                                            "text": "API request failed: 502 Bad Gateway for url https://api.frankfurter.dev/v1/2026-10-07",
                                        }
                                    ],
                                },
                                "timestamp": "2026-10-08T08:15:41Z",
                            },
                        },
                    },
                )
            ),
            answers("The currency agent could not reach its source of rates. Please try again later."),
        ),
        failing=("tool_error",),
        why="the task of the remote agent failed and was not sent again",
    ),
    Story(
        "fourteenth_crew_librarian_on_outages",
        "vercel_ai",
        ONCALL,
        (
            user("Queue depth of mailer is rising. Have we seen this before?"),
            asks(
                call(
                    "ask_runbooks",
                    {"question": "Mailer: queue depth rises"},
                    "Yes, PM-118: expired SMTP credentials. Rotate them and restart the workers.",
                    agent=LIBRARIAN,
                    steps=(
                        asks(
                            call(
                                "search_knowledge_base",
                                {"query": "mailer queue depth rising", "top_k": 2},
                                [
                                    {
                                        "id": "PM-118#2",
                                        "score": 0.83,
                                        "text": "Error: 535 5.7.8 Authentication failed. From 02:10 every delivery failed with status 503; "
                                        "cause: expired SMTP credentials. Resolution: rotate, restart the workers.",
                                    },
                                    {
                                        "id": "RB-07#1",
                                        "score": 0.61,
                                        "text": "FATAL: connection refused. If Redis is down, mails are lost.",
                                    },
                                ],
                            )
                        ),
                        answers("Yes, PM-118: expired SMTP credentials. Rotate them and restart the workers."),
                    ),
                )
            ),
            answers("Yes: in PM-118 the SMTP credentials had expired. Rotate them and restart the workers."),
        ),
        failing=(),
        why="the errors are quoted from a post-mortem and a runbook",
    ),
)
