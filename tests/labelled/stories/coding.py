"""Agents that edit code: files, shells, test runners."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, tool, user

__all__ = ["STORIES"]

BASH = tool("bash", "Run a command in the sandbox", command="string", timeout="integer?")
READ = tool("read_file", "Read a file", path="string")
WRITE = tool("write_file", "Write a file", path="string", content="string")
REPLACE = tool("str_replace", "Replace a text in a file", path="string", old_str="string", new_str="string")
AGENT = Agent(
    "swe_agent", (BASH, READ, WRITE, REPLACE), "You fix issues in a repository. Run the tests before you finish."
)

PYTEST = {"command": "python -m pytest -x -q tests/test_dates.py"}
RED = """F                                                                        [100%]
=================================== FAILURES ===================================
______________________________ test_leap_day_parse _____________________________

    def test_leap_day_parse():
>       assert parse("29.02.2024") == date(2024, 2, 29)
E       ValueError: day is out of range for month

src/dates/parser.py:41: ValueError
=========================== short test summary info ============================
FAILED tests/test_dates.py::test_leap_day_parse - ValueError: day is out of range for month
!!!!!!!!!!!!!!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!!!!!!!!!!!!!!!
1 failed in 0.21s
[exit code: 1]"""
GREEN = "..............                                              [100%]\n14 passed in 0.34s\n[exit code: 0]"
SOURCE = '''from datetime import date


class ParseError(ValueError):
    """Error: the text is no date."""


def parse(text: str) -> date:
    try:
        day, month, year = map(int, text.split("."))
    except ValueError as error:
        raise ParseError(f"Error: cannot parse {text!r}") from error
    if year % 4 == 1 and month == 2:
        day = min(day, 28)
    return date(year, month, day)
'''
DENIED = """Traceback (most recent call last):
  File "/opt/tools/files.py", line 31, in write_file
    with open(path, "w") as file:
         ^^^^^^^^^^^^^^^
