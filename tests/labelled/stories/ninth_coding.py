"""Coding agents: shells, patches, edits, tests, GitHub, documentation."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, Tool, answers, asks, call, pause, repeat_calls, tool, unanswered, user

__all__ = ["STORIES"]

EXEC = tool("exec_command", "Runs a command in a PTY", cmd="string", workdir="string?", yield_time_ms="number?")
APPLY = tool("apply_patch", "Applies a patch", input="string")
CODEX = Agent("codex", (EXEC, APPLY), "You are Codex, a coding agent.", "gpt-5-codex")

READ = tool("Read", "Reads a file", file_path="string", offset="integer?", limit="integer?")
EDIT = tool(
    "Edit",
    "Replaces text in a file",
    file_path="string",
    old_string="string",
    new_string="string",
    replace_all="boolean?",
)
GREP = tool("Grep", "Searches with ripgrep", pattern="string", path="string?", output_mode="string?")
TODO = Tool(
    "TodoWrite",
    "Keeps the list of tasks",
    {
        "type": "object",
        "properties": {
            "todos": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "content": {"type": "string", "minLength": 1},
                        "status": {"type": "string", "enum": ["pending", "in_progress", "completed"]},
                        "activeForm": {"type": "string", "minLength": 1},
                    },
                    "required": ["content", "status", "activeForm"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["todos"],
        "additionalProperties": False,
    },
)
CLAUDE = Agent(
    "claude_code", (READ, EDIT, GREP, TODO), "You are a coding agent in a terminal.", "claude-sonnet-4-5", "anthropic"
)

TESTS = tool("run_tests", "Runs the tests with Jest", pattern="string?", ci="boolean?")
TYPES = tool("check_types", "Runs tsc", project="string?")
QA = Agent("qa_bot", (TESTS, TYPES), "You check pull requests.", "gpt-4.1")

RUN_READ = tool("read_file", "Lines of a file", path="string", start_line="integer?", end_line="integer?")
RUN_GREP = tool("grep_search", "Searches the workspace", query="string", isRegexp="boolean?")
EDITOR = Agent("editor_agent", (RUN_READ, RUN_GREP), "You explain code in the editor.", "gpt-4.1-mini")

PR_GET = tool(
    "get_pull_request_status", "Status of a pull request", owner="string", repo="string", pullNumber="integer"
)
PR_UPDATE = tool(
    "update_pull_request_branch", "Updates the branch", owner="string", repo="string", pullNumber="integer"
)
PR_MERGE = tool(
    "merge_pull_request",
    "Merges",
    owner="string",
    repo="string",
    pullNumber="integer",
    merge_method=["merge", "squash", "rebase"],
)
MERGER = Agent("merge_bot", (PR_GET, PR_UPDATE, PR_MERGE), "You merge approved pull requests.", "gpt-4o")
PR = {"owner": "quinta-labs", "repo": "caravela", "pullNumber": 318}

RESOLVE = tool("resolve-library-id", "Finds the id of a library", libraryName="string")
DOCS = tool(
    "get-library-docs",
    "Documentation of a library",
    context7CompatibleLibraryID="string",
    topic="string?",
    tokens="number?",
)
CONTEXT = Agent(
    "docs_helper", (RESOLVE, DOCS), "You answer from current documentation.", "claude-haiku-4-5", "anthropic"
)


def ran(code: int, output: str, seconds: float = 0.06) -> str:
    return f"Chunk ID: {abs(hash_of(output)):06x}\nWall time: {seconds:.4f} seconds\nProcess exited with code {code}\nOriginal token count: {len(output) // 4}\nOutput:\n{output}"


def hash_of(text: str) -> int:
    return sum(at * ord(char) for at, char in enumerate(text, 7)) % 0xFFFFFF


STORIES = (
    Story(
        "ninth_coding_grep_finds_nothing",
        "openinference",
        CODEX,
        (
            user("Is anything still using legacy_session? If not, delete the module."),
            asks(
                call(
                    "exec_command",
                    {
                        "cmd": "rg -n 'legacy_session' src tests --glob '!src/app/legacy_session.py'",
                        "workdir": "/home/dev/tern",
                    },
                    ran(1, ""),
                )
            ),
            asks(
                call(
                    "apply_patch",
                    {"input": "*** Begin Patch\n*** Delete File: src/app/legacy_session.py\n*** End Patch"},
                    "Success. Updated the following files:\nD src/app/legacy_session.py\n",
                )
            ),
            asks(
                call(
                    "exec_command",
                    {"cmd": "pytest -q", "workdir": "/home/dev/tern", "yield_time_ms": 60000},
                    ran(
                        0, "..........................................               [100%]\n42 passed in 3.81s\n", 4.2
                    ),
                )
            ),
            answers("Nothing used legacy_session any more. I deleted it, and all 42 tests pass."),
        ),
        failing=(),
        why="exit code 1 of ripgrep means nothing found; the patch and the tests went well",
    ),
    Story(
        "ninth_coding_edit_after_reading",
        "genai",
        CLAUDE,
        (
            user("リトライの間隔を 2 秒から 5 秒に変えてください（client.ts）。"),
            asks(
                call(
                    "Edit",
                    {
                        "file_path": "/srv/app/src/client.ts",
                        "old_string": "const retryDelay = 2000",
                        "new_string": "const retryDelay = 5000",
                    },
                    "<tool_use_error>String to replace not found in file.\nString: const retryDelay = 2000</tool_use_error>",
                )
            ),
            asks(
                call(
                    "Read",
                    {"file_path": "/srv/app/src/client.ts", "limit": 4},
                    "     1→export const MAX_ERRORS = 3\n     2→// wait after a failed request\n     3→export const RETRY_DELAY_MS = 2_000\n     4→",
                )
            ),
            asks(
                call(
                    "Edit",
                    {
                        "file_path": "/srv/app/src/client.ts",
                        "old_string": "RETRY_DELAY_MS = 2_000",
                        "new_string": "RETRY_DELAY_MS = 5_000",
                    },
                    "The file /srv/app/src/client.ts has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n     2→// wait after a failed request\n     3→export const RETRY_DELAY_MS = 5_000",
                )
            ),
            answers("client.ts の RETRY_DELAY_MS を 5 秒に変更しました。"),
        ),
        failing=(),
        why="the edit was made good after the file was read",
    ),
    Story(
        "ninth_coding_which_tests_fail",
        "vercel_ai",
        QA,
        (
            user("Which tests fail on main right now? Don't fix anything."),
            asks(
                call(
                    "run_tests",
                    {"ci": True},
                    {
                        "success": False,
                        "numTotalTests": 311,
                        "numPassedTests": 309,
                        "numFailedTests": 2,
                        "numRuntimeErrorTestSuites": 0,
                        "testResults": [
                            {
                                "name": "/src/cart/tax.test.ts",
                                "status": "failed",
                                "message": "● tax › rounds half up\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 1.13\n    Received: 1.12",
                            },
                            {
                                "name": "/src/mail/send.test.ts",
                                "status": "failed",
                                "message": '● send › gives up after 3 errors\n\n    thrown: "Exceeded timeout of 5000 ms for a test."',
                            },
                        ],
                    },
                )
            ),
            answers(
                "Two of 311: `tax › rounds half up` (1.12 instead of 1.13) and `send › gives up after 3 errors` (it times out after 5 s)."
            ),
        ),
        failing=(),
        why="the failed tests are what the test runner found, and what was asked for",
    ),
    Story(
        "ninth_coding_patch_never_applied",
        "genai_events",
        CODEX,
        (
            user("Füge in parser.go eine Prüfung auf leere Eingabe ein."),
            asks(
                call(
                    "apply_patch",
                    {
                        "input": '*** Begin Patch\n*** Update File: parser.go\n@@ func Parse(in string) (*Node, error) {\n-\ttoks := lex(in)\n+\tif in == "" {\n+\t\treturn nil, ErrEmpty\n+\t}\n+\ttoks := lex(in)\n*** End Patch'
                    },
                    "apply_patch verification failed: Failed to find expected lines in /src/parser.go:\n\ttoks := lex(in)",
                )
            ),
            asks(
                call(
                    "exec_command",
                    {"cmd": "sed -n '1,12p' parser.go"},
                    ran(
                        0,
                        'package query\n\n// Parse builds the tree of a query.\nfunc Parse(input string) (*Node, error) {\n\ttokens, err := scan(input)\n\tif err != nil {\n\t\treturn nil, fmt.Errorf("scan: %w", err)\n\t}\n',
                    ),
                )
            ),
            asks(
                call(
                    "apply_patch",
                    {
                        "input": '*** Begin Patch\n*** Update File: parser.go\n@@\n func Parse(input string) (*Node, error) {\n-\ttokens, err := scan(input);\n+\tif input == "" {\n+\t\treturn nil, ErrEmpty\n+\t}\n+\ttokens, err := scan(input)\n*** End Patch'
                    },
                    "apply_patch verification failed: Failed to find expected lines in /src/parser.go:\n func Parse(input string) (*Node, error) {\n\ttokens, err := scan(input);",
                )
            ),
            asks(call("exec_command", {"cmd": "go build ./..."}, ran(0, "", 1.9))),
            answers("Parse gibt bei leerer Eingabe jetzt ErrEmpty zurück; der Build läuft durch."),
        ),
        failing=("tool_error",),
        why="both patches were rejected and none was applied; the build passes because nothing changed",
    ),
    Story(
        "ninth_coding_long_file_in_parts",
        "openllmetry",
        EDITOR,
        (
            user("Explain errors.py, it's long, so read all of it first."),
            *(
                asks(
                    call(
                        "read_file",
                        {"path": "lib/errors.py", "start_line": start, "end_line": start + 199},
                        f"File: lib/errors.py (lines {start}-{min(start + 199, 912)} of 912)\n"
                        f"class E{start}Error(RuntimeError):\n    code = {start}\n\n    def __str__(self):\n        return f'Error {{self.code}}: operation failed'\n# ...\n",
                    )
                )
                for start in (1, 201, 401, 601, 801)
            ),
            answers(
                "errors.py defines one exception class per code; each has a `code` and a text of the form “Error N: operation failed”."
            ),
        ),
        failing=(),
        why="five different parts of one file, whose content is about errors",
    ),
    Story(
        "ninth_coding_read_and_grep_in_circles",
        "pydantic_ai",
        EDITOR,
        (
            user("Where is the upload size limited?"),
            *repeat_calls(
                5,
                call(
                    "grep_search",
                    {"query": "MAX_UPLOAD", "isRegexp": False},
                    "1 match (0 more results are available)\nsrc/settings/base.py:41:MAX_UPLOAD = env.int('MAX_UPLOAD')",
                ),
                call(
                    "read_file",
                    {"path": "src/settings/base.py", "start_line": 38, "end_line": 44},
                    "# uploads\nUPLOAD_DIR = env.path('UPLOAD_DIR')\n\nMAX_UPLOAD = env.int('MAX_UPLOAD')\nALLOWED = ('png', 'pdf')\n",
                ),
            ),
            answers("The limit is MAX_UPLOAD in src/settings/base.py, which comes from the environment."),
        ),
        failing=("tool_efficiency",),
        why="the same search and the same lines five times in turn, with nothing new",
    ),
    Story(
        "ninth_coding_todos_as_text",
        "genai",
        CLAUDE,
        (
            user("Rename the flag --quiet to --silent everywhere."),
            asks(
                call(
                    "TodoWrite",
                    {
                        "todos": '[{"content": "Find --quiet", "status": "in_progress", "activeForm": "Finding --quiet"}, {"content": "Rename it", "status": "pending", "activeForm": "Renaming it"}]'
                    },
                    "<tool_use_error>InputValidationError: TodoWrite failed due to the following issue:\nThe parameter `todos` type is expected as `array` but provided as `string`</tool_use_error>",
                )
            ),
            asks(
                call(
                    "TodoWrite",
                    {
                        "todos": [
                            {"content": "Find --quiet", "status": "in_progress", "activeForm": "Finding --quiet"},
                            {"content": "Rename it", "status": "pending", "activeForm": "Renaming it"},
                        ]
                    },
                    "Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress.",
                )
            ),
            asks(
                call(
                    "Grep",
                    {"pattern": "--quiet", "path": "cmd", "output_mode": "content"},
                    'cmd/root.go:22:\tflags.BoolVar(&quiet, "--quiet", false, "print errors only")',
                )
            ),
            asks(
                call(
                    "Read",
                    {"file_path": "/w/cmd/root.go", "offset": 22, "limit": 1},
                    '    22→\tflags.BoolVar(&quiet, "--quiet", false, "print errors only")',
                )
            ),
            asks(
                call(
                    "Edit",
                    {"file_path": "/w/cmd/root.go", "old_string": '"--quiet"', "new_string": '"--silent"'},
                    'The file /w/cmd/root.go has been updated. Here\'s the result of running `cat -n` on a snippet of the edited file:\n    22→\tflags.BoolVar(&quiet, "--silent", false, "print errors only")',
                )
            ),
            answers("The flag is --silent now; it was defined in one place, cmd/root.go."),
        ),
        failing=("tool_call_validity",),
        why="the todos were first a text where the schema asks for a list; the second call worked, so nothing else failed",
    ),
    Story(
        "ninth_coding_merge_after_update",
        "openllmetry",
        MERGER,
        (
            user("Faz merge do PR 318 do caravela, já foi aprovado."),
            asks(
                call(
                    "merge_pull_request",
                    {**PR, "merge_method": "squash"},
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": "failed to merge pull request: PUT https://api.github.com/repos/quinta-labs/caravela/pulls/318/merge: 405 Pull Request is not mergeable []",
                            }
                        ],
                        "isError": True,
                    },
                )
            ),
            asks(
                call(
                    "update_pull_request_branch",
                    PR,
                    {
                        "content": [{"type": "text", "text": "Pull request branch update is in progress"}],
                        "isError": False,
                    },
                )
            ),
            pause(30),
            asks(
                call(
                    "get_pull_request_status",
                    PR,
                    {
                        "state": "success",
                        "total_count": 2,
                        "statuses": [
                            {"context": "ci/build", "state": "success"},
                            {"context": "ci/error-budget", "state": "success"},
                        ],
                    },
                )
            ),
            asks(
                call(
                    "merge_pull_request",
                    {**PR, "merge_method": "squash"},
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": '{"sha":"7c1e0b4","merged":true,"message":"Pull Request successfully merged"}',
                            }
                        ],
                        "isError": False,
                    },
                )
            ),
            answers("O PR 318 foi integrado (squash, 7c1e0b4). Foi preciso atualizar o branch antes."),
        ),
        failing=(),
        why="the merge worked after the branch was brought up to date",
    ),
    Story(
        "ninth_coding_type_check_lost",
        "openinference",
        QA,
        (
            user("Check PR 77: tests and types."),
            asks(
                call(
                    "run_tests",
                    {"ci": True},
                    {
                        "success": True,
                        "numTotalTests": 128,
                        "numPassedTests": 128,
                        "numFailedTests": 0,
                        "testResults": [],
                    },
                ),
                unanswered("check_types", {"project": "tsconfig.json"}),
            ),
            answers("PR 77 looks good: all 128 tests pass and there are no type errors."),
        ),
        failing=("run_completion",),
        why="the type check was requested and never executed, though the answer claims its result",
    ),
    Story(
        "ninth_coding_docs_on_errors",
        "vercel_ai",
        CONTEXT,
        (
            user("Wie fange ich in Axios einen Timeout ab?"),
            asks(
                call(
                    "resolve-library-id",
                    {"libraryName": "axios"},
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": "Available Libraries (top matches):\n\n- Title: Axios\n- Context7-compatible library ID: /axios/axios-docs\n- Code Snippets: 182\n- Trust Score: 9.2",
                            }
                        ]
                    },
                )
            ),
            asks(
                call(
                    "get-library-docs",
                    {"context7CompatibleLibraryID": "/axios/axios-docs", "topic": "timeout errors", "tokens": 3000},
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": "TITLE: Handling Errors\nDESCRIPTION: error.code is ECONNABORTED or ETIMEDOUT when the request timed out.\nCODE:\n```\ntry {\n  await axios.get('/user', { timeout: 1000 })\n} catch (error) {\n  if (error.code === 'ECONNABORTED') console.error('Error: timeout of 1000ms exceeded')\n  else throw error // 500 Internal Server Error, 404 Not Found ...\n}\n```",
                            }
                        ]
                    },
                )
            ),
            answers(
                "Mit `timeout` in den Optionen und im `catch` auf `error.code === 'ECONNABORTED'` prüfen (mit `transitional.clarifyTimeoutError` ist es `ETIMEDOUT`)."
            ),
        ),
        failing=(),
        why="documentation that explains errors",
    ),
)
