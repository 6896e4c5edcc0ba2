"""Coding agents: editors, shells and patches."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, Tool, answers, asks, call, crashes, repeat_calls, tool, user

__all__ = ["STORIES"]

EDITOR = Tool(
    "str_replace_editor",
    "Custom editing tool for viewing, creating and editing files",
    {
        "type": "object",
        "properties": {
            "command": {"type": "string", "enum": ["view", "create", "str_replace", "insert", "undo_edit"]},
            "path": {"type": "string"},
            "file_text": {"type": "string"},
            "old_str": {"type": "string"},
            "new_str": {"type": "string"},
            "insert_line": {"type": "integer"},
            "view_range": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["command", "path"],
    },
)
EXECUTE = tool("execute_bash", "Execute a bash command in the terminal", command="string", is_input="string?")
OPENHANDS = Agent("CodeActAgent", (EXECUTE, EDITOR), "You are OpenHands agent, a helpful AI assistant.", "gpt-4.1")

RECIPE = "/workspace/torchtune/recipes/knowledge_distillation_single_device.py"

READ = tool("Read", "Reads a file from the local filesystem", file_path="string", offset="integer?", limit="integer?")
EDIT = tool(
    "Edit", "Performs exact string replacements in files", file_path="string", old_string="string", new_string="string"
)
GREP = tool("Grep", "A search tool built on ripgrep", pattern="string", path="string?", output_mode="string?")
BASH = tool("Bash", "Executes a given bash command", command="string", description="string?", timeout="integer?")
CLAUDE = Agent(
    "claude-code", (READ, EDIT, GREP, BASH), "You are an interactive CLI tool.", "claude-sonnet-4-5", "anthropic"
)

SHELL = tool("shell", "Runs a shell command and returns its output", command="string[]", workdir="string?")
PATCH = tool("apply_patch", "Edit files with a patch", input="string")
CODEX = Agent("codex", (SHELL, PATCH), "You are a coding agent running in the Codex CLI.", "gpt-5-codex")

RUN = tool("run_shell_command", "Executes a command as `bash -c <command>`", command="string", description="string?")
REPLACE = tool(
    "replace",
    "Replaces text within a file",
    file_path="string",
    old_string="string",
    new_string="string",
    expected_replacements="integer?",
)
READ_FILE = tool("read_file", "Reads a file", absolute_path="string", offset="integer?", limit="integer?")
GEMINI = Agent(
    "gemini-cli", (RUN, REPLACE, READ_FILE), "You are an interactive CLI agent.", "gemini-2.5-pro", "gcp.gemini"
)


def ran(command: str, out: str, code: int = 0, err: str = "(empty)") -> str:
    return (
        f"Command: {command}\nDirectory: (root)\nStdout: {out}\nStderr: {err}\nError: (none)\n"
        f"Exit Code: {code}\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 48213"
    )


LS = tool("bash", "Execute a bash command in the current working directory", command="string", timeout="number?")
WRITE = tool("write", "Write content to a file", path="string", content="string")
PI = Agent("pi", (LS, WRITE), "You are an expert coding assistant.", "qwen3.5-35b-a3b", "ollama")
CUSTOM = "custom.css\ncustom.js\n"
CUSTOM_LONG = (
    "total 16\ndrwxrwxr-x 2 dev dev 4096 Jun 28 10:12 .\ndrwxrwxr-x 5 dev dev 4096 Jun 28 10:11 ..\n"
    "-rw-rw-r-- 1 dev dev  212 Jun 28 10:12 custom.css\n-rw-rw-r-- 1 dev dev   88 Jun 28 10:12 custom.js\n"
)

DIFF = tool("apply_diff", "Apply targeted changes to one file", path="string", diff="string")
ROO_READ = tool("read_file", "Read the contents of a file", path="string")
ROO = Agent("roo", (ROO_READ, DIFF), "You are Roo, a highly skilled software engineer.", "gemini-2.5-pro", "openrouter")

CI_LOG = tool("get_job_logs", "Logs of a failed workflow job", run_id="integer", tail_lines="integer?")
CI_FILE = tool("get_file_contents", "A file of a repository", owner="string", repo="string", path="string")
CI = Agent("ci_doctor", (CI_LOG, CI_FILE), "You explain failed CI runs.")

FIND = tool("find_file", "Find files by name", file_name="string", dir="string?")
OPEN = tool("open", "Open a file at a line", path="string", line_number="integer?")
SEARCH = tool("search_dir", "Search a term in all files", search_term="string", dir="string?")
GOTO = tool("goto", "Move the window to a line", line_number="integer")
SWE_EDIT = tool("edit", "Replace lines", start_line="integer", end_line="integer", replacement_text="string")
CREATE = tool("create", "Create a file", filename="string")
SWE_BASH = tool("bash", "Run a command", command="string")
SUBMIT = tool("submit", "Submit the changes")
SWE = Agent(
    "swe-agent",
    (FIND, OPEN, SEARCH, GOTO, SWE_EDIT, CREATE, SWE_BASH, SUBMIT),
    "SETTING: You are an autonomous programmer working in a special interface.",
    "claude-3-7-sonnet",
    "anthropic",
)
LINES = "[File: /marshmallow-code__marshmallow/src/marshmallow/fields.py (1997 lines total)]\n(1470 more lines above)\n"

STR_REPLACE = tool("str_replace", "Replace text in a file", path="string", old_string="string", new_string="string")
FOREMAN_READ = tool("read_file", "Read a file", path="string")
FOREMAN = Agent("foreman-coder", (FOREMAN_READ, STR_REPLACE), "You fix one issue.", "Qwopus3.6-27B", "llama.cpp")

STORIES = (
    Story(
        "sixth_code_replacement_made_unique",
        "genai",
        OPENHANDS,
        (
            user("Save the adapter weights separately in the knowledge distillation recipe, and run its tests."),
            asks(
                call(
                    "execute_bash",
                    {"command": 'grep -n "torch.save" -r recipes/ | head'},
                    f"{RECIPE}:612:            torch.save(state_dict, output_path)\n"
                    f"{RECIPE}:655:            torch.save(state_dict, output_path)\n"
                    "[The command completed with exit code 0.]\n[Current working directory: /workspace/torchtune]",
                )
            ),
            asks(
                call(
                    "str_replace_editor",
                    {"command": "view", "path": RECIPE, "view_range": [600, 660]},
                    f"Here's the result of running `cat -n` on {RECIPE}:\n   610\t            output_path = "
                    'Path.joinpath(self._output_dir, "recipe_state.pt")\n   612\t            torch.save('
                    "state_dict, output_path)\n   613\t            logger.info(\n",
                )
            ),
            asks(
                call(
                    "str_replace_editor",
                    {
                        "command": "str_replace",
                        "path": RECIPE,
                        "old_str": "            torch.save(state_dict, output_path)\n            logger.info(",
                        "new_str": "            torch.save(adapter_dict, output_path)\n            logger.info(",
                    },
                    "ERROR:\nNo replacement was performed. Multiple occurrences of old_str `            torch.save("
                    "state_dict, output_path)\n            logger.info(` in lines []. Please ensure it is unique.",
                )
            ),
            asks(
                call(
                    "str_replace_editor",
                    {
                        "command": "str_replace",
                        "path": RECIPE,
                        "old_str": 'adapter_model.pt")\n            torch.save(state_dict, output_path)',
                        "new_str": 'adapter_model.pt")\n            torch.save(adapter_dict, output_path)',
                    },
                    f"The file {RECIPE} has been edited. Here's the result of running `cat -n` on a snippet of "
                    f'{RECIPE}:\n   654\t            output_path = Path.joinpath(self._output_dir, "adapter_model.pt")'
                    "\n   655\t            torch.save(adapter_dict, output_path)\nReview the changes and make sure "
                    "they are as expected.",
                )
            ),
            asks(
                call(
                    "execute_bash",
                    {"command": "pytest -q tests/recipes/test_knowledge_distillation_single_device.py"},
                    "....                                                                     [100%]\n4 passed in "
                    "38.21s\n[The command completed with exit code 0.]",
                )
            ),
            answers("The adapter weights now go to adapter_model.pt; the four tests of the recipe pass."),
        ),
        failing=(),
        why="the ambiguous replacement was made unique and applied at the second try",
    ),
    Story(
        "sixth_code_edits_never_apply",
        "openllmetry",
        CLAUDE,
        (
            user("Switch the InternalAPI build task to the release profile and check the tasks file."),
            asks(
                call(
                    "Grep",
                    {"pattern": "InternalAPI", "path": ".vscode", "output_mode": "content"},
                    '.vscode/tasks.json:38:      "label": "InternalAPI",',
                )
            ),
            asks(
                call(
                    "Read",
                    {"file_path": "/repo/.vscode/tasks.json", "offset": 34, "limit": 14},
                    '    34→    },\n    35→    {\n    36→      "type": "process",\n    37→      "command": "dotnet",'
                    '\n    38→      "label": "InternalAPI",\n    39→      "args": ["build", "-c", "Debug"],\n',
                )
            ),
            asks(
                call(
                    "Edit",
                    {
                        "file_path": "/repo/.vscode/tasks.json",
                        "old_string": '"args": ["build", "-c", "Debug"],\n      "problemMatcher"',
                        "new_string": '"args": ["build", "-c", "Release"],\n      "problemMatcher"',
                    },
                    '<tool_use_error>String to replace not found in file.\nString: "args": ["build", "-c", '
                    '"Debug"],\n      "problemMatcher"</tool_use_error>',
                )
            ),
            asks(
                call(
                    "Bash",
                    {"command": "file .vscode/tasks.json", "description": "Check line endings"},
                    ".vscode/tasks.json: JSON text data, with CRLF line terminators",
                )
            ),
            asks(
                call(
                    "Edit",
                    {
                        "file_path": "/repo/.vscode/tasks.json",
                        "old_string": '      "args": ["build", "-c", "Debug"],\r\n',
                        "new_string": '      "args": ["build", "-c", "Release"],\r\n',
                    },
                    '<tool_use_error>String to replace not found in file.\nString:       "args": ["build", "-c", '
                    '"Debug"],\r\n</tool_use_error>',
                )
            ),
            asks(
                call(
                    "Read",
                    {"file_path": "/repo/.vscode/tasks.json", "offset": 39, "limit": 1},
                    '    39→      "args": ["build", "-c", "Debug"],',
                )
            ),
            asks(
                call(
                    "Edit",
                    {"file_path": "/repo/.vscode/tasks.json", "old_string": '"Debug"', "new_string": '"Release"'},
                    "<tool_use_error>Found 3 matches of the string to replace, but replace_all is false. To replace "
                    "all occurrences, set replace_all to true. To replace only one occurrence, please provide more "
                    'context to uniquely identify the instance.\nString: "Debug"</tool_use_error>',
                )
            ),
            answers(
                "It seems there is an issue with directly editing the file. Here's what to do manually: open "
                "`.vscode/tasks.json`, find the InternalAPI section (lines 38-44), and set Release there."
            ),
        ),
        failing=("tool_error",),
        why="all three edits were rejected and the file is unchanged",
    ),
    Story(
        "sixth_code_push_rejected_at_the_end",
        "pydantic_ai",
        CODEX,
        (
            user("Commit the fix for the timezone bug and push it to origin/main."),
            asks(
                call(
                    "shell",
                    {"command": ["git", "status", "--short"]},
                    {"output": " M src/schedule.rs\n", "metadata": {"exit_code": 0, "duration_seconds": 0.1}},
                )
            ),
            asks(
                call(
                    "shell",
                    {"command": ["git", "commit", "-am", "Fix DST offset in schedule"]},
                    {
                        "output": "[main 5f31c0e] Fix DST offset in schedule\n 1 file changed, 3 insertions(+), 1 "
                        "deletion(-)\n",
                        "metadata": {"exit_code": 0, "duration_seconds": 0.2},
                    },
                )
            ),
            asks(
                call(
                    "shell",
                    {"command": ["git", "push", "origin", "main"]},
                    {
                        "output": "To github.com:acme/scheduler.git\n ! [remote rejected] main -> main (protected branch "
                        "hook declined)\nerror: failed to push some refs to 'github.com:acme/scheduler.git'\n",
                        "metadata": {"exit_code": 1, "duration_seconds": 2.4},
                    },
                )
            ),
            answers("The commit is made locally (5f31c0e), but main is protected and the push was declined."),
        ),
        failing=("tool_error",),
        why="the last action, the push that was asked for, failed with exit code 1",
    ),
    Story(
        "sixth_code_red_tests_made_green",
        "vercel_ai",
        GEMINI,
        (
            user("npm test ist rot. Bitte reparieren."),
            asks(
                call(
                    "run_shell_command",
                    {"command": "npm test --silent", "description": "Tests ausführen"},
                    ran(
                        "npm test --silent",
                        " FAIL  src/slug.test.ts > slugify > folds umlauts\nAssertionError: expected "
                        "'ber-uns' to be 'ueber-uns'\n Tests  1 failed | 11 passed (12)",
                        1,
                    ),
                )
            ),
            asks(
                call(
                    "read_file",
                    {"absolute_path": "/app/src/slug.ts"},
                    "export function slugify(s: string) {\n  return s.toLowerCase().replace(/[^a-z0-9]+/g, '-')"
                    ".replace(/^-|-$/g, '');\n}\n",
                )
            ),
            asks(
                call(
                    "replace",
                    {
                        "file_path": "/app/src/slug.ts",
                        "old_string": "s.toLowerCase().replace(/[^a-z]+/g",
                        "new_string": "fold(s.toLowerCase()).replace(/[^a-z]+/g",
                    },
                    "Failed to edit, 0 occurrences found for old_string in /app/src/slug.ts. No edits made. The exact "
                    "text in old_string was not found. Ensure you're not escaping content incorrectly and check "
                    "whitespace, indentation, and context. Use read_file tool to verify.",
                )
            ),
            asks(
                call(
                    "replace",
                    {
                        "file_path": "/app/src/slug.ts",
                        "old_string": "  return s.toLowerCase()",
                        "new_string": "  return fold(s.toLowerCase())",
                        "expected_replacements": 1,
                    },
                    "Successfully modified file: /app/src/slug.ts (1 replacements).",
                )
            ),
            asks(
                call(
                    "run_shell_command",
                    {"command": "npm test --silent"},
                    ran("npm test --silent", "(empty)", 1, "src/slug.ts(2,10): error TS2304: Cannot find name 'fold'."),
                )
            ),
            asks(
                call(
                    "replace",
                    {
                        "file_path": "/app/src/slug.ts",
                        "old_string": "export function slugify",
                        "new_string": "const fold = (s: string) => s.replace(/ä/g, 'ae').replace(/ö/g, 'oe')"
                        ".replace(/ü/g, 'ue');\nexport function slugify",
                    },
                    "Successfully modified file: /app/src/slug.ts (1 replacements).",
                )
            ),
            asks(
                call(
                    "run_shell_command",
                    {"command": "npm test --silent"},
                    ran("npm test --silent", " Tests  12 passed (12)\n Duration  811ms"),
                )
            ),
            answers("Alle 12 Tests laufen wieder: slugify faltet jetzt Umlaute, bevor es die übrigen Zeichen ersetzt."),
        ),
        failing=(),
        why="one edit missed and two test runs were red on the way; both tools end with success",
    ),
    Story(
        "sixth_code_listing_again_and_again",
        "openinference",
        PI,
        (
            user("Make the notebook cells use the full width. Put it into the Jupyter custom css."),
            asks(call("bash", {"command": "jupyter --config-dir"}, "/home/dev/.jupyter\n")),
            *repeat_calls(6, call("bash", {"command": "ls /home/dev/.jupyter/custom/"}, CUSTOM)),
            *repeat_calls(5, call("bash", {"command": "ls -la /home/dev/.jupyter/custom/"}, CUSTOM_LONG)),
            answers("The directory has a custom.css. You can add `.container { width: 100% !important; }` there."),
        ),
        failing=("tool_efficiency",),
        why="the same listing six times and then another five times, each time with the same output, and no write",
    ),
    Story(
        "sixth_code_diff_without_diff",
        "genai",
        ROO,
        (
            user("Rename the footer link to “Legal notice”."),
            asks(
                call(
                    "read_file",
                    {"path": "src/components/layout/Footer.tsx"},
                    '<file><path>src/components/layout/Footer.tsx</path>\n<content lines="1-9">\n 1 | export function '
                    'Footer() {\n 4 |   <a href="/imprint">Imprint</a>\n</content>\n</file>',
                )
            ),
            asks(
                call(
                    "apply_diff",
                    {"path": "src/components/layout/Footer.tsx"},
                    "[ERROR] You did not use a value for the required parameter 'diff'. Please retry with a complete "
                    "response.\n\nMissing value for required parameter 'diff'.",
                )
            ),
            asks(
                call(
                    "apply_diff",
                    {"path": "src/components/layout/Footer.tsx"},
                    "[ERROR] You did not use a value for the required parameter 'diff'. Please retry with a complete "
                    "response.\n\nMissing value for required parameter 'diff'.",
                )
            ),
            answers(
                "I could not apply the change to Footer.tsx. Please try a more capable model or edit line 4 yourself."
            ),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="the required diff is missing both times and the edit was never made",
    ),
    Story(
        "sixth_code_ci_log_explained",
        "genai_events",
        CI,
        (
            user("Why is run 9921 of acme/parser red?"),
            asks(
                call(
                    "get_job_logs",
                    {"run_id": 9921, "tail_lines": 40},
                    "2026-06-14T09:12:40Z ##[group]Run cargo test --locked\n2026-06-14T09:13:22Z error[E0599]: no method "
                    "named `as_span` found for struct `Pair` in the current scope\n2026-06-14T09:13:22Z   --> "
                    "src/lex.rs:41:14\n2026-06-14T09:13:23Z error: could not compile `parser` (lib) due to 1 previous "
                    "error\n2026-06-14T09:13:23Z ##[error]Process completed with exit code 101.",
                )
            ),
            asks(
                call(
                    "get_file_contents",
                    {"owner": "acme", "repo": "parser", "path": "src/lex.rs"},
                    'use thiserror::Error;\n\n#[derive(Error, Debug)]\npub enum LexError {\n    #[error("failed to '
                    'read: {0}")]\n    Io(#[from] std::io::Error),\n}\n// line 41\nlet span = pair.as_span();\n',
                )
            ),
            answers("`Pair::as_span` is gone in pest 3: src/lex.rs line 41 still calls it. Use `pair.span()` there."),
        ),
        failing=(),
        why="the log and the source speak of errors, reading them worked",
    ),
    Story(
        "sixth_code_swe_agent_long_fix",
        "openinference",
        SWE,
        (
            user(
                "We're currently solving the following issue within our repository: TimeDelta serialization precision. "
                '`TimeDelta(precision="milliseconds")` of 345 ms serializes to 344.'
            ),
            asks(
                call(
                    "create",
                    {"filename": "reproduce.py"},
                    "[File: /marshmallow-code__marshmallow/reproduce.py (1 lines total)]\n1:",
                )
            ),
            asks(
                call(
                    "edit",
                    {
                        "start_line": 1,
                        "end_line": 1,
                        "replacement_text": "from marshmallow.fields import "
                        'TimeDelta\nfrom datetime import timedelta\ntd = TimeDelta(precision="milliseconds")\n'
                        'print(td.serialize("x", dict(x=timedelta(milliseconds=345))))',
                    },
                    "[File: /marshmallow-code__marshmallow/reproduce.py (4 lines total)]\nFile updated. Please review "
                    "the changes and make sure they are correct. Edit the file again if necessary.",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "python reproduce.py"},
                    'Traceback (most recent call last):\n  File "reproduce.py", line 4, in <module>\n    print('
                    "td.serialize(\"x\", dict(x=timedelta(milliseconds=345))))\nAttributeError: 'TimeDelta' object has "
                    "no attribute 'parent'",
                )
            ),
            asks(
                call(
                    "edit",
                    {
                        "start_line": 3,
                        "end_line": 4,
                        "replacement_text": 'td = TimeDelta(precision="'
                        'milliseconds")\ntd._bind_to_schema("x", None)\nprint(td.serialize("x", {"x": '
                        "timedelta(milliseconds=345)}))",
                    },
                    "File updated. Please review the changes and make sure they are correct. Edit the file again if "
                    "necessary.",
                )
            ),
            asks(call("bash", {"command": "python reproduce.py"}, "344\n")),
            asks(
                call(
                    "find_file",
                    {"file_name": "fields.py", "dir": "src"},
                    'Found 1 matches for "fields.py" in /marshmallow-code__marshmallow/src:\n/marshmallow-code__'
                    "marshmallow/src/marshmallow/fields.py",
                )
            ),
            asks(
                call(
                    "search_dir",
                    {"search_term": "base_unit", "dir": "src"},
                    'Found 2 matches for "base_unit" in /marshmallow-code__marshmallow/src:\n/src/marshmallow/'
                    "fields.py (2 matches)\nEnd of matches",
                )
            ),
            asks(
                call(
                    "open",
                    {"path": "src/marshmallow/fields.py", "line_number": 1474},
                    LINES + "1474:        try:\n1475:            base_unit = dt.timedelta(**{self.precision: 1})\n1476:"
                    "            return int(value.total_seconds() / base_unit.total_seconds())\n1477:        except "
                    'AttributeError as error:\n1478:            raise self.make_error("format", input=value)',
                )
            ),
            asks(
                call(
                    "edit",
                    {
                        "start_line": 1476,
                        "end_line": 1476,
                        "replacement_text": "            return int(round(value.total_seconds() / base_unit.total_seconds())",
                    },
                    "Your proposed edit has introduced new syntax error(s). Please read this error message carefully and "
                    "then retry editing the file.\n\nERRORS:\n- E999 SyntaxError: '(' was never closed\n\nYour changes "
                    "have NOT been applied. Please fix your edit command and try again.",
                )
            ),
            asks(
                call(
                    "edit",
                    {
                        "start_line": 1476,
                        "end_line": 1476,
                        "replacement_text": "            return round(value.total_seconds() / base_unit.total_seconds())",
                    },
                    LINES + "1476:            return round(value.total_seconds() / base_unit.total_seconds())\nFile "
                    "updated.",
                )
            ),
            asks(call("bash", {"command": "python reproduce.py"}, "345\n")),
            asks(
                call(
                    "search_dir",
                    {"search_term": "total_seconds()"},
                    'Found 6 matches for "total_seconds()" in /marshmallow-code__marshmallow:\n/src/marshmallow/'
                    "fields.py (2 matches)\n/tests/test_serialization.py (4 matches)\nEnd of matches",
                )
            ),
            asks(
                call(
                    "open",
                    {"path": "tests/test_serialization.py", "line_number": 540},
                    "[File: /tests/test_serialization.py (1001 lines total)]\n540:    def test_timedelta_field(self, "
                    "user):\n541:        user.d1 = dt.timedelta(days=1, seconds=1, microseconds=1)",
                )
            ),
            asks(
                call(
                    "goto",
                    {"line_number": 610},
                    "610:        field = fields.TimeDelta(fields.TimeDelta.MILLISECONDS)\n"
                    '611:        assert field.serialize("d1", user) == 86401000',
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "python -m pytest tests/test_serialization.py -q -k timedelta"},
                    ".                                                                        [100%]\n1 passed, 240 "
                    "deselected in 0.42s",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "rm reproduce.py && git diff --stat"},
                    " src/marshmallow/fields.py | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)",
                )
            ),
            asks(
                call(
                    "submit",
                    {},
                    "diff --git a/src/marshmallow/fields.py b/src/marshmallow/fields.py\n-            "
                    "return int(value.total_seconds() / base_unit.total_seconds())\n+            return round(value."
                    "total_seconds() / base_unit.total_seconds())",
                )
            ),
            answers("Fixed: the quotient is rounded instead of truncated, so 345 ms serializes to 345."),
        ),
        failing=(),
        why="a traceback of the reproduction and one edit with a syntax error on the way, both made good; submitted",
    ),
    Story(
        "sixth_code_noop_replacement_loop",
        "pydantic_ai",
        FOREMAN,
        (
            user("Issue #944: the timeout must be read from the config."),
            asks(
                call(
                    "read_file",
                    {"path": "internal/agent/loop.go"},
                    {"path": "internal/agent/loop.go", "content": "const timeout = 30 * time.Second\n"},
                )
            ),
            *repeat_calls(
                6,
                call(
                    "str_replace",
                    {
                        "path": "internal/agent/loop.go",
                        "old_string": "const timeout = 30 * time.Second",
                        "new_string": "const timeout = 30 * time.Second",
                    },
                    {"path": "internal/agent/loop.go", "replacements": 1},
                ),
            ),
            crashes(
                "foreman.StuckLoopDetected", "RepeatedToolCall: str_replace was called 6 times with identical arguments"
            ),
        ),
        failing=("run_completion", "tool_efficiency"),
        why="six times the same replacement that changes nothing, until the run was ended with an error",
    ),
    Story(
        "sixth_code_migration_cut_off",
        "vercel_ai",
        GEMINI,
        (
            user("Print the whole migrated file, I will paste it myself."),
            asks(
                call(
                    "read_file",
                    {"absolute_path": "/app/src/store/legacy.js"},
                    "import { createStore, combineReducers } from 'redux';\n// 1180 lines\n",
                )
            ),
            answers(
                "```ts\nimport { configureStore, createSlice } from '@reduxjs/toolkit';\n\nexport const cart = "
                "createSlice({\n  name: 'cart',\n  initialState: { items: [], coupon: null },\n  reducers: {\n    add(st",
                "length",
            ),
        ),
        failing=("run_completion",),
        why="the file that was asked for breaks off at the token limit",
    ),
)
