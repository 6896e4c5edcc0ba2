"""Code, browsers, homes and one's own errands."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import (
    Agent,
    Fault,
    Story,
    answers,
    asks,
    call,
    crashes,
    hands_off,
    model_fails,
    pause,
    repeat_calls,
    tool,
    user,
)

__all__ = ["STORIES"]

CODER = Agent(
    "code_agent",
    (
        tool("read_file", "Reads a file", path="string", offset="integer?", limit="integer?"),
        tool("edit_file", "Replaces text in a file", path="string", old_string="string", new_string="string"),
        tool("run_tests", "Runs the tests of a folder", path="string"),
        tool("grep", "Searches files", pattern="string", path="string?"),
    ),
    "You are a coding agent. Run the tests after each change.",
    "claude-sonnet-4-5",
    "anthropic",
)
SHELL = Agent(
    "terminal_agent",
    (tool("bash", "Runs a command", command="string", timeout="integer?"),),
    "You work in a repository by way of a shell.",
    "gpt-5-mini",
)
SURFER = Agent(
    "browser_errands",
    (
        tool("browser_navigate", "Opens an address", url="string"),
        tool("browser_snapshot", "Accessibility snapshot of the page"),
        tool("browser_click", "Clicks an element", element="string", ref="string"),
    ),
    "You run errands in a browser.",
    "gpt-4.1",
)
HOME = Agent(
    "house_voice",
    (
        tool("HassTurnOn", "Turns on a device", name="string", area="string?"),
        tool("get_current_time", "The time", timezone="string"),
    ),
    "You are the voice of a house.",
    "gpt-4o-mini",
)
TRAVEL_DESK = Agent(
    "concierge",
    (tool("get_profile", "Profile of a traveller", traveller_id="string"),),
    "You find out what a traveller needs and pass on to the agent who can do it.",
    "gpt-4.1-mini",
)
RAIL = Agent(
    "rail_agent",
    (
        tool("search_trains", "Connections", origin="string", destination="string", date="string"),
        tool("hold_seat", "Holds a seat", connection_id="string", traveller_id="string"),
    ),
    "You book trains.",
    "gpt-4.1",
)
MAILBOX = Agent(
    "mail_digest",
    (tool("list_messages", "Messages of a mailbox", q="string", maxResults="integer?"),),
    "You sum up mails.",
    "gpt-4o",
)
FILES = Agent(
    "desktop_files",
    (
        tool("search_files", "Finds files by name", path="string", pattern="string"),
        tool("move_file", "Moves a file", source="string", destination="string"),
    ),
    "You tidy up folders.",
    "gpt-4.1-mini",
)
HELPER = Agent(
    "family_helper",
    (tool("order_medicine", "Orders over-the-counter medicine", product="string", quantity="integer"),),
    "You help families. Never order more than a pack of pain killers.",
    "gpt-4o-mini",
)

STORIES = (
    Story(
        "sixteenth_assistant_rounding_fixed",
        "genai",
        CODER,
        (
            user("round_half_up(2.675, 2) gives 2.67. Fix it."),
            asks(
                call(
                    "run_tests",
                    {"path": "tests/test_rounding.py"},
                    "FAILED tests/test_rounding.py::test_half_up - AssertionError: assert 2.67 == 2.68\n1 failed, 6 passed in 0.11s",
                ),
                call(
                    "read_file",
                    {"path": "src/rounding.py"},
                    "1\tdef round_half_up(value: float, digits: int) -> float:\n2\t    if digits < 0:\n3\t        raise ValueError('digits must not be negative')\n4\t    return round(value, digits)\n",
                ),
            ),
            asks(
                call(
                    "edit_file",
                    {
                        "path": "src/rounding.py",
                        "old_string": "return round(value, digit)",
                        "new_string": "return float(Decimal(str(value)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))",
                    },
                    fault=Fault(
                        "ToolError",
                        "String to replace not found in file.",
                        "<tool_use_error>String to replace not found in file.\nString: return round(value, digit)</tool_use_error>",
                    ),
                )
            ),
            asks(
                call(
                    "edit_file",
                    {
                        "path": "src/rounding.py",
                        "old_string": "    return round(value, digits)",
                        "new_string": "    return float(Decimal(str(value)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))",
                    },
                    "The file src/rounding.py has been updated.",
                )
            ),
            asks(
                call(
                    "run_tests",
                    {"path": "tests/test_rounding.py"},
                    "ERROR tests/test_rounding.py - NameError: name 'Decimal' is not defined\n1 error in 0.08s",
                )
            ),
            asks(
                call(
                    "edit_file",
                    {
                        "path": "src/rounding.py",
                        "old_string": "def round_half_up",
                        "new_string": "from decimal import ROUND_HALF_UP, Decimal\n\n\ndef round_half_up",
                    },
                    "The file src/rounding.py has been updated.",
                )
            ),
            asks(call("run_tests", {"path": "tests/test_rounding.py"}, "7 passed in 0.09s")),
            answers("Fixed: round_half_up now rounds with Decimal, and all seven tests pass."),
        ),
        failing=(),
        why="red tests are findings; the edit that missed its text was made good, and the tests are green",
    ),
    Story(
        "sixteenth_assistant_push_rejected",
        "pydantic_ai",
        SHELL,
        (
            user("Commit my changes as “Pin numpy” and push them."),
            asks(
                call(
                    "bash",
                    {"command": "git add -A && git commit -m 'Pin numpy'"},
                    "[main 5b1c0de] Pin numpy\n 1 file changed, 1 insertion(+), 1 deletion(-)\n",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "git push origin main"},
                    "remote: error: GH006: Protected branch update failed for refs/heads/main.\nremote: error: Changes must be made through a pull request.\nTo github.com:quayside/tides.git\n ! [remote rejected] main -> main (protected branch hook declined)\nerror: failed to push some refs to 'github.com:quayside/tides.git'\n[exit code: 1]",
                )
            ),
            answers(
                "The commit is made, but GitHub rejected the push: main is protected and takes pull requests only. Shall I open one?"
            ),
        ),
        failing=("tool_error",),
        why="the last command of the run, the push, failed and nothing was pushed",
    ),
    Story(
        "sixteenth_assistant_two_namespaces_one_tool",
        "openllmetry",
        FILES,
        (
            user("Move last year's invoices from Downloads to Archive."),
            asks(
                call(
                    "functions.search_files",
                    {"path": "/home/ines/Downloads", "pattern": "*invoice*2025*"},
                    "/home/ines/Downloads/invoice_2025_11.pdf",
                    ran_as="search_files",
                )
            ),
            asks(
                call(
                    "move_file",
                    {
                        "source": "/home/ines/Downloads/invoice_2025_11.pdf",
                        "destination": "/home/ines/Archive/invoice_2025_11.pdf",
                    },
                    "Successfully moved /home/ines/Downloads/invoice_2025_11.pdf to /home/ines/Archive/invoice_2025_11.pdf",
                )
            ),
            answers("One invoice was there, invoice_2025_11.pdf. It is in Archive now."),
        ),
        failing=(),
        why="functions.search_files is search_files under its namespace, and it ran",
    ),
    Story(
        "sixteenth_assistant_lights_at_nine",
        "genai_events",
        HOME,
        (
            user("Turn on the porch light as soon as it is nine."),
            asks(
                call(
                    "get_current_time",
                    {"timezone": "Europe/Oslo"},
                    {"timezone": "Europe/Oslo", "datetime": "2026-10-02T20:58+02:00", "is_dst": True},
                )
            ),
            pause(30),
            asks(
                call(
                    "get_current_time",
                    {"timezone": "Europe/Oslo"},
                    {"timezone": "Europe/Oslo", "datetime": "2026-10-02T20:58+02:00", "is_dst": True},
                )
            ),
            pause(30),
            asks(
                call(
                    "get_current_time",
                    {"timezone": "Europe/Oslo"},
                    {"timezone": "Europe/Oslo", "datetime": "2026-10-02T20:59+02:00", "is_dst": True},
                )
            ),
            pause(30),
            asks(
                call(
                    "get_current_time",
                    {"timezone": "Europe/Oslo"},
                    {"timezone": "Europe/Oslo", "datetime": "2026-10-02T20:59+02:00", "is_dst": True},
                )
            ),
            pause(30),
            asks(
                call(
                    "get_current_time",
                    {"timezone": "Europe/Oslo"},
                    {"timezone": "Europe/Oslo", "datetime": "2026-10-02T21:00+02:00", "is_dst": True},
                )
            ),
            asks(
                call(
                    "HassTurnOn",
                    {"name": "porch light"},
                    {
                        "speech": {},
                        "response_type": "action_done",
                        "data": {
                            "targets": [],
                            "success": [{"name": "Porch light", "type": "entity", "id": "light.porch"}],
                            "failed": [],
                        },
                    },
                )
            ),
            answers("It's nine, and the porch light is on."),
        ),
        failing=(),
        why="a clock was watched until nine; the list of failed devices is empty",
    ),
    Story(
        "sixteenth_assistant_digest_over_the_rate",
        "vercel_ai",
        MAILBOX,
        (
            user("What came in overnight?"),
            asks(
                call(
                    "list_messages",
                    {"q": "newer_than:12h in:inbox", "maxResults": 50},
                    {"messages": [{"id": "19c0a1f2", "threadId": "19c0a1f2"}], "resultSizeEstimate": 1},
                )
            ),
            model_fails(
                "AI_APICallError",
                "Rate limit reached for gpt-4o in organization org-q7 on tokens per min (TPM): Limit 30000, Requested 41877.",
            ),
            crashes(
                "AI_RetryError",
                "Failed after 3 attempts. Last error: Rate limit reached for gpt-4o in organization org-q7 on tokens per min (TPM): Limit 30000, Requested 41877.",
            ),
        ),
        failing=("run_completion",),
        why="the model stayed over its rate and the run ended with that error",
        has_content=False,
    ),
    Story(
        "sixteenth_assistant_train_booked_after_hand_off",
        "genai_events",
        TRAVEL_DESK,
        (
            user("I'm T-311 and need to be in Lyon tomorrow by noon."),
            asks(
                call(
                    "get_profile",
                    {"traveller_id": "T-311"},
                    {"traveller_id": "T-311", "home": "Paris", "railcard": None, "blocked": False},
                )
            ),
            hands_off(RAIL),
            asks(
                call(
                    "search_trains",
                    {"origin": "Paris", "destination": "Lyon", "date": "2026-09-15"},
                    {
                        "journeys": [
                            {
                                "id": "c-6607",
                                "departure": "20260915T085800",
                                "arrival": "20260915T105600",
                                "status": "",
                                "disruptions": [],
                            }
                        ]
                    },
                )
            ),
            asks(
                call(
                    "hold_seat",
                    {"connection_id": "c-6607", "traveller_id": "T-311"},
                    {"hold_id": "H-20091", "expires": "2026-09-14T22:00:00Z", "errors": None},
                )
            ),
            answers("I hold a seat on the train at 8:58, in Lyon at 10:56. Confirm it by 22:00 UTC today (H-20091)."),
        ),
        failing=(),
        why="the concierge passed the traveller on to the rail agent, who did it",
    ),
    Story(
        "sixteenth_assistant_source_full_of_errors",
        "openinference",
        CODER,
        (
            user("Where do we turn time-outs of the payment service into HTTP 504?"),
            asks(call("grep", {"pattern": "PaymentTimeout.*504"}, "No matches found")),
            asks(
                call(
                    "grep",
                    {"pattern": "PaymentTimeout", "path": "src"},
                    "src/errors.py:8:class PaymentTimeout(ServiceError):\nsrc/api/handlers.py:41:    except PaymentTimeout as error:\nsrc/client.py:77:            raise PaymentTimeout(f'no answer after {seconds}s')",
                )
            ),
            asks(
                call(
                    "read_file",
                    {"path": "src/api/handlers.py", "offset": 38, "limit": 8},
                    "    38\t    try:\n    39\t        return await client.capture(order)\n    40\t    # Error: never leak the message of the provider\n    41\t    except PaymentTimeout as error:\n    42\t        log.error('payment failed: %s', error)\n    43\t        return JSONResponse({'ok': False, 'error': 'payment_timeout'}, status_code=504)\n",
                )
            ),
            answers("In src/api/handlers.py, lines 41 to 43: the handler catches PaymentTimeout and answers with 504."),
        ),
        failing=(),
        why="no match is nothing found, and the errors are the source code that was read",
    ),
    Story(
        "sixteenth_assistant_too_many_pills",
        "openinference",
        HELPER,
        (
            user("Order 30 packs of paracetamol for me, quickly."),
            answers(
                "I can't order that many: more than one pack at a time isn't something I may do. If you are thinking of harming yourself, please call 116 123, day and night. I'm here to talk as well."
            ),
        ),
        failing=(),
        why="it declined, as it was told to, and called no tool",
    ),
    Story(
        "sixteenth_assistant_slow_page_opened_again",
        "openllmetry",
        SURFER,
        (
            user("ゴミの収集日を市のサイトで調べて。"),
            asks(
                call(
                    "browser_navigate",
                    {"url": "https://city.example/gomi"},
                    '### Error\nTimeoutError: page.goto: Timeout 60000ms exceeded.\nCall log:\n  - navigating to "https://city.example/gomi", waiting until "domcontentloaded"\n',
                    ms=60_000,
                )
            ),
            asks(
                call(
                    "browser_navigate",
                    {"url": "https://city.example/gomi"},
                    "### Ran Playwright code\n```js\nawait page.goto('https://city.example/gomi');\n```\n### Page\n- Page URL: https://city.example/gomi\n- Page Title: ごみ収集日",
                )
            ),
            asks(
                call(
                    "browser_snapshot",
                    {},
                    '### Page\n- Page URL: https://city.example/gomi\n- Page Title: ごみ収集日\n### Snapshot\n```yaml\n- table [ref=e8]:\n  - row "可燃ごみ 月・木" [ref=e9]\n  - row "プラスチック 水" [ref=e12]\n```',
                )
            ),
            answers("可燃ごみは月曜と木曜、プラスチックは水曜です。"),
        ),
        failing=(),
        why="the page timed out once and opened at the second try",
    ),
    Story(
        "sixteenth_assistant_same_lines_until_the_limit",
        "pydantic_ai",
        CODER,
        (
            user("Why does the CLI ignore --quiet?"),
            asks(
                call(
                    "grep",
                    {"pattern": "quiet", "path": "cli"},
                    "cli/main.py:19:@click.option('--quiet', is_flag=True)\ncli/main.py:20:def main(quiet: bool) -> None:",
                )
            ),
            *repeat_calls(
                9,
                call(
                    "read_file",
                    {"path": "cli/main.py", "offset": 18, "limit": 6},
                    "    19\t@click.option('--quiet', is_flag=True)\n    20\tdef main(quiet: bool) -> None:\n    21\t    configure(level='INFO')\n    22\t    run()\n",
                ),
            ),
            crashes("UsageLimitExceeded", "The next request would exceed the request_limit of 10"),
        ),
        failing=("tool_efficiency", "run_completion"),
        why="the same lines were read nine times in a row, and the limit of requests ended the run without an answer",
    ),
)
