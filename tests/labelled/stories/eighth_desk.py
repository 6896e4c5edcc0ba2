"""Coding, research, public offices, homes and personal assistants."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, crashes, hosted, repeat_calls, tool, user

__all__ = ["STORIES"]

READ = tool("Read", "Read a file", file_path="string", offset="integer?", limit="integer?")
EDIT = tool(
    "Edit",
    "Replace text in a file",
    file_path="string",
    old_string="string",
    new_string="string",
    replace_all="boolean?",
)
BASH = tool("Bash", "Run a command", command="string", timeout="integer?")
CODER = Agent(
    "coding_agent", (READ, EDIT, BASH), "You are a coding agent. Be concise.", "claude-sonnet-4-5", "anthropic"
)

RESEARCH = Agent("research_agent", (), "You answer with sources.", "gpt-5", "openai")

PAPERS = tool("search_papers", "Search papers", query="string", year_from="integer?")
SURVEY = Agent("survey_writer", (PAPERS,), "You write literature surveys.", "claude-sonnet-4-5", "anthropic")

EVENT = tool(
    "create_event",
    "Create a calendar event",
    title="string",
    start="string",
    duration_minutes="integer",
    attendees="string[]",
)
CALENDAR = Agent("calendar_assistant", (EVENT,), "You keep the user's calendar.", "gpt-4.1-mini")

REGISTER = tool("wyszukaj_ceidg", "Wyszukuje wpis w rejestrze CEIDG", nip="string")
OFFICE = Agent("asystent_urzedu", (REGISTER,), "Pomagasz mieszkańcom w sprawach urzędowych.", "gpt-4o")

LISTINGS = tool("search_listings", "Search flats", city="string", min_rooms="integer", max_rent="integer")
VIEWING = tool("book_viewing", "Book a viewing", listing_id="string", slot="string")
ESTATE = Agent("flat_finder", (LISTINGS, VIEWING), "You find flats to rent.", "gpt-4o")

LIGHT = tool("call_service", "Call a Home Assistant service", domain="string", service="string", entity_id="string")
HOME = Agent("home_assistant", (LIGHT,), "You control the user's home.", "gpt-4o-mini")

SOURCE = "     1\tdef slug(title):\n     2\t    return title.lower().replace(' ', '-')\n"
CONFIG = "     1\tretries: 3\n     2\ton_error: raise\n     3\ttimeout: 30\n"

STORIES = (
    Story(
        "eighth_desk_edit_after_read",
        "openinference",
        CODER,
        (
            user("slug() in text.py should strip the title first"),
            asks(
                call(
                    "Edit",
                    {
                        "file_path": "/repo/text.py",
                        "old_string": 'return title.lower().replace(" ", "-")',
                        "new_string": 'return title.strip().lower().replace(" ", "-")',
                    },
                    '<tool_use_error>String to replace not found in file.\nString: return title.lower().replace(" ", "-")</tool_use_error>',
                )
            ),
            asks(call("Read", {"file_path": "/repo/text.py"}, SOURCE)),
            asks(
                call(
                    "Edit",
                    {
                        "file_path": "/repo/text.py",
                        "old_string": "title.lower()",
                        "new_string": "title.strip().lower()",
                    },
                    "The file /repo/text.py has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n     1→def slug(title):\n     2→    return title.strip().lower().replace(' ', '-')",
                )
            ),
            answers("Done: slug() strips the title first."),
        ),
        failing=(),
        why="the edit that missed was made good after reading the file",
    ),
    Story(
        "eighth_desk_edit_given_up",
        "genai",
        CODER,
        (
            user("raise the timeout in config.yaml to 60"),
            asks(call("Read", {"file_path": "/repo/config.yaml"}, CONFIG)),
            asks(
                call(
                    "Edit",
                    {"file_path": "/repo/config.yaml", "old_string": "timeout:  30", "new_string": "timeout: 60"},
                    "<tool_use_error>String to replace not found in file.\nString: timeout:  30</tool_use_error>",
                )
            ),
            answers("The timeout is now 60 seconds."),
        ),
        failing=("tool_error",),
        why="the only edit missed its text, and the agent claims that it was made",
    ),
    Story(
        "eighth_desk_reads_without_end",
        "openllmetry",
        CODER,
        (
            user("What does on_error do in config.yaml?"),
            *repeat_calls(4, call("Read", {"file_path": "/repo/config.yaml"}, CONFIG)),
            answers("It is set to 'raise', so errors are raised and not swallowed."),
        ),
        failing=("tool_efficiency",),
        why="the same file was read four times in a row with the same content, and nothing was written in between",
    ),
    Story(
        "eighth_desk_tests_between_edits",
        "vercel_ai",
        CODER,
        (
            user("make the tests in test_money.py pass"),
            asks(
                call(
                    "Bash",
                    {"command": "pytest -q test_money.py"},
                    "FF.                                                                      [100%]\nFAILED test_money.py::test_add - AssertionError: assert 0.30000000000000004 == 0.3\nFAILED test_money.py::test_round - TypeError: type str doesn't define __round__ method\n2 failed, 1 passed in 0.03s\n\nExit code 1",
                )
            ),
            asks(
                call(
                    "Edit",
                    {
                        "file_path": "/repo/money.py",
                        "old_string": "return a + b",
                        "new_string": "return round(a + b, 2)",
                    },
                    "The file /repo/money.py has been updated.",
                )
            ),
            asks(
                call(
                    "Bash",
                    {"command": "pytest -q test_money.py"},
                    ".F.                                                                      [100%]\nFAILED test_money.py::test_round - TypeError: type str doesn't define __round__ method\n1 failed, 2 passed in 0.03s\n\nExit code 1",
                )
            ),
            asks(
                call(
                    "Edit",
                    {
                        "file_path": "/repo/money.py",
                        "old_string": "return round(value)",
                        "new_string": "return round(float(value))",
                    },
                    "The file /repo/money.py has been updated.",
                )
            ),
            asks(
                call(
                    "Bash",
                    {"command": "pytest -q test_money.py"},
                    "...                                                                      [100%]\n3 passed in 0.02s",
                )
            ),
            answers("All three tests pass: sums are rounded to cents, and text is converted before rounding."),
        ),
        failing=(),
        why="the tests ran again after each edit and pass in the end",
    ),
    Story(
        "eighth_desk_hosted_web_search",
        "genai",
        RESEARCH,
        (
            user("When did the EU Data Act start to apply?"),
            answers(
                "The Data Act has applied since 12 September 2025; it entered into force on 11 January 2024.",
                hosted=[
                    hosted(
                        "web_search",
                        {"query": "EU Data Act date of application"},
                        {
                            "sources": [
                                {
                                    "url": "https://digital-strategy.ec.europa.eu/en/policies/data-act",
                                    "title": "Data Act | Shaping Europe's digital future",
                                }
                            ]
                        },
                    )
                ],
            ),
        ),
        failing=(),
        why="the provider ran its own search and the question was answered",
    ),
    Story(
        "eighth_desk_survey_cut",
        "openinference",
        SURVEY,
        (
            user("Write a survey on retrieval with late interaction since 2020, with a table of all models."),
            asks(
                call(
                    "search_papers",
                    {"query": "late interaction retrieval", "year_from": 2020},
                    {
                        "total": 3,
                        "papers": [
                            {"title": "ColBERT", "year": 2020},
                            {"title": "ColBERTv2", "year": 2022},
                            {"title": "PLAID", "year": 2022},
                        ],
                    },
                )
            ),
            asks(
                call(
                    "search_papers",
                    {"query": "multi-vector retrieval efficiency", "year_from": 2020},
                    {"total": 2, "papers": [{"title": "XTR", "year": 2023}, {"title": "MUVERA", "year": 2024}]},
                )
            ),
            answers(
                "# Late interaction since 2020\n\nColBERT keeps a vector for each token and compares by MaxSim. ColBERTv2 compresses residuals and distils from a cross-encoder.\n\n| model | year | index |\n|---|---|---|\n| ColBERT | 2020 | 154 GB |\n| ColBERTv2 | 20",
                "length",
            ),
        ),
        failing=("run_completion",),
        why="the survey was cut off by length in the middle of its table",
    ),
    Story(
        "eighth_desk_event_duration_in_words",
        "pydantic_ai",
        CALENDAR,
        (
            user("Coffee with Ana tomorrow at 10, half an hour, ana@example"),
            asks(
                call(
                    "create_event",
                    {
                        "title": "Coffee with Ana",
                        "start": "2025-04-03T10:00:00+02:00",
                        "duration_minutes": "half an hour",
                        "attendees": ["ana@example"],
                    },
                    {"id": "evt_5510", "status": "confirmed", "htmlLink": "https://calendar.example/evt_5510"},
                )
            ),
            answers("Coffee with Ana is in your calendar for tomorrow at 10."),
        ),
        failing=("tool_call_validity",),
        why='"half an hour" is not an integer and does not convert to one',
    ),
    Story(
        "eighth_desk_ceidg_brak_wpisu",
        "genai_events",
        OFFICE,
        (
            user("Czy firma o NIP 5260001246 jest w CEIDG?"),
            asks(call("wyszukaj_ceidg", {"nip": "5260001246"}, "Nie znaleziono wpisu dla podanego numeru NIP.")),
            answers("W CEIDG nie ma wpisu o tym numerze. Jeśli to spółka, proszę sprawdzić w KRS."),
        ),
        failing=(),
        why="nothing was found in the register, which is its answer",
    ),
    Story(
        "eighth_desk_flat_viewing_crash",
        "vercel_ai",
        ESTATE,
        (
            user("Three rooms in Graz up to 1100, and book the first viewing."),
            asks(
                call(
                    "search_listings",
                    {"city": "Graz", "min_rooms": 3, "max_rent": 1100},
                    {
                        "total": 2,
                        "listings": [
                            {"id": "G-771", "rooms": 3, "rent": 1040, "slots": ["2025-02-11T17:00"]},
                            {"id": "G-802", "rooms": 3, "rent": 1090, "slots": []},
                        ],
                    },
                )
            ),
            crashes("AI_RetryError", "Failed after 3 attempts. Last error: Overloaded"),
        ),
        failing=("run_completion",),
        why="the model stayed overloaded after three attempts and the run ended without an answer",
    ),
    Story(
        "eighth_desk_light_unavailable",
        "pydantic_ai",
        HOME,
        (
            user("Turn off the light in the cellar"),
            asks(
                call(
                    "call_service",
                    {"domain": "light", "service": "turn_off", "entity_id": "light.cellar"},
                    {
                        "success": False,
                        "error": {"code": "home_assistant_error", "message": "Entity light.cellar is unavailable"},
                    },
                )
            ),
            answers("I couldn't reach the cellar light, it's unavailable. Is its power on?"),
        ),
        failing=("tool_error",),
        why="the service failed and the light was never switched",
    ),
    Story(
        "eighth_desk_scene_after_success_flags",
        "genai_events",
        HOME,
        (
            user("Movie night please: blinds down, ceiling light off."),
            asks(
                call(
                    "call_service",
                    {"domain": "cover", "service": "close_cover", "entity_id": "cover.living_room"},
                    {"success": True, "error": None, "changed": ["cover.living_room"]},
                ),
                call(
                    "call_service",
                    {"domain": "light", "service": "turn_off", "entity_id": "light.living_room_ceiling"},
                    {"success": True, "error": None, "changed": []},
                ),
            ),
            answers("The blinds are closing and the ceiling light is off. Enjoy the film!"),
        ),
        failing=(),
        why="both services succeeded; the light was off already",
    ),
)
