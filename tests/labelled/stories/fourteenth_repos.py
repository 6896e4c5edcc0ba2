"""Repositories, shells, editors of coding agents, pipelines."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, Tool, answers, asks, call, crashes, model_fails, pause, repeat_calls, tool, user

__all__ = ["STORIES"]

READ = tool("Read", "Reads a file", file_path="string", offset="integer?", limit="integer?")
EDIT = tool(
    "Edit",
    "Replaces a string in a file",
    file_path="string",
    old_string="string",
    new_string="string",
    replace_all="boolean?",
)
BASH = tool("Bash", "Executes a command", command="string", description="string?", timeout="integer?")
CODER = Agent("code_agent", (READ, EDIT, BASH), "You are a coding agent.", "claude-sonnet-4-5", "anthropic")

SHELL = tool("shell", "Runs a command in the workspace", command="string")
WRITE = tool("write_file", "Writes a file", path="string", content="string")
RELEASER = Agent("release_agent", (SHELL, WRITE), "You release packages.", "gpt-4.1")

CLIPPY = tool("run_clippy", "Runs cargo clippy", package="string", deny_warnings="boolean?")
PATCH = tool("apply_patch", "Applies a patch", patch="string")
RUST = Agent("rust_reviewer", (CLIPPY, PATCH), "You keep a Rust workspace free of lints.", "gpt-4.1")

MERGE = tool(
    "merge_pull_request",
    "Merges a pull request",
    owner="string",
    repo="string",
    pullNumber="number",
    merge_method=["merge", "squash", "rebase"],
)
UPDATE = tool(
    "update_pull_request_branch", "Updates the branch with its base", owner="string", repo="string", pullNumber="number"
)
GITHUB = Agent("merge_bot", (MERGE, UPDATE), "You merge what has been approved.", "gpt-4.1")

LOGS = tool(
    "get_job_logs", "Logs of a job of a workflow", owner="string", repo="string", job_id="number", tail_lines="number?"
)
CI = Agent("ci_explainer", (LOGS,), "You explain why builds break.", "gpt-4.1-mini")

GREP = tool("grep_search", "Fast text search", query="string", includePattern="string?", isRegexp="boolean?")
SEARCHER = Agent("code_search", (GREP,), "You find things in a code base.", "gpt-4o")

TODOS = Tool(
    "todo_write",
    "Keeps the list of tasks",
    {
        "type": "object",
        "properties": {
            "todos": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string"},
                        "content": {"type": "string"},
                        "status": {"type": "string", "enum": ["pending", "in_progress", "completed"]},
                    },
                    "required": ["id", "content", "status"],
                },
            },
            "merge": {"type": "boolean"},
        },
        "required": ["todos", "merge"],
        "additionalProperties": False,
    },
)
LIST_DIR = tool("list_dir", "Contents of a directory", relative_workspace_path="string")
PLANNER = Agent("composer", (TODOS, LIST_DIR), "You plan before you change code.", "gpt-4.1")

PIPELINE = tool("get_pipeline", "A pipeline", project_id="string", pipeline_id="integer")
JOBS = tool("list_pipeline_jobs", "Jobs of a pipeline", project_id="string", pipeline_id="integer", scope="string?")
GITLAB = Agent("gitlab_watch", (PIPELINE, JOBS), "Sigues pipelines de GitLab.", "gpt-4o-mini")

VIEW = tool("view_file", "Shows a file", path="string")
AUDITOR = Agent("license_auditor", (VIEW,), "You audit licences of vendored code.", "gpt-4o")

RUN = tool("execute_bash", "Runs a command", command="string", is_input=["true", "false"])
HANDS = Agent("dev_hands", (RUN,), "You work in a sandbox.", "gpt-4.1")

WIDGETS = {"owner": "nordlicht", "repo": "tide-tables"}

STORIES = (
    Story(
        "fourteenth_repos_edit_misses_then_hits",
        "genai",
        CODER,
        (
            user("Raise the default timeout in client.py to 30 seconds and run the tests."),
            asks(
                call(
                    "Edit",
                    {"file_path": "/repo/client.py", "old_string": "TIMEOUT = 10\n", "new_string": "TIMEOUT = 30\n"},
                    "<tool_use_error>String to replace not found in file.\nString: TIMEOUT = 10\n</tool_use_error>",
                )
            ),
            asks(
                call(
                    "Read",
                    {"file_path": "/repo/client.py", "limit": 5},
                    "     1→import httpx\n     2→\n     3→TIMEOUT = 10.0  # seconds\n     4→\n     5→class TimeoutError(Exception):\n",
                )
            ),
            asks(
                call(
                    "Edit",
                    {"file_path": "/repo/client.py", "old_string": "TIMEOUT = 10.0", "new_string": "TIMEOUT = 30.0"},
                    "The file /repo/client.py has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n"
                    "     1→import httpx\n     2→\n     3→TIMEOUT = 30.0  # seconds\n",
                )
            ),
            asks(
                call(
                    "Bash",
                    {"command": "pytest -q tests/test_client.py", "description": "Run the tests of the client"},
                    "...............                                                          [100%]\n15 passed in 0.84s",
                )
            ),
            answers("The default timeout is 30 seconds now, and the 15 tests of the client pass."),
        ),
        failing=(),
        why="the first edit missed its text, the second one was applied",
    ),
    Story(
        "fourteenth_repos_publish_was_forbidden",
        "pydantic_ai",
        RELEASER,
        (
            user("Release @tideline/forms 2.3.1 to npm."),
            asks(call("shell", {"command": "npm version 2.3.1 --no-git-tag-version"}, "v2.3.1\n[exit code 0]")),
            asks(
                call(
                    "shell", {"command": "npm run build"}, "> @tideline/forms@2.3.1 build\n> tsc -p .\n\n[exit code 0]"
                )
            ),
            asks(
                call(
                    "shell",
                    {"command": "npm publish --access public"},
                    "npm notice\nnpm notice 📦  @tideline/forms@2.3.1\nnpm notice total files: 41\n"
                    "npm error code E403\nnpm error 403 403 Forbidden - PUT https://registry.npmjs.org/@tideline%2fforms - "
                    'You do not have permission to publish "@tideline/forms". Are you logged in as the correct user?\n'
                    "npm error A complete log of this run can be found in: /root/.npm/_logs/2026-10-08T07_12_44_120Z-debug-0.log\n[exit code 1]",
                )
            ),
            answers("@tideline/forms 2.3.1 is built and released. 🎉"),
        ),
        failing=("tool_error",),
        why="publishing, the last action in the shell, was forbidden, though the answer says it is released",
    ),
    Story(
        "fourteenth_repos_clippy_finds_and_is_heard",
        "openinference",
        RUST,
        (
            user("Make clippy happy in the crate tide-core."),
            asks(
                call(
                    "run_clippy",
                    {"package": "tide-core", "deny_warnings": True},
                    "    Checking tide-core v0.4.0 (/src/tide-core)\nerror: this loop could be written as a `for` loop\n"
                    "  --> tide-core/src/lunar.rs:71:5\n   |\n71 |     while let Some(p) = it.next() {\n"
                    "   = note: `-D clippy::while-let-on-iterator` implied by `-D warnings`\n\n"
                    "error: could not compile `tide-core` (lib) due to 1 previous error\n",
                )
            ),
            asks(
                call(
                    "apply_patch",
                    {
                        "patch": "*** Begin Patch\n*** Update File: tide-core/src/lunar.rs\n@@\n-    while let Some(p) = it.next() {\n"
                        "+    for p in it {\n*** End Patch"
                    },
                    "Success. Updated the following files:\nM tide-core/src/lunar.rs\n",
                )
            ),
            asks(
                call(
                    "run_clippy",
                    {"package": "tide-core", "deny_warnings": False},
                    "    Checking tide-core v0.4.0 (/src/tide-core)\nwarning: field `error_bound` is never read\n"
                    "  --> tide-core/src/lunar.rs:19:5\n   = note: `#[warn(dead_code)]` on by default\n\n"
                    "warning: `tide-core` (lib) generated 1 warning\n    Finished `dev` profile [unoptimized + debuginfo] target(s) in 2.11s\n",
                )
            ),
            answers(
                "The loop in lunar.rs is fixed. What remains is the unused field `error_bound`; shall I remove it?"
            ),
        ),
        failing=(),
        why="findings of a linter, one of them fixed",
    ),
    Story(
        "fourteenth_repos_merged_after_update",
        "openllmetry",
        GITHUB,
        (
            user("Please squash PR 418, Ida has approved it."),
            asks(
                call(
                    "merge_pull_request",
                    {**WIDGETS, "pullNumber": 418, "merge_method": "squash"},
                    "failed to merge pull request: PUT https://api.github.com/repos/nordlicht/tide-tables/pulls/418/merge: 409 "
                    "Head branch is out of date. Review and try the merge again. []",
                )
            ),
            asks(
                call(
                    "update_pull_request_branch",
                    {**WIDGETS, "pullNumber": 418},
                    "Pull request branch update is in progress",
                )
            ),
            pause(6),
            asks(
                call(
                    "merge_pull_request",
                    {**WIDGETS, "pullNumber": 418, "merge_method": "squash"},
                    '{"sha":"9b01f4c2d7","merged":true,"message":"Pull Request successfully merged"}',
                )
            ),
            answers("PR 418 was behind main; I updated its branch and squashed it as 9b01f4c."),
        ),
        failing=(),
        why="merging was refused for an old branch and worked after the update",
    ),
    Story(
        "fourteenth_repos_red_log_explained",
        "vercel_ai",
        CI,
        (
            user("¿Por qué falla el job 51220884 de nordlicht/tide-tables?"),
            asks(
                call(
                    "get_job_logs",
                    {**WIDGETS, "job_id": 51220884, "tail_lines": 8},
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": '{"job_id":51220884,"logs_content":"2026-10-07T22:01:10Z ##[group]Run npm ci\\n'
                                "2026-10-07T22:01:13Z npm error code ERESOLVE\\n2026-10-07T22:01:13Z npm error ERESOLVE could not resolve\\n"
                                "2026-10-07T22:01:13Z npm error peer react@^18.0.0 from react-tide@2.1.0\\n"
                                "2026-10-07T22:01:13Z npm error Fix the upstream dependency conflict, or retry this command with --force\\n"
                                '2026-10-07T22:01:13Z ##[error]Process completed with exit code 1.\\n","message":"Job logs content retrieved '
                                'successfully","original_length":1204}',
                            }
                        ]
                    },
                )
            ),
            answers(
                "`npm ci` no resuelve las dependencias: react-tide 2.1.0 exige React 18 y el proyecto usa otra versión. Actualice react-tide."
            ),
        ),
        failing=(),
        why="the errors are in the log that was asked for",
    ),
    Story(
        "fourteenth_repos_same_grep_again",
        "genai",
        SEARCHER,
        (
            user("Where do we set the cookie SameSite flag?"),
            *repeat_calls(
                4,
                call("grep_search", {"query": "SameSite", "includePattern": "src/**/*.ts"}, "No matches found."),
            ),
            answers(
                "I find no place in src that sets SameSite. It may be set by the proxy in front of the application."
            ),
        ),
        failing=("tool_efficiency",),
        why="four times the same search in a row, without a hit each time",
    ),
    Story(
        "fourteenth_repos_pipeline_green_with_red_job",
        "genai_events",
        GITLAB,
        (
            user("Avísame cuando acabe el pipeline 88120 de faro/web y qué jobs quedaron en rojo."),
            asks(
                call(
                    "get_pipeline",
                    {"project_id": "faro/web", "pipeline_id": 88120},
                    {"id": 88120, "status": "pending", "yaml_errors": None},
                )
            ),
            pause(40),
            asks(
                call(
                    "get_pipeline",
                    {"project_id": "faro/web", "pipeline_id": 88120},
                    {"id": 88120, "status": "running", "yaml_errors": None},
                )
            ),
            pause(40),
            asks(
                call(
                    "get_pipeline",
                    {"project_id": "faro/web", "pipeline_id": 88120},
                    {"id": 88120, "status": "running", "yaml_errors": None},
                )
            ),
            pause(40),
            asks(
                call(
                    "get_pipeline",
                    {"project_id": "faro/web", "pipeline_id": 88120},
                    {"id": 88120, "status": "running", "yaml_errors": None},
                )
            ),
            pause(40),
            asks(
                call(
                    "get_pipeline",
                    {"project_id": "faro/web", "pipeline_id": 88120},
                    {"id": 88120, "status": "success", "yaml_errors": None},
                )
            ),
            asks(
                call(
                    "list_pipeline_jobs",
                    {"project_id": "faro/web", "pipeline_id": 88120, "scope": "failed"},
                    [
                        {
                            "id": 913377,
                            "name": "lighthouse",
                            "stage": "quality",
                            "status": "failed",
                            "allow_failure": True,
                            "failure_reason": "script_failure",
                        }
                    ],
                )
            ),
            answers(
                "El pipeline 88120 terminó bien. Solo quedó en rojo «lighthouse», que puede fallar (allow_failure)."
            ),
        ),
        failing=(),
        why="polling that came to an end, and a list of the red jobs that the user asked for",
    ),
    Story(
        "fourteenth_repos_context_too_long",
        "openllmetry",
        AUDITOR,
        (
            user("Go through vendor/ and tell me which files are under the GPL."),
            asks(
                call(
                    "view_file",
                    {"path": "vendor/zstd/COPYING"},
                    "GNU GENERAL PUBLIC LICENSE\nVersion 2, June 1991\n...",
                ),
                call(
                    "view_file",
                    {"path": "vendor/miniz/LICENSE"},
                    "Copyright 2013-2014 RAD Game Tools and Valve Software\nMIT ...",
                ),
            ),
            asks(
                call(
                    "view_file",
                    {"path": "vendor/sqlite/sqlite3.c"},
                    "/*** This file is an amalgamation of many separate C source files ...",
                )
            ),
            model_fails(
                "openai.BadRequestError",
                "Error code: 400 - {'error': {'message': \"This model's maximum context length is 128000 tokens. However, your "
                "messages resulted in 2310442 tokens. Please reduce the length of the messages.\", 'type': 'invalid_request_error', "
                "'param': 'messages', 'code': 'context_length_exceeded'}}",
            ),
            crashes(
                "openai.BadRequestError",
                "Error code: 400 - {'error': {'message': \"This model's maximum context length is 128000 tokens. However, your "
                "messages resulted in 2310442 tokens. Please reduce the length of the messages.\", 'type': 'invalid_request_error', "
                "'param': 'messages', 'code': 'context_length_exceeded'}}",
            ),
        ),
        failing=("run_completion",),
        why="a file of millions of tokens made the model call fail, and the run ended with it",
    ),
    Story(
        "fourteenth_repos_shell_feels_its_way",
        "genai_events",
        HANDS,
        (
            user("Run the unit tests of this checkout and tell me how many pass."),
            asks(
                call(
                    "execute_bash",
                    {"command": "which poetry; git diff --quiet", "is_input": "false"},
                    "[The command completed with exit code 1.]\n[Current working directory: /workspace/ledger]",
                )
            ),
            asks(
                call(
                    "execute_bash",
                    {"command": "python -m pytest -q", "is_input": "false"},
                    "/usr/bin/python: No module named pytest\n[The command completed with exit code 1.]\n[Current working directory: /workspace/ledger]",
                )
            ),
            asks(
                call(
                    "execute_bash",
                    {"command": "pip install -q pytest", "is_input": "false"},
                    "error: externally-managed-environment\n\n× This environment is externally managed\n"
                    "╰─> To install Python packages system-wide, try apt install python3-xyz\n"
                    "[The command completed with exit code 1.]\n[Current working directory: /workspace/ledger]",
                )
            ),
            asks(
                call(
                    "execute_bash",
                    {
                        "command": "python -m venv .venv && .venv/bin/pip install -q -e . pytest && .venv/bin/pytest -q",
                        "is_input": "false",
                    },
                    "........................................s                                [100%]\n40 passed, 1 skipped in 3.20s\n"
                    "[The command completed with exit code 0.]\n[Current working directory: /workspace/ledger]",
                )
            ),
            answers("40 tests pass, one is skipped. I ran them in a new virtual environment, .venv."),
        ),
        failing=(),
        why="programs failed in the shell on the way, and the last command worked",
    ),
)
