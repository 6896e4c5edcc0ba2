"""Coding agents in a repository: shells, editors, test runners, pull requests."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, refused, repeat_calls, tool, user

__all__ = ["STORIES"]

BASH = tool("bash", "Run a command in the sandbox", command="string", timeout="integer?")
EDITOR = tool(
    "str_replace_editor",
    "View, create and edit files",
    command=["view", "create", "str_replace", "insert"],
    path="string",
    old_str="string?",
    new_str="string?",
    file_text="string?",
    view_range="integer[]?",
)
OPENHANDS = Agent(
    "CodeActAgent",
    (BASH, EDITOR, tool("think", "Log a thought", thought="string"), tool("finish", "Finish", message="string")),
    "You are a software engineer. Solve the issue in /workspace with minimal changes. Do not change the tests.",
    "claude-sonnet-4-20250514",
    "anthropic",
)

READ = tool("Read", "Read a file", file_path="string", offset="integer?", limit="integer?")
EDIT = tool("Edit", "Replace a text in a file", file_path="string", old_string="string", new_string="string")
GREP = tool("Grep", "Search with ripgrep", pattern="string", path="string?", output_mode="string?")
SHELL = tool("Bash", "Run a command", command="string", description="string?")
CLAUDE_CODE = Agent(
    "claude-code",
    (READ, EDIT, GREP, SHELL),
    "You are an interactive CLI tool that helps users with software engineering tasks.",
    "claude-opus-4-1",
    "anthropic",
)

EXEC = tool("shell", "Runs a shell command and returns its output", command="string[]", workdir="string?")
CODEX = Agent("codex", (EXEC,), "You are a coding agent running in the Codex CLI.", "gpt-5-codex")

RUFF = tool("run_linter", "Run ruff on a path", path="string")
REVIEWER = Agent(
    "pr_reviewer",
    (
        tool("get_diff", "The diff of a pull request", number="integer"),
        RUFF,
        tool("post_review", "Post a review", number="integer", body="string", verdict=["comment", "approve", "reject"]),
    ),
    "You review pull requests. Be brief and concrete.",
)


def ran(output: str, code: int = 0) -> str:
    return f"{output}\n[The command completed with exit code {code}.]\n[Current working directory: /workspace/orders]"


def exited(output: str, code: int = 0) -> dict[str, object]:
    return {"output": output, "metadata": {"exit_code": code, "duration_seconds": 0.4}}


def view(path: str, first: int, last: int) -> dict[str, object]:
    return {"command": "view", "path": path, "view_range": [first, last]}


LOADER = (
    "Here's the result of running `cat -n` on /workspace/orders/loader.py:\n"
    "    40\tdef load(path):\n    41\t    with open(path) as f:\n    42\t        rows = list(csv.reader(f))\n"
    "    43\t    return [parse(r) for r in rows]\n"
)
TEST_FAILS = (
    "============================= test session starts ==============================\n"
    "collected 42 items\n\ntests/test_money.py ....F....                                            [ 21%]\n"
    "tests/test_orders.py .................................                   [100%]\n\n"
    "=================================== FAILURES ===================================\n"
    "____________________________ test_round_half_even _____________________________\n"
    ">       assert quantize(Decimal('2.345')) == Decimal('2.34')\n"
    "E       AssertionError: assert Decimal('2.35') == Decimal('2.34')\n\n"
    "tests/test_money.py:31: AssertionError\n"
    "=========================== 1 failed, 41 passed in 1.92s ==========================="
)

STORIES = (
    Story(
        "fifth_code_rounding_issue_long",
        "genai",
        OPENHANDS,
        (
            user("Fix #812: totals are rounded half up, they must be rounded half to even. Run the tests at the end."),
            asks(
                call(
                    "bash",
                    {"command": "cd /workspace/orders && git status --short && ls"},
                    ran("README.md  orders  pyproject.toml  tests"),
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "grep -rn 'ROUND_HALF_UP' src/"},
                    ran("grep: src/: No such file or directory", 2),
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "grep -rn 'ROUND_HALF_UP' orders/"},
                    ran("orders/money.py:14:    return amount.quantize(CENT, rounding=ROUND_HALF_UP)"),
                )
            ),
            asks(
                call(
                    "str_replace_editor",
                    view("/workspace/orders/orders/money.py", 1, 20),
                    "     1\tfrom decimal import ROUND_HALF_UP, Decimal\n     2\t\n     3\tCENT = Decimal('0.01')\n"
                    "    13\tdef quantize(amount):\n    14\t    return amount.quantize(CENT, rounding=ROUND_HALF_UP)\n",
                )
            ),
            asks(call("bash", {"command": "python -m pytest -q"}, ran("bash: python: command not found", 127))),
            asks(call("bash", {"command": "python3 -m pytest -q"}, ran("No module named pytest", 1))),
            asks(
                call(
                    "bash",
                    {"command": "pip install -e '.[dev]'", "timeout": 180},
                    ran(
                        "Successfully installed orders-0.3.1 pytest-8.4.1\n"
                        "WARNING: Running pip as the 'root' user can result in broken permissions"
                    ),
                )
            ),
            asks(call("bash", {"command": "python3 -m pytest"}, ran(TEST_FAILS, 1))),
            asks(
                call(
                    "think",
                    {"thought": "The failing test is the issue. Only money.py rounds; the import must change too."},
                    "Your thought has been logged.",
                )
            ),
            asks(
                call(
                    "str_replace_editor",
                    {
                        "command": "str_replace",
                        "path": "/workspace/orders/orders/money.py",
                        "old_str": "    return amount.quantize(CENT, rounding=ROUND_HALF_UP)",
                        "new_str": "    return amount.quantize(CENT, rounding=ROUND_HALF_EVEN)",
                    },
                    "The file /workspace/orders/orders/money.py has been edited. Review the changes and make sure "
                    "they are as expected. Edit the file again if necessary.",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "python3 -m pytest tests/test_money.py -q"},
                    ran("E   NameError: name 'ROUND_HALF_EVEN' is not defined\n9 failed in 0.31s", 1),
                )
            ),
            asks(
                call(
                    "str_replace_editor",
                    {
                        "command": "str_replace",
                        "path": "/workspace/orders/orders/money.py",
                        "old_str": "from decimal import ROUND_HALF_UP, Decimal",
                        "new_str": "from decimal import ROUND_HALF_EVEN, Decimal",
                    },
                    "The file /workspace/orders/orders/money.py has been edited. Review the changes and make sure "
                    "they are as expected. Edit the file again if necessary.",
                )
            ),
            asks(
                call("bash", {"command": "python3 -m pytest tests/test_money.py -q"}, ran("9 passed in 0.12s")),
            ),
            asks(call("bash", {"command": "grep -rn 'ROUND_HALF_UP' orders tests"}, ran("", 1))),
            asks(
                call(
                    "bash",
                    {"command": "git diff --stat"},
                    ran(" orders/money.py | 4 ++--\n 1 file changed, 2 insertions(+), 2 deletions(-)"),
                )
            ),
            asks(call("bash", {"command": "python3 -m pytest"}, ran("42 passed in 1.88s"))),
            answers("Totals are now rounded half to even (`orders/money.py`). All 42 tests pass."),
        ),
        failing=(),
        why="errors of shell commands and red tests on the way, the last test run is green",
    ),
    Story(
        "fifth_code_edit_not_unique",
        "pydantic_ai",
        OPENHANDS,
        (
            user("In config.py set the default timeout to 30."),
            asks(
                call(
                    "bash",
                    {"command": "grep -n 'timeout' config.py"},
                    ran("12:    timeout = 10\n48:    timeout = 10\n97:    timeout = 10"),
                )
            ),
            asks(
                call(
                    "str_replace_editor",
                    {
                        "command": "str_replace",
                        "path": "/workspace/orders/config.py",
                        "old_str": "    timeout = 10",
                        "new_str": "    timeout = 30",
                    },
                    "No replacement was performed. Multiple occurrences of old_str `    timeout = 10` in lines "
                    "[12, 48, 97]. Please ensure it is unique.",
                )
            ),
            answers("Done: the default timeout is 30 seconds now."),
        ),
        failing=("tool_error",),
        why="the only edit was refused and the agent says that it is done",
    ),
    Story(
        "fifth_code_edit_after_reading",
        "vercel_ai",
        CLAUDE_CODE,
        (
            user("Rename the env var API_TOKEN to SERVICE_TOKEN in deploy/env.ts."),
            asks(
                call(
                    "Edit",
                    {
                        "file_path": "/repo/deploy/env.ts",
                        "old_string": "process.env.API_TOKEN",
                        "new_string": "process.env.SERVICE_TOKEN",
                    },
                    "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
                )
            ),
            asks(
                call(
                    "Read",
                    {"file_path": "/repo/deploy/env.ts"},
                    "     1→export const token = process.env.API_TOKEN;\n"
                    "     2→if (!token) throw new Error('API_TOKEN is not set');\n",
                )
            ),
            asks(
                call(
                    "Edit",
                    {
                        "file_path": "/repo/deploy/env.ts",
                        "old_string": "process.env.API_TOKEN",
                        "new_string": "process.env.SERVICE_TOKEN",
                    },
                    "The file /repo/deploy/env.ts has been updated.",
                ),
            ),
            asks(
                call(
                    "Edit",
                    {
                        "file_path": "/repo/deploy/env.ts",
                        "old_string": "'API_TOKEN is not set'",
                        "new_string": "'SERVICE_TOKEN is not set'",
                    },
                    "The file /repo/deploy/env.ts has been updated.",
                )
            ),
            answers("Renamed in `deploy/env.ts`, in the lookup and in its message."),
        ),
        failing=(),
        why="the first edit was refused, and repeated with success after reading",
    ),
    Story(
        "fifth_code_push_rejected",
        "openinference",
        CLAUDE_CODE,
        (
            user("Bump the version to 2.4.0, commit and push."),
            asks(call("Read", {"file_path": "/repo/package.json"}, '     1→{\n     2→  "version": "2.3.9",\n')),
            asks(
                call(
                    "Edit",
                    {
                        "file_path": "/repo/package.json",
                        "old_string": '"version": "2.3.9"',
                        "new_string": '"version": "2.4.0"',
                    },
                    "The file /repo/package.json has been updated.",
                )
            ),
            asks(
                call(
                    "Bash",
                    {"command": "git commit -am 'Release 2.4.0'", "description": "Commit"},
                    "[main 1f0c9ab] Release 2.4.0\n 1 file changed, 1 insertion(+), 1 deletion(-)",
                )
            ),
            asks(
                call(
                    "Bash",
                    {"command": "git push origin main", "description": "Push"},
                    "Exit code 1\nTo github.com:acme/shop.git\n ! [remote rejected] main -> main (protected branch hook "
                    "declined)\nerror: failed to push some refs to 'github.com:acme/shop.git'",
                )
            ),
            answers("The version is bumped and committed as 1f0c9ab, but the branch is protected so I could not push."),
        ),
        failing=("tool_error",),
        why="the last command of the run, the push, was rejected",
    ),
    Story(
        "fifth_code_npm_warnings",
        "genai_events",
        CODEX,
        (
            user("Install the dependencies and build."),
            asks(
                call(
                    "shell",
                    {"command": ["bash", "-lc", "npm ci"], "workdir": "/repo"},
                    {
                        "output": "npm warn deprecated inflight@1.0.6: This module is not supported, and leaks memory.\n"
                        "npm warn deprecated glob@7.2.3: Glob versions prior to v9 are no longer supported\n"
                        "\nadded 612 packages in 9s\nfound 0 vulnerabilities",
                        "metadata": {"exit_code": 0, "duration_seconds": 9.4},
                    },
                )
            ),
            asks(
                call(
                    "shell",
                    {"command": ["bash", "-lc", "npm run build"], "workdir": "/repo"},
                    {
                        "output": "vite v6.0.3 building for production...\n✓ 1318 modules transformed.\n"
                        "(!) Some chunks are larger than 500 kB after minification.\n✓ built in 6.02s",
                        "metadata": {"exit_code": 0, "duration_seconds": 7.1},
                    },
                )
            ),
            answers("Dependencies are installed and the build succeeds; one chunk is larger than 500 kB."),
        ),
        failing=(),
        why="warnings of the package manager and the bundler; both commands ended with 0",
    ),
    Story(
        "fifth_code_no_usage_left",
        "openllmetry",
        CLAUDE_CODE,
        (
            user("Is `legacyFetch` still used anywhere? If it isn't, tell me and change nothing."),
            asks(call("Grep", {"pattern": "legacyFetch", "path": "src"}, "No files found")),
            asks(
                call(
                    "Bash",
                    {"command": "git grep -n legacyFetch; echo exit=$?", "description": "Search tracked files"},
                    "exit=1",
                )
            ),
            answers("No, nothing tracked by git mentions `legacyFetch` any more, so it can go."),
        ),
        failing=(),
        why="exit code 1 of grep means that it found nothing, which was the question",
    ),
    Story(
        "fifth_code_view_loop",
        "genai",
        OPENHANDS,
        (
            user("Why does load() keep the header row? Explain."),
            *repeat_calls(6, call("str_replace_editor", view("/workspace/orders/loader.py", 40, 43), LOADER)),
            answers("load() never skips the first row: it passes every row of csv.reader to parse()."),
        ),
        failing=("tool_efficiency",),
        why="the same four lines were viewed six times in a row",
    ),
    Story(
        "fifth_code_http_client_refactoring",
        "genai_events",
        CODEX,
        (
            user("Replace requests by httpx in the whole project. Type check and tests must pass."),
            asks(
                call(
                    "shell", {"command": ["bash", "-lc", "rg -l 'import requests'"]}, exited("api.py\nsync.py\njobs.py")
                ),
                call("shell", {"command": ["bash", "-lc", "cat AGENTS.md"]}, exited("cat: AGENTS.md: No such file", 1)),
            ),
            asks(
                call(
                    "shell",
                    {"command": ["bash", "-lc", "sed -n 1,80p api.py"]},
                    exited("import requests\n\nclass Api: …"),
                ),
                call(
                    "shell",
                    {"command": ["bash", "-lc", "sed -n 1,80p sync.py"]},
                    exited("import requests\n\ndef sync(): …"),
                ),
                call(
                    "shell", {"command": ["bash", "-lc", "sed -n 1,80p jobs.py"]}, exited("import requests\nimport sys")
                ),
            ),
            asks(call("shell", {"command": ["bash", "-lc", "git status --porcelain"]}, exited(""))),
            asks(
                call(
                    "shell",
                    {
                        "command": [
                            "apply_patch",
                            "*** Begin Patch\n*** Update File: api.py\n-import request\n+import httpx",
                        ]
                    },
                    exited("Failed to find expected lines in api.py:\nimport request", 1),
                )
            ),
            asks(
                call(
                    "shell",
                    {
                        "command": [
                            "apply_patch",
                            "*** Begin Patch\n*** Update File: api.py\n-import requests\n+import httpx",
                        ]
                    },
                    exited("Success. Updated the following files:\nM api.py"),
                )
            ),
            asks(
                call(
                    "shell",
                    {"command": ["bash", "-lc", "sed -i 's/requests/httpx/g' sync.py jobs.py && git diff --stat"]},
                    exited(" api.py | 2 +-\n jobs.py | 4 ++--\n sync.py | 6 +++---"),
                )
            ),
            asks(
                call(
                    "shell",
                    {"command": ["bash", "-lc", "uv run mypy ."]},
                    exited(
                        'sync.py:31: error: Module has no attribute "Session"  [attr-defined]\nFound 1 error in 1 file',
                        1,
                    ),
                )
            ),
            asks(
                call(
                    "shell",
                    {"command": ["bash", "-lc", "sed -i 's/httpx.Session/httpx.Client/' sync.py"]},
                    exited(""),
                )
            ),
            asks(
                call(
                    "shell",
                    {"command": ["bash", "-lc", "uv run mypy ."]},
                    exited("Success: no issues found in 14 files"),
                )
            ),
            asks(
                call(
                    "shell",
                    {"command": ["bash", "-lc", "uv run pytest -q"]},
                    exited("FAILED tests/test_jobs.py::test_timeout - ModuleNotFoundError: requests_mock\n1 failed", 1),
                )
            ),
            asks(
                call(
                    "shell",
                    {"command": ["bash", "-lc", "uv add --dev respx && uv remove requests requests-mock"]},
                    exited("Resolved 61 packages in 412ms\n + respx==0.22.0\n - requests==2.32.5"),
                )
            ),
            asks(
                call(
                    "shell",
                    {"command": ["apply_patch", "*** Begin Patch\n*** Update File: tests/test_jobs.py\n+import respx"]},
                    exited("Success. Updated the following files:\nM tests/test_jobs.py"),
                )
            ),
            asks(
                call("shell", {"command": ["bash", "-lc", "uv run pytest -q"]}, exited("57 passed, 2 skipped in 3.10s"))
            ),
            asks(
                call(
                    "shell",
                    {"command": ["bash", "-lc", "uv run mypy ."]},
                    exited("Success: no issues found in 14 files"),
                )
            ),
            asks(call("shell", {"command": ["bash", "-lc", "rg -n 'requests' --type py"]}, exited("", 1))),
            answers("All three modules use httpx now, the tests use respx. mypy is clean and 57 tests pass."),
        ),
        failing=(),
        why="failures on the way were fixed; the last search ends with 1 since nothing is left to find",
    ),
    Story(
        "fifth_code_review_lint_findings",
        "pydantic_ai",
        REVIEWER,
        (
            user("Review PR 341."),
            asks(
                call(
                    "get_diff",
                    {"number": 341},
                    "--- a/app/errors.py\n+++ b/app/errors.py\n@@\n+class PaymentError(Exception):\n"
                    '+    """Raised when status == "failed"."""\n+import os\n',
                ),
                call(
                    "run_linter",
                    {"path": "app/errors.py"},
                    "app/errors.py:3:1: E402 Module level import not at top of file\n"
                    "app/errors.py:3:8: F401 [*] `os` imported but unused\nFound 2 errors.\n"
                    "[*] 1 fixable with the `--fix` option.",
                ),
            ),
            asks(
                call(
                    "post_review",
                    {"number": 341, "body": "`os` is imported below the class and never used.", "verdict": "comment"},
                    {"id": 90211, "state": "COMMENTED"},
                )
            ),
            answers("I commented on PR 341: an unused import below the class, otherwise it looks fine."),
        ),
        failing=(),
        why="the errors are what the linter found and what the diff is about",
    ),
    Story(
        "fifth_code_command_as_text",
        "vercel_ai",
        CODEX,
        (
            user("How many TODOs are in lib/?"),
            asks(
                refused(
                    "shell",
                    {"command": "grep -rn TODO lib | wc -l"},
                    'failed to parse function arguments: invalid type: string "grep -rn TODO lib | wc -l", expected a '
                    "sequence at line 1 column 39",
                )
            ),
            asks(call("shell", {"command": ["bash", "-lc", "grep -rn TODO lib | wc -l"]}, "17\n")),
            answers("17."),
        ),
        failing=("tool_call_validity",),
        why="the command was a text where a list is required; the second try worked",
    ),
)
