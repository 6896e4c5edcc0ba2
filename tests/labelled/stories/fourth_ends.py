"""Refused edits, shells, browsers, jobs, sub-agents and ends, as recorded agents meet them."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, refused, repeat_calls, tool, user

__all__ = ["STORIES"]

EDIT = tool("edit", "Replace lines of the open file", search="string", replace="string")
CREATE = tool("create", "Create a file", filename="string")
BASH = tool("bash", "Run a command", command="string")
CODER = Agent("coder", (EDIT, CREATE, BASH), "You mend bugs.")
GOTO = tool("browser_navigate", "Open an address", url="string")
BROWSER = Agent("web_agent", (GOTO,), "You use a browser.")
START = tool("start_export", "Start an export", table="string")
POLL = tool("get_export", "State of an export", export_id="string")
EXPORTER = Agent("exporter", (START, POLL), "You export tables.")
ASK = tool("ask_specialist", "Ask the specialist", question="string")
DESK = Agent("desk", (ASK,), "You help.")
LOOK = tool("get_stock", "Stock of an article", sku="string")
SHOP = Agent("shop", (LOOK,), "You help customers.")
FORM = tool("StockReport", "The answer", sku="string", count="integer")
REPORTER = Agent("reporter", (LOOK, FORM), "You report.")
REFUSED = (
    "Your proposed edit has introduced new syntax error(s). Please read this error message carefully and then retry "
    "editing the file.\n\nERRORS:\n- E999 IndentationError: unexpected indent\n\nThis is how your edit would have "
    "looked if applied\n-----\n[File: /repo/a.py (3 lines total)]\n1:import os\n2:  x = 1\n-----\n\nYour changes have "
    "NOT been applied. Please fix your edit command and try again."
)

STORIES = [
    Story(
        "fourth_edit_refused",
        "genai",
        CODER,
        (
            user("Mend the import."),
            asks(call("edit", {"search": "import os", "replace": "  x = 1"}, REFUSED)),
            answers("I mended the import."),
        ),
        ("tool_error",),
        "the only edit was refused and not repeated",
    ),
    Story(
        "fourth_edit_refused_then_made",
        "openinference",
        CODER,
        (
            user("Mend the import."),
            asks(
                call(
                    "edit",
                    {"search": "imp", "replace": "x"},
                    "No replacement was performed, old_str `imp` is not unique.",
                )
            ),
            asks(
                call("edit", {"search": "import os", "replace": "import sys"}, "The file /repo/a.py has been edited.")
            ),
            answers("The import is mended."),
        ),
        (),
        "the second edit made up for the refused one",
    ),
    Story(
        "fourth_create_existing_file",
        "openllmetry",
        CODER,
        (
            user("Write a test."),
            asks(call("create", {"filename": "test_a.py"}, "Error: File 'test_a.py' already exists.")),
            asks(call("edit", {"search": "", "replace": "def test_a(): ..."}, "File updated.")),
            answers("The test stands in test_a.py."),
        ),
        (),
        "the file was there, and the work on it went on",
    ),
    Story(
        "fourth_stray_word_in_shell",
        "vercel_ai",
        CODER,
        (
            user("Run the script."),
            asks(
                call("bash", {"command": "Now\npython a.py"}, "bash: line 1: Now: command not found\n42 rows written")
            ),
            answers("The script wrote 42 rows."),
        ),
        (),
        "a stray word is noise: the program ran",
    ),
    Story(
        "fourth_shell_syntax_at_the_end",
        "genai",
        CODER,
        (
            user("Rename the files."),
            asks(
                call(
                    "bash", {"command": "for f in (*.txt)"}, "/bin/bash: line 6: syntax error near unexpected token `('"
                )
            ),
            answers("The files are renamed."),
        ),
        ("tool_error",),
        "the shell never ran the command, and nothing followed",
    ),
    Story(
        "fourth_missing_page_then_another",
        "pydantic_ai",
        BROWSER,
        (
            user("What does the shop cost?"),
            asks(call("browser_navigate", {"url": "https://shop.example/price"}, "404 Not Found")),
            asks(call("browser_navigate", {"url": "https://shop.example/pricing"}, "Pricing: 20 euros a month")),
            answers("20 euros a month."),
        ),
        (),
        "the first address was wrong, and the next page had the answer",
    ),
    Story(
        "fourth_browser_without_network",
        "openinference",
        BROWSER,
        (
            user("What does the shop cost?"),
            asks(call("browser_navigate", {"url": "https://shop.example"}, "page.goto: net::ERR_NAME_NOT_RESOLVED")),
            answers("I could not open the shop."),
        ),
        ("tool_error",),
        "the browser never reached a page",
    ),
    Story(
        "fourth_export_polled_to_failure",
        "genai",
        EXPORTER,
        (
            user("Export the orders."),
            asks(call("start_export", {"table": "orders"}, {"export_id": "exp-4411", "status": "queued"})),
            asks(call("get_export", {"export_id": "exp-4411"}, {"export_id": "exp-4411", "status": "running"})),
            asks(
                call("get_export", {"export_id": "exp-4411"}, {"export_id": "exp-4411", "status": "failed", "rows": 0})
            ),
            answers("The export did not work."),
        ),
        ("tool_error",),
        "the job that the run started failed",
    ),
    Story(
        "fourth_export_of_another_failed",
        "vercel_ai",
        EXPORTER,
        (
            user("What became of exp-4400?"),
            asks(
                call("get_export", {"export_id": "exp-4400"}, {"export_id": "exp-4400", "status": "failed", "rows": 0})
            ),
            answers("It failed yesterday."),
        ),
        (),
        "the state of somebody else's job was asked for",
    ),
    Story(
        "fourth_specialist_declines",
        "openllmetry",
        DESK,
        (
            user("Which dose may I take?"),
            asks(call("ask_specialist", {"question": "dose"}, "I'm sorry, but I can't help with that.")),
            answers("Please ask a doctor."),
        ),
        (),
        "an agent that declines has answered",
    ),
    Story(
        "fourth_arabic_outage",
        "genai",
        SHOP,
        (
            user("كم بقي من المقال؟"),
            asks(call("get_stock", {"sku": "A-1"}, "الخدمة غير متاحة حاليا. يرجى المحاولة لاحقا.")),
            answers("لا أستطيع معرفة ذلك الآن."),
        ),
        ("tool_error",),
        "the service was not available",
    ),
    Story(
        "fourth_korean_session_expired",
        "openinference",
        SHOP,
        (
            user("재고가 있나요?"),
            asks(call("get_stock", {"sku": "A-1"}, "세션이 만료되었습니다")),
            answers("지금은 확인할 수 없습니다."),
        ),
        ("tool_error",),
        "the session had expired",
    ),
    Story(
        "fourth_limit_of_requests_waited_out",
        "genai",
        SHOP,
        (
            user("How many A-1 are left?"),
            *repeat_calls(5, call("get_stock", {"sku": "A-1"}, {"error": "rate_limited", "status": 429})),
            asks(call("get_stock", {"sku": "A-1"}, {"count": 3})),
            answers("Three."),
        ),
        (),
        "five times too many requests, and then the answer",
    ),
    Story(
        "fourth_structured_output_of_class",
        "pydantic_ai",
        REPORTER,
        (
            user("Report on A-1."),
            asks(call("get_stock", {"sku": "A-1"}, {"count": 3})),
            asks(
                refused("StockReport", {"sku": "A-1", "count": 3}, "Returning structured response: sku='A-1' count=3")
            ),
        ),
        (),
        "the framework took the structured output as the answer",
    ),
    Story(
        "fourth_answer_is_error_page",
        "openllmetry",
        SHOP,
        (user("How many A-1 are left?"), answers("Internal Server Error")),
        ("run_completion",),
        "a server's error page in place of an answer",
    ),
    Story(
        "fourth_empty_answer_after_tool",
        "vercel_ai",
        SHOP,
        (
            user("How many A-1 are left?"),
            asks(call("get_stock", {"sku": "A-1"}, {"count": 3})),
            answers(""),
        ),
        ("run_completion",),
        "the last answer is empty",
    ),
    Story(
        "fourth_undefined_column",
        "genai_events",
        SHOP,
        (
            user("How many A-1 are left?"),
            asks(
                call(
                    "get_stock",
                    {"sku": "A-1"},
                    fault=Fault("psycopg.errors.UndefinedColumn", 'column "left" does not exist'),
                )
            ),
            answers("I cannot tell at the moment."),
        ),
        ("tool_error",),
        "the query failed and was not repeated",
    ),
]
