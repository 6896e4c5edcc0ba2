"""Coding agents, editors, reviews."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Ask, Fault, Story, answers, asks, call, hosted, repeat_calls, tool, unanswered, user

__all__ = ["STORIES"]

READ = tool("read_file", "Reads a file", path="string", start_line="integer?", end_line="integer?")
WRITE = tool("write_file", "Writes a file", path="string", content="string")
EDIT = tool("str_replace", "Replaces a text that occurs once", path="string", old_str="string", new_str="string")
GREP = tool("grep", "Searches the repository", pattern="string", glob="string?")
TESTS = tool("run_tests", "Runs the tests", target="string?")
CODER = Agent(
    "coding_agent", (READ, WRITE, EDIT, GREP, TESTS), "You change code as asked.", "claude-sonnet-4-5", "anthropic"
)
READER = Agent("code_guide", (READ, GREP), "You explain a code base.", "gpt-4.1-mini")

ESLINT = tool("eslint", "Lints files", paths="string[]")
LINTER = Agent("lint_bot", (ESLINT,), "You report on code style.", "gpt-4.1-mini")

ANALYST = Agent("notebook_helper", (), "You compute with Python.", "claude-sonnet-4-5", "anthropic")

PATCH = tool("apply_patch", "Applies a patch", patch="string")
CODEX = Agent("codex_like", (READ, PATCH), "You fix bugs in a repository.", "gpt-5-codex")

DIFF = tool("get_diff", "The diff of a pull request", number="integer")
SECURITY = Agent("security_reviewer", (DIFF,), "You review changes for security.", "gpt-4o")
REVIEW = tool("security_review", "Asks the security reviewer", request="string")
COMMENT = tool("post_comment", "Comments on a pull request", number="integer", body="string")
REVIEWER = Agent("review_lead", (REVIEW, COMMENT), "You coordinate reviews.", "gpt-4o")

RED = "============================= test session starts ==============================\ncollected 6 items\n\ntests/test_rates.py ....FF                                               [100%]\n\nFAILED tests/test_rates.py::test_round - AssertionError: assert 1.01 == 1.02\nFAILED tests/test_rates.py::test_zero - ZeroDivisionError: division by zero\n========================= 2 failed, 4 passed in 0.21s =========================="
ONE_RED = "============================= test session starts ==============================\ncollected 6 items\n\ntests/test_rates.py .....F                                               [100%]\n\nFAILED tests/test_rates.py::test_zero - ZeroDivisionError: division by zero\n========================= 1 failed, 5 passed in 0.20s =========================="
GREEN = "============================= test session starts ==============================\ncollected 6 items\n\ntests/test_rates.py ......                                               [100%]\n\n============================== 6 passed in 0.19s ==============================="

GO_RED = "--- FAIL: TestParse (0.00s)\n    parse_test.go:31: got 0, want 7\nFAIL\nFAIL\tacme.dev/dur\t0.004s"


def edited(old: str, new: str) -> Ask:
    return asks(
        call(
            "str_replace",
            {"path": "dur/parse.go", "old_str": old, "new_str": new},
            "The file dur/parse.go has been edited successfully.",
        )
    )


STORIES = (
    Story(
        "fifteenth_code_two_tests_repaired",
        "genai",
        CODER,
        (
            user("Make the tests of rates green."),
            asks(call("run_tests", {"target": "tests/test_rates.py"}, RED)),
            asks(
                call(
                    "read_file",
                    {"path": "rates.py"},
                    "     1\tdef rate(paid, due):\n     2\t    return round(paid / due - 0.005, 2)\n",
                )
            ),
            asks(
                call(
                    "str_replace",
                    {"path": "rates.py", "old_str": " - 0.005", "new_str": ""},
                    "The file rates.py has been edited successfully.",
                )
            ),
            asks(call("run_tests", {"target": "tests/test_rates.py"}, ONE_RED)),
            asks(
                call(
                    "str_replace",
                    {
                        "path": "rates.py",
                        "old_str": "    return",
                        "new_str": "    if not due:\n        return 0.0\n    return",
                    },
                    "The file rates.py has been edited successfully.",
                )
            ),
            asks(call("run_tests", {"target": "tests/test_rates.py"}, GREEN)),
            answers(
                "All six tests pass. The rate was lowered by 0.005 before rounding, and it divided by zero when nothing is due."
            ),
        ),
        failing=(),
        why="the test runner found failures, which were repaired",
    ),
    Story(
        "fifteenth_code_where_errors_are_raised",
        "genai_events",
        READER,
        (
            user("どこで設定エラーが発生しますか？"),
            asks(
                call(
                    "grep",
                    {"pattern": "raise ConfigError", "glob": "*.py"},
                    'app/config.py:41:        raise ConfigError(f"Error: missing key {key}")\napp/config.py:58:        raise ConfigError("Error: invalid port")',
                )
            ),
            asks(
                call(
                    "read_file",
                    {"path": "app/config.py", "start_line": 38, "end_line": 42},
                    '    for key in REQUIRED:\n        if key not in data:\n            log.error("config invalid")\n            raise ConfigError(f"Error: missing key {key}")\n',
                )
            ),
            answers("app/config.py の 41 行目（必須キーの欠落）と 58 行目（不正なポート）です。"),
        ),
        failing=(),
        why="the errors are source code that was searched and read",
    ),
    Story(
        "fifteenth_code_edit_never_matched",
        "openinference",
        CODER,
        (
            user("Rename the option --fast to --quick in cli.py."),
            asks(
                call(
                    "read_file",
                    {"path": "cli.py"},
                    "     1\tparser.add_argument('--fast', action='store_true')\n     2\tif args.fast:\n     3\t    run(fast=True)\n",
                )
            ),
            asks(
                call(
                    "str_replace",
                    {
                        "path": "cli.py",
                        "old_str": 'parser.add_argument("--fast", action="store_true")',
                        "new_str": 'parser.add_argument("--quick", action="store_true")',
                    },
                    'Error: No replacement was performed, old_str `parser.add_argument("--fast", action="store_true")` did not appear verbatim in cli.py.',
                )
            ),
            asks(
                call(
                    "str_replace",
                    {"path": "cli.py", "old_str": "fast", "new_str": "quick"},
                    "Error: No replacement was performed. Multiple occurrences of old_str `fast` in lines: [1, 2, 3]. Please ensure it is unique.",
                )
            ),
            answers("I did not manage to change cli.py; the option is still called --fast."),
        ),
        failing=("tool_error",),
        why="both edits were refused and the file is unchanged",
    ),
    Story(
        "fifteenth_code_same_file_six_times",
        "openllmetry",
        READER,
        (
            user("What does the scheduler do when two jobs have the same priority?"),
            asks(
                call(
                    "grep",
                    {"pattern": "priority", "glob": "*.rs"},
                    "src/sched.rs:12:    heap.push(Reverse((job.priority, job.seq, job)));",
                )
            ),
            *repeat_calls(
                6,
                call(
                    "read_file",
                    {"path": "src/sched.rs", "start_line": 1, "end_line": 20},
                    "use std::cmp::Reverse;\nuse std::collections::BinaryHeap;\n\n// ties: oldest first\npub fn push(heap: &mut Heap, job: Job) {\n    heap.push(Reverse((job.priority, job.seq, job)));\n}\n",
                ),
            ),
            answers("The older job goes first: `seq` breaks the tie."),
        ),
        failing=("tool_efficiency",),
        why="the same lines were read six times in a row without a change in between",
    ),
    Story(
        "fifteenth_code_eslint_findings",
        "vercel_ai",
        LINTER,
        (
            user("Lint src/cart.ts"),
            asks(
                call(
                    "eslint",
                    {"paths": ["src/cart.ts"]},
                    [
                        {
                            "filePath": "/repo/src/cart.ts",
                            "messages": [
                                {
                                    "ruleId": "no-unused-vars",
                                    "severity": 2,
                                    "message": "'total' is assigned a value but never used.",
                                    "line": 8,
                                    "column": 7,
                                },
                                {
                                    "ruleId": "eqeqeq",
                                    "severity": 1,
                                    "message": "Expected '===' and instead saw '=='.",
                                    "line": 20,
                                    "column": 11,
                                },
                            ],
                            "errorCount": 1,
                            "fatalErrorCount": 0,
                            "warningCount": 1,
                        }
                    ],
                )
            ),
            answers(
                "One error and one warning: `total` on line 8 is never used, and line 20 compares with == instead of ===."
            ),
        ),
        failing=(),
        why="the linter worked; an error count is what it is to find",
    ),
    Story(
        "fifteenth_code_python_at_the_provider",
        "pydantic_ai",
        ANALYST,
        (
            user("What is the 20th Bell number?"),
            answers(
                "The 20th Bell number is 51724158235372.",
                hosted=(
                    hosted(
                        "code_execution",
                        {"code": "from sympy import bell\nprint(bell(20))"},
                        {
                            "type": "code_execution_result",
                            "stdout": "51724158235372\n",
                            "stderr": "",
                            "return_code": 0,
                            "content": [],
                        },
                    ),
                ),
            ),
        ),
        failing=(),
        why="the provider ran the code and the answer stands on its output",
    ),
    Story(
        "fifteenth_code_patch_never_applied",
        "genai",
        CODEX,
        (
            user("The footer shows 2024, fix it."),
            asks(call("read_file", {"path": "web/footer.html"}, "<footer>© 2024 Acme</footer>\n")),
            asks(
                unanswered(
                    "apply_patch",
                    {
                        "patch": "*** Begin Patch\n*** Update File: web/footer.html\n@@\n-<footer>© 2024 Acme</footer>\n+<footer>© 2026 Acme</footer>\n*** End Patch"
                    },
                ),
                text="I'll update the year.",
            ),
        ),
        failing=("run_completion",),
        why="the patch was requested, nothing ever applied it, and there is no answer",
    ),
    Story(
        "fifteenth_code_red_until_third_edit",
        "openllmetry",
        CODER,
        (
            user("TestParse fails, please fix parse.go."),
            asks(call("run_tests", {"target": "./dur"}, GO_RED)),
            edited("n := 0", "n := 1"),
            asks(call("run_tests", {"target": "./dur"}, GO_RED)),
            edited("n := 1", "n := len(s)"),
            asks(call("run_tests", {"target": "./dur"}, GO_RED)),
            edited("case 'w': return 0", "case 'w': return 7"),
            asks(call("run_tests", {"target": "./dur"}, "ok  \tacme.dev/dur\t0.003s")),
            answers("TestParse passes: a week counted as 0 days."),
        ),
        failing=(),
        why="the tests ran again after each edit, and pass in the end",
    ),
    Story(
        "fifteenth_code_written_without_content",
        "vercel_ai",
        CODER,
        (
            user("Add an empty-ish CHANGELOG.md with a heading."),
            asks(
                call(
                    "write_file",
                    {"path": "CHANGELOG.md"},
                    fault=Fault(
                        "AI_InvalidToolInputError",
                        'Invalid input for tool write_file: Type validation failed: Value: {"path":"CHANGELOG.md"}.\nError message: [{"expected":"string","code":"invalid_type","path":["content"],"message":"Invalid input: expected string, received undefined"}]',
                        told='Invalid input for tool write_file: Type validation failed: Value: {"path":"CHANGELOG.md"}.',
                    ),
                    span=False,
                )
            ),
            asks(
                call(
                    "write_file",
                    {"path": "CHANGELOG.md", "content": "# Changelog\n"},
                    {"path": "CHANGELOG.md", "bytesWritten": 12},
                )
            ),
            answers("CHANGELOG.md is there, with its heading."),
        ),
        failing=("tool_call_validity",),
        why="the first call left out the required content; the second wrote the file",
    ),
    Story(
        "fifteenth_code_review_breaks_off",
        "pydantic_ai",
        REVIEWER,
        (
            user("Have PR 310 reviewed for security and post the result."),
            asks(
                call(
                    "security_review",
                    {"request": "Review PR 310"},
                    "Findings:\n1. The token is compared with ==, which leaks timing.\n2. The redirect",
                    agent=SECURITY,
                    steps=(
                        asks(
                            call(
                                "get_diff",
                                {"number": 310},
                                "diff --git a/auth.py b/auth.py\n@@ -3,2 +3,4 @@\n+    if token == expected:\n+        return redirect(request.args['next'])\n",
                            )
                        ),
                        answers(
                            "Findings:\n1. The token is compared with ==, which leaks timing.\n2. The redirect",
                            "length",
                        ),
                    ),
                )
            ),
            asks(
                call(
                    "post_comment",
                    {"number": 310, "body": "The token is compared with ==, which leaks timing."},
                    {"id": 90121, "html_url": "https://git.example/acme/api/pull/310#issuecomment-90121"},
                )
            ),
            answers("I posted the finding of the security review on PR 310."),
        ),
        failing=("run_completion",),
        why="the answer of the sub-agent was cut off by length within its second finding",
    ),
)
