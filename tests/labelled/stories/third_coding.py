"""Coding agents in a repository."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, tool, user

__all__ = ["STORIES"]

READ = tool("read_file", "Read a file", path="string", offset="integer?")
EDIT = tool("edit_file", "Replace text in a file", path="string", old="string", new="string")
SHELL = tool("bash", "Run a command", command="string", timeout="integer?")
GREP = tool("grep", "Search the source", pattern="string", path="string?")
CODER = Agent("coder", (READ, EDIT, SHELL, GREP), "You are a coding agent in a repository.")
FAILED = "FAILED tests/test_cart.py::test_total - assert 10 == 12\n=== 1 failed, 14 passed in 0.41s ===\nexit code: 1"
PASSED = "=== 15 passed in 0.39s ===\nexit code: 0"
PYTEST = {"command": "pytest -q tests/test_cart.py"}
SAME = {"path": "src/cart.py", "old": "total(items)", "new": "sum(items)"}

STORIES = [
    Story(
        "third_code_edit_test_cycle",
        "genai",
        CODER,
        (
            user("Make test_total pass."),
            asks(call("bash", PYTEST, FAILED)),
            asks(call("edit_file", {"path": "src/cart.py", "old": "a", "new": "b"}, "The file was updated.")),
            asks(call("bash", PYTEST, FAILED)),
            asks(call("edit_file", {"path": "src/cart.py", "old": "b", "new": "c"}, "The file was updated.")),
            asks(call("bash", PYTEST, FAILED)),
            asks(call("edit_file", {"path": "src/cart.py", "old": "c", "new": "d"}, "The file was updated.")),
            asks(call("bash", PYTEST, PASSED)),
            answers("The total now includes the delivery fee; all tests pass."),
        ),
        (),
        "edits between the test runs, and they pass at last",
    ),
    Story(
        "third_code_left_red",
        "openinference",
        CODER,
        (
            user("Make test_total pass."),
            asks(call("edit_file", {"path": "src/cart.py", "old": "a", "new": "b"}, "The file was updated.")),
            asks(call("bash", PYTEST, FAILED)),
            answers("I changed the computation of the total."),
        ),
        ("tool_error",),
        "the last thing that the run did is a failing test run",
    ),
    Story(
        "third_code_edit_does_not_match",
        "vercel_ai",
        CODER,
        (
            user("Use sum() in the cart."),
            asks(call("edit_file", SAME, "Error: old string not found in src/cart.py")),
            asks(call("edit_file", SAME, "Error: old string not found in src/cart.py")),
            asks(call("edit_file", SAME, "Error: old string not found in src/cart.py")),
            asks(call("edit_file", SAME, "Error: old string not found in src/cart.py")),
            answers("I was not able to change the cart."),
        ),
        ("tool_efficiency", "tool_error"),
        "the same failing edit four times, without reading the file",
    ),
    Story(
        "third_code_read_then_edit",
        "pydantic_ai",
        CODER,
        (
            user("Use sum() in the cart."),
            asks(call("edit_file", SAME, "Error: old string not found in src/cart.py")),
            asks(call("read_file", {"path": "src/cart.py"}, "def cost(items):\n    return total_of(items)\n")),
            asks(
                call(
                    "edit_file", {"path": "src/cart.py", "old": "total_of(items)", "new": "sum(items)"}, "File updated."
                )
            ),
            answers("The cart now uses sum()."),
        ),
        (),
        "a failed edit that was made good after reading",
    ),
    Story(
        "third_code_reads_error_classes",
        "openllmetry",
        CODER,
        (
            user("Which exceptions do we raise?"),
            asks(
                call(
                    "read_file",
                    {"path": "src/errors.py"},
                    'class CartError(Exception):\n    """Error: something failed."""\n\n\ndef fail():\n'
                    '    raise CartError("Error: payment failed")\n',
                ),
                call("grep", {"pattern": "raise "}, 'src/errors.py:6:    raise CartError("Error: payment failed")'),
            ),
            answers("Only CartError, in src/errors.py."),
        ),
        (),
        "source code that talks of errors",
    ),
    Story(
        "third_code_missing_file",
        "genai_events",
        CODER,
        (
            user("Summarise docs/setup.md."),
            asks(
                call(
                    "read_file",
                    {"path": "docs/setup.md"},
                    "FileNotFoundError: [Errno 2] No such file or directory: 'docs/setup.md'",
                )
            ),
            answers("There is no docs/setup.md in this repository."),
        ),
        ("tool_error",),
        "the only read failed",
    ),
    Story(
        "third_code_tool_not_offered",
        "vercel_ai",
        CODER,
        (
            user("Apply this patch."),
            asks(
                call(
                    "apply_patch",
                    {"patch": "*** Begin Patch"},
                    fault=Fault("AI_NoSuchToolError", "Model tried to call unavailable tool 'apply_patch'."),
                )
            ),
            answers("I have no way to apply patches here."),
        ),
        ("tool_call_validity", "tool_error"),
        "a tool that was not offered",
    ),
    Story(
        "third_code_pages_of_a_file",
        "genai",
        CODER,
        (
            user("What does the migration do?"),
            asks(call("read_file", {"path": "migrate.py", "offset": 0}, "def up():\n    create('users')\n…")),
            asks(call("read_file", {"path": "migrate.py", "offset": 200}, "    create('orders')\n…")),
            asks(call("read_file", {"path": "migrate.py", "offset": 400}, "def down():\n    drop('orders')\n")),
            answers("It creates users and orders; down drops orders only."),
        ),
        (),
        "three pages of a file",
    ),
    Story(
        "third_code_context_too_long",
        "pydantic_ai",
        CODER,
        (
            user("Explain the repository."),
            asks(call("bash", {"command": "cat src/*.py"}, "import os\n" * 40)),
            crashes("ModelHTTPError", "status_code: 400, body: {'code': 'context_length_exceeded'}"),
        ),
        ("run_completion",),
        "the run ended in an error of the model",
    ),
    Story(
        "third_code_mcp_namespace",
        "genai",
        Agent(
            "coder_mcp", (tool("mcp__github__get_issue", "An issue", owner="string", repo="string", number="integer"),)
        ),
        (
            user("What is issue 12 of acme/cart?"),
            asks(
                call(
                    "mcp__github__get_issue",
                    {"owner": "acme", "repo": "cart", "number": 12},
                    {"content": [{"type": "text", "text": "Crash: KeyError in checkout"}], "isError": False},
                    ran_as="get_issue",
                )
            ),
            answers("Issue 12 reports a KeyError in the checkout."),
        ),
        (),
        "the same tool under its own name; isError is false and the issue talks of a crash",
    ),
    Story(
        "third_code_mcp_is_error",
        "openinference",
        Agent("coder_mcp", (tool("create_issue", "Open an issue", title="string", labels="string[]?"),)),
        (
            user("Open an issue: cart total is wrong."),
            asks(
                call(
                    "create_issue",
                    {"title": "Cart total is wrong", "labels": ["bug"]},
                    {"content": [{"type": "text", "text": "Resource not accessible by token"}], "isError": True},
                )
            ),
            answers("I am not allowed to open issues in this repository."),
        ),
        ("tool_error",),
        "MCP's isError",
    ),
]
