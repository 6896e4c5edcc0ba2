"""A coding agent with a shell, whose commands fail in the middle and at the end of its runs."""

from __future__ import annotations

from ..story import Agent, Call, Fault, Story, answers, asks, call, tool, user

CODER = Agent(
    "coder",
    (
        tool("bash", "Run a command", command="string", timeout_s="integer?"),
        tool("edit_file", "Replace a text", path="string", old="string", new="string"),
        tool("read_file", "Read a file", path="string"),
        tool("git_push", "Push the branch", branch="string"),
    ),
    "You change code.",
    model="claude-sonnet-4-5",
    provider="anthropic",
)


def bash(command: str, result: object) -> Call:
    return call("bash", {"command": command}, result)


def edit(path: str, old: str, new: str) -> Call:
    return call("edit_file", {"path": path, "old": old, "new": new}, "ok")


STORIES = (
    Story(
        "second_pytest_red_then_green",
        "openllmetry",
        CODER,
        (
            user("Fix the rounding."),
            asks(
                bash(
                    "pytest -q", "F..\nE   assert 0.1 == 0.10001\nFAILED test_round.py::test_cents\n1 failed, 2 passed"
                )
            ),
            asks(edit("round.py", "5", "2")),
            asks(bash("pytest -q", "...\n3 passed in 0.02s")),
            answers("Fixed; all three tests pass."),
        ),
        (),
        "red, edit, green",
    ),
    Story(
        "second_go_test_fails_at_the_end",
        "genai",
        CODER,
        (
            user("Make the parser accept empty input."),
            asks(edit("parse.go", "len(s) < 1", "len(s) < 0")),
            asks(
                bash(
                    "go test ./...",
                    "--- FAIL: TestEmpty (0.00s)\n    parse_test.go:9: got error, want nil\nFAIL\n"
                    "FAIL\texample.com/parse\t0.004s\nFAIL\nexit status 1",
                )
            ),
            answers("The parser accepts empty input now."),
        ),
        ("tool_error",),
        "the tests fail in the last call of the run, and success is claimed",
    ),
    Story(
        "second_make_error_at_the_end",
        "openllmetry",
        CODER,
        (
            user("Build the docs."),
            asks(
                bash(
                    "make docs",
                    "sphinx-build -b html . _build\nConfiguration error:\nThere is a programmable error in conf.py\n"
                    "make: *** [Makefile:12: docs] Error 2",
                )
            ),
            answers("The docs are built in _build."),
        ),
        ("tool_error",),
        "the build fails in the only call, and success is claimed",
    ),
    Story(
        "second_git_push_rejected",
        "vercel_ai",
        CODER,
        (
            user("Push my branch."),
            asks(
                bash(
                    "git push origin main",
                    "To github.com:acme/shop.git\n ! [rejected]        main -> main (fetch first)\n"
                    "error: failed to push some refs to 'github.com:acme/shop.git'",
                )
            ),
            answers("Pushed."),
        ),
        ("tool_error",),
        "the push was rejected, and success is claimed",
    ),
    Story(
        "second_git_push_talks_on_stderr",
        "genai",
        CODER,
        (
            user("Push my branch."),
            asks(
                bash(
                    "git push origin fix-errors",
                    "remote: Resolving deltas: 100% (3/3), done.\nremote: warning: 2 vulnerabilities found\n"
                    "To github.com:acme/shop.git\n   1a..4b  fix-errors -> fix-errors",
                )
            ),
            answers("Pushed."),
        ),
        (),
        "the push worked; the branch is called fix-errors",
    ),
    Story(
        "second_terraform_plan_deprecated",
        "openinference",
        CODER,
        (
            user("What would change?"),
            asks(
                bash(
                    "terraform plan",
                    "Warning: Argument is deprecated\n\nPlan: 0 to add, 1 to change, 0 to destroy.",
                )
            ),
            answers("One change."),
        ),
        (),
        "a warning of a plan that worked",
    ),
    Story(
        "second_terraform_apply_failed",
        "pydantic_ai",
        CODER,
        (
            user("Create the bucket."),
            asks(bash("terraform plan", "Plan: 1 to add, 0 to change, 0 to destroy.")),
            asks(
                bash(
                    "terraform apply -auto-approve",
                    "aws_s3_bucket.b: Creating...\n╷\n│ Error: creating S3 Bucket (logs): BucketAlreadyExists\n│\n"
                    "│   with aws_s3_bucket.b,\n╵",
                )
            ),
            answers("The bucket exists now."),
        ),
        ("tool_error",),
        "the last command failed",
    ),
    Story(
        "second_psql_corrected",
        "genai_events",
        CODER,
        (
            user("How many orders are open?"),
            asks(bash("psql -c 'select count(*) from order'", 'ERROR:  syntax error at or near "order"\nLINE 1: ...')),
            asks(bash("psql -c 'select count(*) from orders'", " count \n-------\n    12\n(1 row)")),
            answers("Twelve."),
        ),
        (),
        "the corrected query worked",
    ),
    Story(
        "second_sandbox_never_starts",
        "genai",
        CODER,
        (
            user("Run the tests."),
            asks(call("bash", {"command": "pytest"}, fault=Fault("SandboxError", "container exited before start"))),
            asks(call("read_file", {"path": "test_a.py"}, "def test_a():\n    assert True")),
            answers("The tests should pass."),
        ),
        ("tool_error",),
        "the shell itself could not start, and was never tried again",
    ),
    Story(
        "second_kubectl_forbidden_at_the_end",
        "openllmetry",
        CODER,
        (
            user("Scale web to 3."),
            asks(bash("kubectl get deploy web", "NAME   READY   UP-TO-DATE\nweb    1/1     1")),
            asks(
                bash(
                    "kubectl scale deploy web --replicas=3",
                    'Error from server (Forbidden): deployments.apps "web" is forbidden: User "bot" cannot patch',
                )
            ),
            answers("web has three replicas now."),
        ),
        ("tool_error",),
        "the last command was forbidden, and success is claimed",
    ),
    Story(
        "second_same_test_red_between_edits",
        "pydantic_ai",
        CODER,
        (
            user("Repair test_a."),
            *(
                step
                for number in range(1, 5)
                for step in (
                    asks(bash("pytest test_a.py", "FAILED test_a.py::test_a - AssertionError\n1 failed")),
                    asks(edit("a.py", f"x = {number}", f"x = {number + 1}")),
                )
            ),
            asks(bash("pytest test_a.py", "1 passed")),
            answers("It passes."),
        ),
        (),
        "the same red test four times, with an edit after each",
    ),
)
