"""Agents in editors and terminals: Cline, Roo, opencode, SWE-agent, Goose, Copilot."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, repeat_calls, tool, user

__all__ = ["STORIES"]

CLINE = Agent(
    "cline",
    (
        tool("read_file", "Reads a file", path="string"),
        tool("replace_in_file", "Replaces sections of a file", path="string", diff="string"),
        tool("write_to_file", "Writes a file", path="string", content="string"),
        tool("search_files", "Searches by regex", path="string", regex="string", file_pattern="string?"),
        tool("execute_command", "Runs a command", command="string", requires_approval="boolean"),
    ),
    "You are Cline, a highly skilled software engineer.",
    "claude-sonnet-4-20250514",
    "anthropic",
)
E2E = (
    "// ***********************************************************\n"
    "// This example support/e2e.ts is processed and\n"
    "// loaded automatically before your test files.\n"
    "import 'cypress-real-events/support';\n"
    "import 'cypress-file-upload';\n"
    "import './commands';\n"
)


def no_match(search: str, path: str, content: str) -> str:
    return (
        "The tool execution failed with the following error:\n<error>\nThe SEARCH block:\n"
        f"{search}\n...does not match anything in the file.\n\nThis is likely because the SEARCH block content doesn't "
        "match exactly with what's in the file, or if you used multiple SEARCH/REPLACE blocks they may not have been in "
        "the order they appear in the file.\n\nThe file was reverted to its original state:\n\n"
        f'<file_content path="{path}">\n{content}</file_content>\n</error>'
    )


def block(search: str, replace: str) -> str:
    return f"------- SEARCH\n{search}\n=======\n{replace}\n+++++++ REPLACE"


OPENCODE = Agent(
    "opencode",
    (
        tool("read", "Reads a file", filePath="string", offset="integer?", limit="integer?"),
        tool("grep", "Searches file contents", pattern="string", path="string?", include="string?"),
        tool("edit", "Edits a file", filePath="string", oldString="string", newString="string"),
        tool("bash", "Runs a command", command="string", description="string"),
    ),
    "You are opencode, an interactive CLI tool that helps users with software engineering tasks.",
    "deepseek-v4-flash",
    "deepseek",
)

SWE = Agent(
    "swe-agent",
    (
        tool("search_dir", "Searches a term in a directory", search_term="string", dir="string?"),
        tool("search_file", "Searches a term in the open file", search_term="string", file="string?"),
        tool("open", "Opens a file", path="string", line_number="integer?"),
        tool("edit", "Replaces lines", start_line="integer", end_line="integer", replacement_text="string"),
        tool("create", "Creates a file", filename="string"),
        tool("bash", "Runs a command", command="string"),
        tool("submit", "Submits the changes"),
    ),
    "SETTING: You are an autonomous programmer working in the command line with a special interface.",
    "gpt-4o",
)
LINT = (
    "Your proposed edit has introduced new syntax error(s). Please read this error message carefully and then retry "
    "editing the file.\n\nERRORS:\n- {error}\n\nThis is how your edit would have looked if applied\n"
    "-------------------------------------------------\n[File: /biomedsheets/biomedsheets/io_tsv/germline.py (195 lines "
    "total)]\n(104 more lines above)\n109:        if '-' in mapping['patientName']:\n"
    "-------------------------------------------------\n\nYour changes have NOT been applied. Please fix your edit "
    "command and try again.\nDO NOT re-run the same failed edit command. Running it again will lead to the same error."
)
REPRODUCE = "from biomedsheets import io_tsv\nio_tsv.read_germline_tsv_sheet(open('hyphen.tsv'))\nprint('ok')"

GOOSE = Agent(
    "goose",
    (
        tool("developer__shell", "Execute a command in the shell", command="string"),
        tool(
            "developer__text_editor",
            "Edit files",
            command=["view", "write", "str_replace", "insert", "undo_edit"],
            path="string",
            old_str="string?",
            new_str="string?",
            file_text="string?",
        ),
    ),
    "You are a general-purpose AI agent called goose, created by Block.",
    "gpt-4o",
)
E0308 = (
    "   Compiling ledger v0.3.1 (/home/ada/ledger)\n"
    "error[E0308]: mismatched types\n"
    "  --> src/parse.rs:42:22\n"
    "   |\n"
    "42 |     let cents: u64 = amount * 100.0;\n"
    "   |                ---   ^^^^^^^^^^^^^^ expected `u64`, found `f64`\n"
    "   |                |\n"
    "   |                expected due to this\n"
    "\n"
    "For more information about this error, try `rustc --explain E0308`.\n"
    'error: could not compile `ledger` (bin "ledger") due to 1 previous error'
)

COPILOT = Agent(
    "copilot-agent",
    (
        tool("run_in_terminal", "Runs a command", command="string", explanation="string", isBackground="boolean"),
        tool("read_file", "Reads lines", filePath="string", startLine="integer", endLine="integer"),
        tool("replace_string_in_file", "Edits a file", filePath="string", oldString="string", newString="string"),
        tool("get_errors", "Compile or lint errors of files", filePaths="string[]"),
        tool("file_search", "Finds files by glob", query="string"),
    ),
    "You are an expert AI programming assistant, working with a user in the VS Code editor.",
    "gpt-4.1",
)
ERESOLVE = (
    "npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\nnpm error\n"
    "npm error While resolving: storefront@0.4.0\nnpm error Found: react@19.1.0\nnpm error node_modules/react\n"
    'npm error   react@"^19.1.0" from the root project\nnpm error\nnpm error Could not resolve dependency:\n'
    'npm error peer react@"^16.8.0 || ^17.0.0 || ^18.0.0" from react-day-picker@8.10.1\n'
    "npm error Fix the upstream dependency conflict, or retry\n"
    "npm error this command with --force or --legacy-peer-deps"
)

STORIES = (
    Story(
        "seventh_editors_cline_second_block_matches",
        "vercel_ai",
        CLINE,
        (
            user("Load ./token-refresh in cypress/support/e2e.ts"),
            asks(
                call(
                    "replace_in_file",
                    {
                        "path": "cypress/support/e2e.ts",
                        "diff": block(
                            "import 'cypress-real-events';\nimport 'cypress-file-upload';",
                            "import 'cypress-real-events';\nimport 'cypress-file-upload';\nimport './token-refresh';",
                        ),
                    },
                    no_match(
                        "import 'cypress-real-events';\nimport 'cypress-file-upload';", "cypress/support/e2e.ts", E2E
                    ),
                )
            ),
            asks(call("read_file", {"path": "cypress/support/e2e.ts"}, E2E)),
            asks(
                call(
                    "replace_in_file",
                    {
                        "path": "cypress/support/e2e.ts",
                        "diff": block("import './commands';", "import './commands';\nimport './token-refresh';"),
                    },
                    "The content was successfully saved to cypress/support/e2e.ts.\n\nHere is the full, updated content "
                    f'of the file that was saved:\n\n<final_file_content path="cypress/support/e2e.ts">\n{E2E}'
                    "import './token-refresh';\n</final_file_content>",
                )
            ),
            answers("cypress/support/e2e.ts imports ./token-refresh now."),
        ),
        failing=(),
        why="the block that did not match was replaced by one that did",
    ),
    Story(
        "seventh_editors_cline_never_matches",
        "openllmetry",
        CLINE,
        (
            user("把 tools/report.py 里的 import 改成用 JSONFaultTolerantParser。"),
            asks(
                call(
                    "read_file",
                    {"path": "tools/report.py"},
                    "import json\r\nimport os\r\nimport re\r\nfrom typing import Any, Union\r\n",
                )
            ),
            asks(
                call(
                    "replace_in_file",
                    {
                        "path": "tools/report.py",
                        "diff": block(
                            "import json\nimport os\nimport re",
                            "import json\nimport os\nimport re\nfrom tools.json_utils import JSONFaultTolerantParser",
                        ),
                    },
                    no_match("import json\nimport os\nimport re", "tools/report.py", "import json\r\nimport os\r\n"),
                )
            ),
            asks(
                call(
                    "replace_in_file",
                    {
                        "path": "tools/report.py",
                        "diff": block(
                            "from typing import Any, Union\n",
                            "from typing import Any, Union\nfrom tools.json_utils import JSONFaultTolerantParser\n",
                        ),
                    },
                    no_match("from typing import Any, Union\n", "tools/report.py", "import json\r\nimport os\r\n"),
                )
            ),
            answers("抱歉，两次替换都没有匹配到文件内容，文件没有改动。可能是换行符的问题，请手动添加这一行 import。"),
        ),
        failing=("tool_error",),
        why="both replacements failed and the file was never changed",
    ),
    Story(
        "seventh_editors_opencode_same_grep",
        "genai",
        OPENCODE,
        (
            user("Why does the 'Magic Context update failed' toast show on startup?"),
            asks(
                call(
                    "grep",
                    {"pattern": "update failed", "path": "node_modules/@cortexkit/opencode-magic-context/dist"},
                    "Found 2 matches\nnode_modules/@cortexkit/opencode-magic-context/dist/index.js:\n"
                    '  Line 48211: title: "Magic Context update failed",\n  Line 48240: log.warn("update failed", err)',
                )
            ),
            *repeat_calls(
                6,
                call(
                    "grep",
                    {
                        "pattern": "checkForUpdate",
                        "path": "node_modules/@cortexkit/opencode-magic-context/dist/index.js",
                    },
                    "Found 1 matches\nnode_modules/@cortexkit/opencode-magic-context/dist/index.js:\n"
                    "  Line 48198: async function checkForUpdate(ctx) {",
                ),
            ),
            answers("The toast comes from checkForUpdate in dist/index.js, when the registry can't be reached."),
        ),
        failing=("tool_efficiency",),
        why="the same grep ran six times in a row with the same single line",
    ),
    Story(
        "seventh_editors_swe_agent_lint_guard",
        "openinference",
        SWE,
        (
            user("ISSUE: Hyphen not allowed in patientName column - Germline. Please fix it."),
            asks(
                call(
                    "search_dir",
                    {"search_term": "Hyphen not allowed"},
                    'Found 6 matches for "Hyphen not allowed" in /biomedsheets:\n'
                    "/biomedsheets/biomedsheets/io_tsv/cancer.py (2 matches)\n"
                    "/biomedsheets/biomedsheets/io_tsv/generic.py (1 matches)\n"
                    "/biomedsheets/biomedsheets/io_tsv/germline.py (3 matches)\n"
                    'End of matches for "Hyphen not allowed" in /biomedsheets',
                )
            ),
            asks(
                call("create", {"filename": "reproduce.py"}, "[File: /biomedsheets/reproduce.py (1 lines total)]\n1:")
            ),
            asks(
                call(
                    "edit",
                    {"start_line": 1, "end_line": 1, "replacement_text": REPRODUCE},
                    "[File: /biomedsheets/reproduce.py (3 lines total)]\nFile updated. Please review the changes.",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "python reproduce.py"},
                    'Traceback (most recent call last):\n  File "/biomedsheets/reproduce.py", line 2, in <module>\n'
                    "biomedsheets.io_tsv.germline.GermlineTSVSheetException: Hyphen not allowed in patientName column",
                )
            ),
            asks(
                call(
                    "open",
                    {"path": "biomedsheets/io_tsv/germline.py", "line_number": 106},
                    "[File: /biomedsheets/biomedsheets/io_tsv/germline.py (195 lines total)]\n(105 more lines above)\n"
                    "106:    def check_tsv_line(self, mapping, lineno):\n109:        if '-' in mapping['patientName']:\n"
                    "110:            raise GermlineTSVSheetException(\n"
                    "111:                'Hyphen not allowed in patientName column')  # pragma: no cover",
                )
            ),
            asks(
                call(
                    "search_file",
                    {"search_term": "Hyphen not allowed"},
                    'Found 3 matches for "Hyphen not allowed" in /biomedsheets/biomedsheets/io_tsv/germline.py:\n'
                    "Line 111:                'Hyphen not allowed in patientName column')  # pragma: no cover\n"
                    "Line 114:                'Hyphen not allowed in fatherName column')  # pragma: no cover\n"
                    "Line 117:                'Hyphen not allowed in motherName column')  # pragma: no cover",
                )
            ),
            asks(
                call(
                    "edit",
                    {
                        "start_line": 111,
                        "end_line": 111,
                        "replacement_text": "                #'Hyphen not allowed in patientName column')",
                    },
                    LINT.format(error="E999 SyntaxError: '(' was never closed"),
                )
            ),
            asks(
                call(
                    "edit",
                    {
                        "start_line": 110,
                        "end_line": 111,
                        "replacement_text": "            #raise GermlineTSVSheetException(\n                #'Hyphen')",
                    },
                    LINT.format(
                        error="E999 IndentationError: expected an indented block after 'if' statement on line 109"
                    ),
                )
            ),
            asks(
                call(
                    "edit",
                    {
                        "start_line": 108,
                        "end_line": 117,
                        "replacement_text": "        # Hyphens are allowed in names\n",
                    },
                    "[File: /biomedsheets/biomedsheets/io_tsv/germline.py (186 lines total)]\nFile updated. Please "
                    "review the changes and make sure they are correct.",
                )
            ),
            asks(call("bash", {"command": "python reproduce.py"}, "ok")),
            asks(
                call(
                    "bash",
                    {"command": "python -m pytest tests -q"},
                    "........................................................................ [ 88%]\n"
                    "..........                                                               [100%]\n"
                    "82 passed, 3 warnings in 2.41s",
                )
            ),
            asks(
                call("bash", {"command": "rm reproduce.py && git status --short"}, " M biomedsheets/io_tsv/germline.py")
            ),
            asks(
                call(
                    "submit",
                    {},
                    "diff --git a/biomedsheets/io_tsv/germline.py b/biomedsheets/io_tsv/germline.py\n"
                    "@@ -105,16 +105,7 @@\n-            raise GermlineTSVSheetException(",
                )
            ),
            answers("Hyphens are allowed in patientName, fatherName and motherName now; all 82 tests pass."),
        ),
        failing=(),
        why="two edits were turned down by the linter and the third was applied; the failing script was the bug itself",
    ),
    Story(
        "seventh_editors_goose_compiles_after_fix",
        "genai_events",
        GOOSE,
        (
            user("cargo build fails in ~/ledger, can you fix it?"),
            asks(call("developer__shell", {"command": "cd ~/ledger && cargo build"}, E0308)),
            asks(
                call(
                    "developer__text_editor",
                    {
                        "command": "str_replace",
                        "path": "/home/ada/ledger/src/parse.rs",
                        "old_str": "let cents: u64 = amount * 100.0;",
                        "new_str": "let cents: u64 = (amount * 100.0).round() as u64;",
                    },
                    "The file /home/ada/ledger/src/parse.rs has been edited, and the section now reads:\n```rust\n"
                    "    let cents: u64 = (amount * 100.0).round() as u64;\n```",
                )
            ),
            asks(
                call(
                    "developer__shell",
                    {"command": "cd ~/ledger && cargo build"},
                    "   Compiling ledger v0.3.1 (/home/ada/ledger)\n    Finished `dev` profile [unoptimized + "
                    "debuginfo] target(s) in 1.92s",
                )
            ),
            answers("Fixed: the amount is rounded and cast to u64 in src/parse.rs. The build passes."),
        ),
        failing=(),
        why="the compiler's error was the problem to solve, and the last build passes",
    ),
    Story(
        "seventh_editors_goose_push_rejected",
        "openllmetry",
        GOOSE,
        (
            user("Commit my changes as 'Round cents' and push them."),
            asks(call("developer__shell", {"command": "git status --short"}, " M src/parse.rs")),
            asks(
                call(
                    "developer__shell",
                    {"command": "git commit -am 'Round cents'"},
                    "[main 3f1c9ab] Round cents\n 1 file changed, 1 insertion(+), 1 deletion(-)",
                )
            ),
            asks(
                call(
                    "developer__shell",
                    {"command": "git push origin main"},
                    "To github.com:ada/ledger.git\n ! [rejected]        main -> main (fetch first)\n"
                    "error: failed to push some refs to 'github.com:ada/ledger.git'\n"
                    "hint: Updates were rejected because the remote contains work that you do not\n"
                    "hint: have locally. This is usually caused by another repository pushing to\n"
                    "hint: the same ref.\nCommand failed with exit code 1",
                )
            ),
            answers("Your changes are committed and pushed to main."),
        ),
        failing=("tool_error",),
        why="the push, the last command of the run, was rejected, though the answer says otherwise",
    ),
    Story(
        "seventh_editors_copilot_peer_conflict",
        "pydantic_ai",
        COPILOT,
        (
            user("Instale o react-day-picker e confirme a versão."),
            asks(
                call(
                    "run_in_terminal",
                    {"command": "npm install react-day-picker@8", "explanation": "Instalar", "isBackground": False},
                    ERESOLVE,
                )
            ),
            asks(
                call(
                    "run_in_terminal",
                    {"command": "npm install react-day-picker@9", "explanation": "Versão 9", "isBackground": False},
                    "\nadded 4 packages, and audited 612 packages in 3s\n\n128 packages are looking for funding\n"
                    "  run `npm fund` for details\n\nfound 0 vulnerabilities",
                )
            ),
            asks(
                call(
                    "run_in_terminal",
                    {"command": "npm ls react-day-picker", "explanation": "Conferir", "isBackground": False},
                    "storefront@0.4.0 /workspaces/storefront\n└── react-day-picker@9.7.0",
                )
            ),
            answers("Pronto: react-day-picker 9.7.0 está instalado; a versão 8 não aceita o React 19."),
        ),
        failing=(),
        why="the first install had a conflict, and the next one with another version worked",
    ),
    Story(
        "seventh_editors_copilot_type_errors_found",
        "openllmetry",
        COPILOT,
        (
            user("Are there type errors in src/api.ts and src/store.ts? Don't fix anything yet."),
            asks(call("file_search", {"query": "src/{api,store}.ts"}, "2 total results\nsrc/api.ts\nsrc/store.ts")),
            asks(
                call(
                    "get_errors",
                    {"filePaths": ["src/api.ts", "src/store.ts"]},
                    '<errors path="src/api.ts">\nThis code at line 18\n```\n  return res.json() as Promise<Order[]>;\n'
                    "```\nhas the problem reported:\n<compileError>\nType 'Promise<unknown>' is not assignable to type "
                    "'Order[]'.\n</compileError>\n</errors>\n<errors path=\"src/store.ts\">\nNo errors found\n</errors>",
                )
            ),
            asks(
                call(
                    "read_file",
                    {"filePath": "src/api.ts", "startLine": 10, "endLine": 20},
                    "export async function orders(): Order[] {\n  const res = await fetch('/orders');\n"
                    "  if (!res.ok) throw new Error(`HTTP ${res.status}`);\n  return res.json() as Promise<Order[]>;\n}",
                )
            ),
            answers("One: src/api.ts line 18, orders() should return Promise<Order[]>. src/store.ts has none."),
        ),
        failing=(),
        why="type errors are what the checker was asked to find, and it found them",
    ),
    Story(
        "seventh_editors_cline_path_left_out",
        "openinference",
        CLINE,
        (
            user("What does lib/rate.go limit?"),
            asks(
                call(
                    "read_file",
                    {},
                    "The tool execution failed with the following error:\n<error>\nMissing value for required parameter "
                    "'path'. Please retry with complete response.\n</error>",
                )
            ),
            asks(
                call(
                    "read_file",
                    {"path": "lib/rate.go"},
                    'package lib\n\nimport "golang.org/x/time/rate"\n\n'
                    "// Exports are limited to 5 per minute and tenant.\nvar Exports = rate.NewLimiter(rate.Every(12*"
                    "time.Second), 5)\n",
                )
            ),
            answers("It limits exports to five per minute and tenant."),
        ),
        failing=("tool_call_validity",),
        why="the first read left out the required path; the second one was right",
    ),
    Story(
        "seventh_editors_copilot_empty_answer",
        "genai_events",
        COPILOT,
        (
            user("Rename the prop `colour` to `color` in Badge.tsx and tell me what else uses it."),
            asks(
                call(
                    "read_file",
                    {"filePath": "src/Badge.tsx", "startLine": 1, "endLine": 30},
                    "export function Badge({ colour, children }: { colour: string; children: ReactNode }) {\n"
                    "  return <span className={`badge ${colour}`}>{children}</span>;\n}",
                )
            ),
            asks(
                call(
                    "replace_string_in_file",
                    {
                        "filePath": "src/Badge.tsx",
                        "oldString": "{ colour, children }: { colour: string;",
                        "newString": "{ color, children }: { color: string;",
                    },
                    "The following files were successfully edited:\nsrc/Badge.tsx",
                )
            ),
            answers(""),
        ),
        failing=("run_completion",),
        why="the last message of the model is empty, so the question is not answered",
    ),
)
