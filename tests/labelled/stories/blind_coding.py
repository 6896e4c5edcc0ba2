"""Agents that change code until its tests pass; labelled from the spans alone."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, tool, user

__all__ = ["STORIES"]

CODING_SYSTEM = (
    "You are a software engineer in a repository. Explore, change files, run the tests, and submit when you are done."
)
BASH = tool("bash", "Run a command in the repository.", command="string", timeout_s="integer?")
OPEN = tool("open_file", "Show a file around a line.", path="string", line="integer?")
EDIT = tool("edit_file", "Replace text in a file.", path="string", old="string", new="string")
TESTS = tool("run_tests", "Run the tests, give the output and the exit code.", path="string?")
SUBMIT = tool("submit", "Submit the change.")

STORIES = (
    Story(
        "coding_tests_until_green",
        "openllmetry",
        Agent("swe_agent", (BASH, OPEN, EDIT, TESTS, SUBMIT), CODING_SYSTEM),
        (
            user("TypeError in `Duration.__add__` when the other side is None (see tests/test_duration.py). Fix it."),
            asks(
                call(
                    "open_file",
                    {"path": "src/duration.py", "line": 41},
                    (
                        "[File: src/duration.py (118 lines total)]\n"
                        "40:    def __add__(self, other):\n"
                        "41:        return Duration(self.seconds + other.seconds)\n"
                        "42:"
                    ),
                )
            ),
            asks(
                call(
                    "run_tests",
                    {"path": "tests/test_duration.py"},
                    {
                        "exit_code": 1,
                        "output": (
                            "F..\n"
                            "FAILED tests/test_duration.py::test_add_none - AttributeError: 'NoneType' object "
                            "has no attribute 'seconds'\n"
                            "1 failed, 2 passed in 0.08s"
                        ),
                    },
                )
            ),
            asks(
                call(
                    "edit_file",
                    {
                        "path": "src/duration.py",
                        "old": "        return Duration(self.seconds + other.seconds)",
                        "new": (
                            "        if other is None:\n            return self\n        return "
                            "Duration(self.seconds + other.seconds)"
                        ),
                    },
                    "File updated.",
                )
            ),
            asks(
                call(
                    "run_tests",
                    {"path": "tests/test_duration.py"},
                    {
                        "exit_code": 1,
                        "output": (
                            "F..\n"
                            "FAILED tests/test_duration.py::test_add_none - AssertionError: expected "
                            "NotImplemented\n"
                            "1 failed, 2 passed in 0.08s"
                        ),
                    },
                )
            ),
            asks(
                call(
                    "edit_file",
                    {
                        "path": "src/duration.py",
                        "old": "            return self\n",
                        "new": "            return NotImplemented\n",
                    },
                    "File updated.",
                )
            ),
            asks(
                call(
                    "run_tests",
                    {"path": "tests/test_duration.py"},
                    {"exit_code": 0, "output": "...\n3 passed in 0.06s"},
                )
            ),
            asks(call("submit", {}, "Submitted.")),
            answers("`Duration.__add__` now returns NotImplemented for None; the three tests pass."),
        ),
        failing=(),
        why="The same tests after each edit until they passed, then the change was submitted.",
    ),
    Story(
        "coding_same_failure_between_edits",
        "vercel_ai",
        Agent("swe_agent", (BASH, EDIT), CODING_SYSTEM),
        (
            user("`make check` fails since the upgrade. Please repair the configuration."),
            asks(
                call(
                    "bash",
                    {"command": "make check"},
                    (
                        "error TS5023: Unknown compiler option 'importsNotUsedAsValues'.\n"
                        "make: *** [Makefile:7: check] Error 2\n"
                        "[exit code 2]"
                    ),
                )
            ),
            asks(
                call(
                    "edit_file",
                    {"path": "tsconfig.json", "old": '"importsNotUsedAsValues": "error",', "new": ""},
                    "Edited tsconfig.json",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "make check"},
                    (
                        "error TS5023: Unknown compiler option 'importsNotUsedAsValues'.\n"
                        "make: *** [Makefile:7: check] Error 2\n"
                        "[exit code 2]"
                    ),
                )
            ),
            asks(
                call(
                    "edit_file",
                    {"path": "packages/web/tsconfig.json", "old": '"importsNotUsedAsValues": "error",', "new": ""},
                    "Edited packages/web/tsconfig.json",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "make check"},
                    (
                        "error TS5023: Unknown compiler option 'importsNotUsedAsValues'.\n"
                        "make: *** [Makefile:7: check] Error 2\n"
                        "[exit code 2]"
                    ),
                )
            ),
            asks(
                call(
                    "edit_file",
                    {"path": "packages/api/tsconfig.json", "old": '"importsNotUsedAsValues": "error",', "new": ""},
                    "Edited packages/api/tsconfig.json",
                )
            ),
            asks(call("bash", {"command": "make check"}, "Checked 214 files.\n[exit code 0]")),
            answers("I removed the obsolete compiler option from all three tsconfig files; `make check` passes."),
        ),
        failing=(),
        why=(
            "The same test failed in the same way after two edits and passed after the third: edit, test, edit, test."
        ),
    ),
    Story(
        "coding_no_match_is_no_failure",
        "pydantic_ai",
        Agent("swe_agent", (BASH, EDIT, SUBMIT), CODING_SYSTEM),
        (
            user("Remove what is left of the feature flag NEW_CHECKOUT."),
            asks(
                call(
                    "bash",
                    {"command": "grep -rn NEW_CHECKOUT src"},
                    {"stdout": "src/flags.py:31:NEW_CHECKOUT = True\n", "stderr": "", "exit_code": 0},
                )
            ),
            asks(call("edit_file", {"path": "src/flags.py", "old": "NEW_CHECKOUT = True\n", "new": ""}, "ok")),
            asks(call("bash", {"command": "grep -rn NEW_CHECKOUT src"}, {"stdout": "", "stderr": "", "exit_code": 1})),
            asks(
                call(
                    "bash",
                    {"command": "python -m pytest -q"},
                    {"stdout": "412 passed in 21.30s\n", "stderr": "", "exit_code": 0},
                )
            ),
            asks(call("submit", {}, "submitted")),
            answers("Done: the flag is gone, nothing refers to it any more, and all 412 tests pass."),
        ),
        failing=(),
        why=(
            "grep with exit code 1 means no match, a diff with exit code 1 means a difference; "
            "the work went on and was finished."
        ),
    ),
)