PermissionError: [Errno 13] Permission denied: 'CHANGELOG.md'"""
EDIT = {"path": "src/dates/parser.py", "old_str": "if year % 4 == 1 and month == 2:", "new_str": "if False:"}
EDITED = "The file src/dates/parser.py has been edited."


def edit(new: str) -> dict[str, str]:
    return {**EDIT, "new_str": new}


STORIES = (
    Story(
        "coding_edit_test_edit_test",
        "openinference",
        AGENT,
        (
            user("parse('29.02.2024') raises. Fix it."),
            asks(call("read_file", {"path": "src/dates/parser.py"}, SOURCE)),
            asks(call("bash", PYTEST, RED, ms=1400)),
            asks(call("str_replace", edit("if not isleap(year) and month == 2:"), EDITED)),
            asks(call("bash", PYTEST, RED.replace("ValueError: day", "NameError: isleap"), ms=1300)),
            asks(call("str_replace", edit("if not calendar.isleap(year) and month == 2:"), EDITED)),
            asks(call("bash", PYTEST, GREEN, ms=1350)),
            answers("Fixed: the clamp now asks `calendar.isleap`. All 14 tests pass."),
        ),
        failing=(),
        why="tests were run again after each edit, and the last run is green",
    ),
    Story(
        "coding_ends_on_red_tests",
        "genai",
        AGENT,
        (
            user("Fix the leap day bug."),
            asks(call("str_replace", edit("if not isleap(year) and month == 2:"), EDITED)),
            asks(call("bash", PYTEST, RED, ms=1500)),
            answers("I've updated the parser; the leap day bug should be fixed now."),
        ),
        failing=("tool_error",),
        why="the last thing the run did was a test run that failed, and it ended there",
    ),
    Story(
        "coding_grep_without_hits",
        "vercel_ai",
        AGENT,
        (
            user("Is `parse_legacy` still used anywhere?"),
            asks(
                call(
                    "bash",
                    {"command": "grep -rn parse_legacy src tests"},
                    {"stdout": "", "stderr": "", "exit_code": 1},
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "git log --oneline -S parse_legacy | head -3"},
                    {"stdout": "9b1f0aa drop legacy parser\n", "stderr": "", "exit_code": 0},
                )
            ),
            answers("No, it was removed in 9b1f0aa and nothing uses it."),
        ),
        failing=(),
        why="grep exits with 1 when it finds nothing, which is an answer; the run went on",
    ),
    Story(
        "coding_reads_error_handling",
        "pydantic_ai",
        AGENT,
        (
            user("How does the parser report bad input?"),
            asks(call("read_file", {"path": "src/dates/parser.py"}, SOURCE)),
            answers('It raises `ParseError`, a `ValueError`, with the message "Error: cannot parse …".'),
        ),
        failing=(),
        why="the result is source code that speaks of errors; nothing failed",
    ),
    Story(
        "coding_file_does_not_exist",
        "pydantic_ai",
        AGENT,
        (
            user("Explain src/dates/iso.py"),
            asks(
                call(
                    "read_file",
                    {"path": "src/dates/iso.py"},
                    "FileNotFoundError: [Errno 2] No such file or directory: 'src/dates/iso.py'",
                )
            ),
            answers("I could not open that file, so I can't explain it."),
        ),
        failing=("tool_error",),
        why="the whole result is the exception of the read, which was not made good",
    ),
    Story(
        "coding_wrong_path_then_right",
        "openllmetry",
        AGENT,
        (
            user("Explain iso.py"),
            asks(call("read_file", {"path": "iso.py"}, "Error: file not found: iso.py")),
            asks(call("bash", {"command": "find . -name iso.py"}, "./src/dates/formats/iso.py\n")),
            asks(
                call(
                    "read_file",
                    {"path": "src/dates/formats/iso.py"},
                    "def to_iso(value):\n    return value.isoformat()\n",
                )
            ),
            answers("`to_iso` gives the ISO text of a date."),
        ),
        failing=(),
        why="the failed read was made good by reading the right path",
    ),
    Story(
        "coding_read_write_read",
        "genai",
        AGENT,
        (
            user("Bump the version to 2.4.1"),
            asks(call("read_file", {"path": "VERSION"}, "2.4.0\n")),
            asks(call("write_file", {"path": "VERSION", "content": "2.4.1\n"}, "Wrote 6 bytes to VERSION")),
            asks(call("read_file", {"path": "VERSION"}, "2.4.1\n")),
            answers("The version is 2.4.1 now."),
        ),
        failing=(),
        why="reading a file again after writing it is how one checks",
    ),
    Story(
        "coding_tool_raises_traceback",
        "openllmetry",
        AGENT,
        (
            user("Write the changelog entry."),
            asks(
                call(
                    "write_file",
                    {"path": "CHANGELOG.md", "content": "## 2.4.1\n- leap days\n"},
                    DENIED,
                )
            ),
            answers("I don't have permission to write CHANGELOG.md, so the entry is missing."),
        ),
        failing=("tool_error",),
        why="the result of the write is a traceback",
    ),
    Story(
        "coding_sandbox_died",
        "vercel_ai",
        AGENT,
        (
            user("Run the benchmarks."),
            asks(
                call(
                    "bash",
                    {"command": "make bench", "timeout": 600},
                    fault=Fault("SandboxError", "sandbox 7f31 was killed: out of memory"),
                    ms=81_000,
                )
            ),
            crashes("SandboxError", "sandbox 7f31 was killed: out of memory"),
        ),
        failing=("run_completion", "tool_error"),
        why="the tool crashed and took the run with it",
    ),
    Story(
        "coding_context_window_exceeded",
        "genai",
        AGENT,
        (
            user("Read all of the vendored code and summarise it."),
            asks(
                call(
                    "bash",
                    {"command": "cat vendor/*.py | head -c 4000"},
                    "import re\nimport sys\n" + "# vendored, do not edit\n" * 40,
                )
            ),
            crashes(
                "openai.BadRequestError",
                "Error code: 400 - context_length_exceeded: maximum context length is 128000 tokens",
            ),
        ),
        failing=("run_completion",),
        why="the run ended in an error of the model's API, without an answer",
    ),
)
