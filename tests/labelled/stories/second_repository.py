"""A coding agent that runs commands with exit codes, and tests."""

from __future__ import annotations

from ..story import Agent, Call, Story, answers, asks, call, tool, user

RUNNER = Agent(
    "repo-agent",
    (
        tool("execute_command", "Run a command", cmd="string[]"),
        tool("run_tests", "Run the tests", path="string"),
        tool("write_file", "Write a file", path="string", content="string"),
    ),
    "You repair repositories.",
)


def execute(*cmd: str, exit_code: int, stdout: str = "", stderr: str = "") -> Call:
    return call("execute_command", {"cmd": list(cmd)}, {"exit_code": exit_code, "stdout": stdout, "stderr": stderr})


STORIES = (
    Story(
        "second_cargo_build_fails_at_the_end",
        "vercel_ai",
        RUNNER,
        (
            user("Bump serde."),
            asks(call("write_file", {"path": "Cargo.toml", "content": 'serde = "2"'}, "written")),
            asks(
                execute(
                    "cargo",
                    "build",
                    exit_code=101,
                    stderr='error: failed to select a version for the requirement `serde = "^2"`',
                )
            ),
            answers("serde is at version 2 now."),
        ),
        ("tool_error",),
        "the build fails in the last call of the run",
    ),
    Story(
        "second_tsc_in_the_middle",
        "openinference",
        RUNNER,
        (
            user("Type the cart."),
            asks(
                execute("npx", "tsc", exit_code=2, stdout="cart.ts(4,7): error TS2322: Type 'string' is not assignable")
            ),
            asks(call("write_file", {"path": "cart.ts", "content": "export const n: number = 1"}, "written")),
            asks(execute("npx", "tsc", exit_code=0)),
            asks(execute("npx", "eslint", ".", exit_code=0, stderr="npm warn deprecated glob@7: no longer supported")),
            answers("Typed."),
        ),
        (),
        "the compiler found a fault that was mended; a warning at the end is no failure",
    ),
    Story(
        "second_jest_prints_errors_and_passes",
        "pydantic_ai",
        RUNNER,
        (
            user("Do the tests pass?"),
            asks(
                execute(
                    "npx",
                    "jest",
                    exit_code=0,
                    stdout="console.error\n    Error: boom (expected by the test)\n\nTests: 8 passed, 8 total",
                )
            ),
            answers("Yes, all 8."),
        ),
        (),
        "the tests print an expected error, and pass",
    ),
    Story(
        "second_grep_without_match",
        "genai_events",
        RUNNER,
        (
            user("Is `foo` still used?"),
            asks(execute("grep", "-rn", "foo", "src", exit_code=1)),
            asks(execute("git", "log", "-1", exit_code=0, stdout="4be2 Remove foo")),
            answers("No; 4be2 removed it."),
        ),
        (),
        "grep ends with 1 where it finds nothing",
    ),
    Story(
        "second_docker_build_retried",
        "vercel_ai",
        RUNNER,
        (
            user("Build the image."),
            asks(execute("docker", "build", ".", exit_code=1, stderr="ERROR: failed to solve: registry: i/o timeout")),
            asks(execute("docker", "build", ".", exit_code=0, stdout="naming to docker.io/library/shop:4 done")),
            answers("Built."),
        ),
        (),
        "the second build worked",
    ),
    Story(
        "second_same_test_red_without_an_edit",
        "openinference",
        RUNNER,
        (
            user("Repair test_a."),
            *(asks(call("run_tests", {"path": "test_a.py"}, "FAILED test_a.py::test_a\n1 failed")) for _ in range(5)),
            asks(call("write_file", {"path": "a.py", "content": "x = 2"}, "written")),
            asks(call("run_tests", {"path": "test_a.py"}, "1 passed")),
            answers("It passes."),
        ),
        ("tool_efficiency",),
        "the same test five times in a row, with nothing changed",
    ),
    Story(
        "second_pytest_warnings_last",
        "genai",
        RUNNER,
        (
            user("Do the tests pass?"),
            asks(
                call(
                    "run_tests",
                    {"path": "."},
                    "12 passed, 2 xfailed, 3 warnings\nDeprecationWarning: datetime.utcnow() is deprecated",
                )
            ),
            answers("Yes."),
        ),
        (),
        "all passed; failures were expected, warnings are no failures",
    ),
)
