"""Agents that read code, or get stuck in it; labelled from the spans alone."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, tool, user

__all__ = ["STORIES"]

OPEN = tool("open_file", "Show a file around a line.", path="string", line="integer?")
CODING_SYSTEM = (
    "You are a software engineer in a repository. Explore, change files, run the tests, and submit when you are done."
)
BASH = tool("bash", "Run a command in the repository.", command="string", timeout_s="integer?")
EDIT = tool("edit_file", "Replace text in a file.", path="string", old="string", new="string")
SUBMIT = tool("submit", "Submit the change.")

STORIES = (
    Story(
        "coding_reads_error_handling_code",
        "genai_events",
        Agent(
            "code_reader",
            (
                tool("grep_code", "Search the code base with a regular expression.", pattern="string", glob="string?"),
                OPEN,
            ),
            "You answer questions about a code base.",
        ),
        (
            user("Where do we turn a timeout of the payment provider into a user-visible message?"),
            asks(
                call(
                    "grep_code",
                    {"pattern": "PaymentTimeout", "glob": "*.py"},
                    (
                        "shop/payments/errors.py:12:class PaymentTimeout(PaymentError):\n"
                        'shop/payments/client.py:88:            raise PaymentTimeout("Error: provider did '
                        'not answer in time") from exc\n'
                        "shop/web/handlers.py:141:    except PaymentTimeout:"
                    ),
                )
            ),
            asks(
                call(
                    "open_file",
                    {"path": "shop/web/handlers.py", "line": 141},
                    (
                        "136  def pay(request):\n"
                        "137      try:\n"
                        "138          receipt = provider.charge(request.basket)\n"
                        "139      except CardDeclined as exc:\n"
                        "140          return error(402, str(exc))\n"
                        "141      except PaymentTimeout:\n"
                        '142          log.exception("payment timed out")\n'
                        '143          return error(504, "The payment provider did not answer. You have '
                        'not been charged.")'
                    ),
                )
            ),
            answers(
                "In `shop/web/handlers.py`, lines 141 to 143: `pay` catches `PaymentTimeout`, "
                "which `shop/payments/client.py:88` raises, and answers 504 with the message for "
                "the user."
            ),
        ),
        failing=(),
        why="Search hits and source code that talk about errors are what was asked for.",
    ),
    Story(
        "coding_stuck_on_red_tests",
        "openinference",
        Agent("swe_agent", (BASH, EDIT), CODING_SYSTEM),
        (
            user("Make the CSV importer accept semicolons."),
            asks(
                call(
                    "bash",
                    {"command": "sed -n 1,30p importer/csv_reader.py"},
                    (
                        "import csv\n\n\n"
                        "def rows(path):\n    with open(path, newline='') as file:\n        yield from "
                        "csv.DictReader(file)\n"
                        "[exit code 0]"
                    ),
                )
            ),
            asks(
                call(
                    "edit_file",
                    {
                        "path": "importer/csv_reader.py",
                        "old": "csv.DictReader(file)",
                        "new": "csv.DictReader(file, delimiter=sniff(file))",
                    },
                    "Edited importer/csv_reader.py",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "python -m pytest -q tests/test_csv_reader.py"},
                    (
                        "FF.F\n"
                        "FAILED tests/test_csv_reader.py::test_comma - NameError: name 'sniff' is not "
                        "defined\n"
                        "FAILED tests/test_csv_reader.py::test_semicolon - NameError: name 'sniff' is not "
                        "defined\n"
                        "3 failed, 1 passed in 0.11s\n"
                        "[exit code 1]"
                    ),
                )
            ),
            answers("The importer now accepts semicolons as well as commas."),
        ),
        failing=("tool_error",),
        why=("The last thing that the run did was a test run with a failing exit code, and it claimed success."),
    ),
    Story(
        "coding_edit_never_applied",
        "openllmetry",
        Agent("swe_agent", (OPEN, EDIT), CODING_SYSTEM),
        (
            user("Raise the default timeout to 30 seconds."),
            asks(
                call(
                    "open_file",
                    {"path": "client/config.go", "line": 18},
                    (
                        "17  // DefaultTimeout is how long a request may take.\n"
                        "18  var DefaultTimeout = 10 * time.Second"
                    ),
                )
            ),
            asks(
                call(
                    "edit_file",
                    {
                        "path": "client/config.go",
                        "old": "DefaultTimeout = 10 * time.Seconds",
                        "new": "DefaultTimeout = 30 * time.Seconds",
                    },
                    {"success": False, "error": "old text not found in client/config.go"},
                )
            ),
            asks(
                call(
                    "edit_file",
                    {
                        "path": "client/config.go",
                        "old": "const DefaultTimeout = 10 * time.Second",
                        "new": "const DefaultTimeout = 30 * time.Second",
                    },
                    {"success": False, "error": "old text not found in client/config.go"},
                )
            ),
            answers(
                "I was not able to edit client/config.go. Change line 18 to `var DefaultTimeout = 30 * time.Second`."
            ),
        ),
        failing=("tool_error",),
        why="Both edits failed because the text was not in the file, and none succeeded later.",
    ),
    Story(
        "coding_opens_and_closes_in_circles",
        "vercel_ai",
        Agent("swe_agent", (OPEN, EDIT, SUBMIT), CODING_SYSTEM),
        (
            user("Why is the cache never invalidated?"),
            *(
                asks(
                    call(
                        "open_file",
                        {"path": "cache/store.rb", "line": 1},
                        "1  class Store\n2    def fetch(key) = @data[key] ||= yield\n3  end",
                    )
                ),
                asks(
                    call(
                        "open_file",
                        {"path": "cache/keys.rb", "line": 1},
                        '1  module Keys\n2    def self.for(user) = "user/#{user.id}"\n3  end',
                    )
                ),
            )
            * 4,
            answers("The key does not contain a version, so an entry is never replaced."),
        ),
        failing=("tool_efficiency",),
        why=("The same two files are opened in turn eight times; nothing is changed and nothing new is seen."),
    ),
)
