"""Coding agents: shells, test runners, compilers, containers, pipelines, Sentry."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, crashes, model_fails, pause, refused, repeat_calls, tool, user

__all__ = ["STORIES"]

BASH = tool("bash", "Run a command", command="string", timeout="integer?")
EDIT = tool("str_replace", "Replace text in a file", path="string", old_str="string", new_str="string")
CODER = Agent(
    "swe_agent",
    (BASH, EDIT),
    "You are a software engineer with a shell.",
    "claude-sonnet-4-5",
    "anthropic",
)
RUSTACEAN = Agent("rust_agent", (BASH, EDIT), "You work on a Rust workspace.", "gpt-4.1")

REVIEWER = Agent(
    "review_bot",
    (
        tool("get_pull_request_files", "Files of a pull request", owner="string", repo="string", pull_number="integer"),
        tool("run_eslint", "Lint files", files="string[]", fix="boolean?"),
    ),
    "You review pull requests and never push.",
    "gpt-4.1-mini",
)

INFRA = Agent(
    "terraform_reader",
    (
        tool("list_directory", "List a directory", path="string"),
        tool("read_file", "Read a file", path="string"),
        tool("search_modules", "Search the registry", query="string"),
    ),
    "You answer questions on the infrastructure code.",
    "gpt-4o-mini",
)

SENTRY = Agent(
    "oncall_helper",
    (
        tool("get_issue_details", "Details of an issue", organizationSlug="string", issueId="string"),
        tool("find_releases", "Releases of a project", organizationSlug="string", query="string?"),
    ),
    "You explain issues of Sentry to the one on call.",
    "gpt-4.1",
)

PATCHER = Agent(
    "patch_agent",
    (
        tool("read_file", "Read a file", path="string"),
        tool("write_file", "Write a file", path="string", content="string"),
        tool("run_tests", "Run the tests", path="string?"),
    ),
    "You fix small bugs.",
    "gpt-4.1-mini",
)

DOCKER = Agent(
    "container_watch",
    (
        tool("list_containers", "List containers", all="boolean?"),
        tool("fetch_container_logs", "Logs of a container", container_id="string", tail="integer?"),
        tool("probe_http", "Request an address and report what it answers", url="string"),
    ),
    "Sprawdzasz kontenery na serwerze testowym.",
    "gpt-4.1-mini",
)

MIGRATOR = Agent(
    "migration_agent",
    (
        tool("read_file", "Read a file", path="string"),
        tool("grep", "Search files", pattern="string", path="string?"),
    ),
    "You plan migrations.",
    "gpt-4.1",
)

PIPELINES = Agent(
    "ci_explainer",
    (
        tool("get_workflow_run", "A run of a workflow", owner="string", repo="string", run_id="integer"),
        tool(
            "get_job_logs",
            "Logs of failed jobs",
            owner="string",
            repo="string",
            run_id="integer",
            failed_only="boolean",
        ),
    ),
    "You explain why pipelines fail.",
)

STORIES = (
    Story(
        "tenth_devtools_tests_red_then_green",
        "genai",
        CODER,
        (
            user("tests/test_slug.py is red, please fix it."),
            asks(
                call(
                    "bash",
                    {"command": "pytest -q tests/test_slug.py"},
                    "F.                                                                       [100%]\n=================================== FAILURES ===================================\n_________________________________ test_umlauts _________________________________\n\n    def test_umlauts():\n>       assert slug('Größe') == 'groesse'\nE       AssertionError: assert 'grosse' == 'groesse'\n\ntests/test_slug.py:5: AssertionError\n=========================== short test summary info ============================\nFAILED tests/test_slug.py::test_umlauts - AssertionError: assert 'grosse' == ...\n1 failed, 1 passed in 0.04s\n[exit code: 1]",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "sed -n 1,20p src/slugs.py"},
                    "sed: can't read src/slugs.py: No such file or directory\n[exit code: 2]",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "sed -n 1,20p src/slug.py"},
                    "MAP = {'ß': 'ss'}\n\n\ndef slug(text):\n    return ''.join(MAP.get(c, c) for c in normalize(text.lower()))\n[exit code: 0]",
                )
            ),
            asks(
                call(
                    "str_replace",
                    {
                        "path": "src/slug.py",
                        "old_str": "{'ß': 'ss'}",
                        "new_str": "{'ß': 'ss', 'ö': 'oe', 'ä': 'ae', 'ü': 'ue'}",
                    },
                    "The file src/slug.py has been edited successfully.",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "pytest -q tests/test_slug.py"},
                    "..                                                                       [100%]\n2 passed in 0.03s\n[exit code: 0]",
                )
            ),
            answers("Fixed: umlauts are now transcribed before they are stripped, and both tests pass."),
        ),
        failing=(),
        why="commands failed on the way; the last one passed",
    ),
    Story(
        "tenth_devtools_cargo_does_not_compile",
        "genai_events",
        RUSTACEAN,
        (
            user("Make `retries` optional in crates/client."),
            asks(
                call(
                    "bash",
                    {"command": "grep -rn 'retries' crates/client/src"},
                    "crates/client/src/config.rs:14:    pub retries: u32,\ncrates/client/src/lib.rs:88:        for _ in 0..cfg.retries {",
                )
            ),
            asks(
                call(
                    "str_replace",
                    {
                        "path": "crates/client/src/config.rs",
                        "old_str": "pub retries: u32,",
                        "new_str": "pub retries: Option<u32>,",
                    },
                    "The file crates/client/src/config.rs has been edited successfully.",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "cargo build -p client", "timeout": 300},
                    "   Compiling client v0.4.2 (/repo/crates/client)\nerror[E0308]: mismatched types\n  --> crates/client/src/lib.rs:88:21\n   |\n88 |         for _ in 0..cfg.retries {\n   |                     ^^^^^^^^^^^ expected integer, found `Option<u32>`\n   |\n   = note: expected type `{integer}`\n              found enum `Option<u32>`\n\nFor more information about this error, try `rustc --explain E0308`.\nerror: could not compile `client` (lib) due to 1 previous error\n[exit code: 101]",
                )
            ),
            answers("Done: `retries` is now an `Option<u32>` in the configuration of the client."),
        ),
        failing=("tool_error",),
        why="the build is the last action, it failed, and the answer says that all is done",
    ),
    Story(
        "tenth_devtools_eslint_finds_fourteen",
        "vercel_ai",
        REVIEWER,
        (
            user("Review PR 318 of acme/shop for lint problems."),
            asks(
                call(
                    "get_pull_request_files",
                    {"owner": "acme", "repo": "shop", "pull_number": 318},
                    [
                        {
                            "filename": "src/cart.ts",
                            "status": "modified",
                            "additions": 88,
                            "deletions": 12,
                            "patch": "@@ -1 +1 @@",
                        }
                    ],
                )
            ),
            asks(
                call(
                    "run_eslint",
                    {"files": ["src/cart.ts"]},
                    "\n/repo/src/cart.ts\n   12:7   error    'total' is assigned a value but never used  @typescript-eslint/no-unused-vars\n   31:22  error    Unexpected any. Specify a different type     @typescript-eslint/no-explicit-any\n   90:1   warning  Unexpected console statement                no-console\n\n✖ 14 problems (11 errors, 3 warnings)\n  4 errors and 0 warnings potentially fixable with the `--fix` option.\n",
                )
            ),
            answers("ESLint reports 14 problems in src/cart.ts, 11 of them errors; four can be fixed with --fix."),
        ),
        failing=(),
        why="the findings of a linter, as asked for",
    ),
    Story(
        "tenth_devtools_reads_in_circles",
        "openllmetry",
        INFRA,
        (
            user("Which subnet does the staging database live in?"),
            *repeat_calls(
                4,
                call("list_directory", {"path": "infra/staging"}, "[FILE] main.tf\n[FILE] db.tf\n[DIR] modules"),
                call(
                    "read_file",
                    {"path": "infra/staging/main.tf"},
                    'module "network" {\n  source = "./modules/network"\n  cidr   = "10.40.0.0/16"\n}\n',
                ),
                call(
                    "read_file",
                    {"path": "infra/staging/db.tf"},
                    'module "db" {\n  source    = "./modules/db"\n  subnet_id = module.network.private_subnets[1]\n}\n',
                ),
            ),
            answers("In the second private subnet of the network module, inside 10.40.0.0/16."),
        ),
        failing=("tool_efficiency",),
        why="the same directory and the same two files were read four times over",
    ),
    Story(
        "tenth_devtools_sentry_issue_explained",
        "openinference",
        SENTRY,
        (
            user("What's SHOP-WEB-4K1?"),
            asks(
                call(
                    "get_issue_details",
                    {"organizationSlug": "acme", "issueId": "SHOP-WEB-4K1"},
                    [
                        {
                            "type": "text",
                            "text": "# Issue SHOP-WEB-4K1 in **acme**\n\n**Description**: TypeError: Cannot read properties of undefined (reading 'price')\n**Culprit**: CartLine(src/cart/line.tsx)\n**First Seen**: 2026-06-09T12:14:02.000Z\n**Last Seen**: 2026-06-11T08:01:55.000Z\n**Occurrences**: 1893\n**Users Impacted**: 402\n**Status**: unresolved\n**Platform**: javascript\n\n## Event Details\n\n### Error\n\n```\nTypeError: Cannot read properties of undefined (reading 'price')\n```\n\n**Stacktrace:**\n```\nat CartLine (src/cart/line.tsx:41:27)\nat renderWithHooks (react-dom.js:1021:18)\n```\n\n# Using this information\n\n- You can reference the IssueID in commit messages (e.g. `Fixes SHOP-WEB-4K1`)",
                        }
                    ],
                )
            ),
            asks(
                call(
                    "find_releases",
                    {"organizationSlug": "acme", "query": "shop-web"},
                    [
                        {
                            "type": "text",
                            "text": "# Releases in **acme**\n\n## shop-web@5.18.0\n\n**Created**: 2026-06-09T11:58:40.000Z\n**New Issues**: 3\n",
                        }
                    ],
                )
            ),
            answers(
                "It's a TypeError in CartLine (line.tsx:41): the price of an undefined item is read. It began minutes after shop-web@5.18.0 and has hit 402 users."
            ),
        ),
        failing=(),
        why="the error is the content of the issue that was asked for",
    ),
    Story(
        "tenth_devtools_apply_patch_not_there",
        "pydantic_ai",
        PATCHER,
        (
            user("In util.py, `is_leap(1900)` should be False."),
            asks(call("read_file", {"path": "util.py"}, "def is_leap(y):\n    return y % 4 == 0\n")),
            asks(
                refused(
                    "apply_patch",
                    {
                        "input": "*** Begin Patch\n*** Update File: util.py\n@@\n-    return y % 4 == 0\n+    return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)\n*** End Patch"
                    },
                    "Unknown tool name: 'apply_patch'. Available tools: 'read_file', 'write_file', 'run_tests'\n\nFix the errors and try again.",
                )
            ),
            asks(
                call(
                    "write_file",
                    {
                        "path": "util.py",
                        "content": "def is_leap(y):\n    return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)\n",
                    },
                    "Wrote 77 bytes to util.py",
                )
            ),
            asks(call("run_tests", {"path": None}, {"passed": 9, "failed": 0, "errors": 0, "duration": 0.21})),
            answers("`is_leap` now follows the rule of centuries; the nine tests pass."),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="apply_patch was not offered and is unknown; the edit was then made with another tool",
    ),
    Story(
        "tenth_devtools_unhealthy_container_found",
        "openllmetry",
        DOCKER,
        (
            user("Coś nie działa na teście. Które kontenery padły?"),
            asks(
                call(
                    "list_containers",
                    {"all": True},
                    'CONTAINER ID   IMAGE            COMMAND                  CREATED       STATUS                      NAMES\n7f1c02aa91d3   shop/api:5.18    "gunicorn app:api"       2 hours ago   Exited (137) 12 minutes ago  api\nb8820e1c44f0   redis:7          "docker-entrypoint.s…"   3 days ago    Up 3 days                   redis\n19cce0d2a1b7   shop/worker      "celery -A app worker"   2 hours ago   Up 2 hours (unhealthy)      worker',
                ),
                call(
                    "probe_http",
                    {"url": "http://test.internal:8080/healthz"},
                    {
                        "reachable": False,
                        "status_code": None,
                        "error": "ConnectError: [Errno 111] Connection refused",
                        "ms": 3,
                    },
                ),
            ),
            asks(
                call(
                    "fetch_container_logs",
                    {"container_id": "7f1c02aa91d3", "tail": 4},
                    "[2026-06-11 08:41:10 +0000] [1] [INFO] Handling signal: term\n[2026-06-11 08:41:11 +0000] [9] [ERROR] Worker (pid:9) was sent SIGKILL! Perhaps out of memory?\nMemoryError\n",
                )
            ),
            answers(
                "Padł kontener api (kod 137, zabrakło pamięci), dlatego healthz nie odpowiada; worker działa, ale jest unhealthy."
            ),
        ),
        failing=(),
        why="a list, a probe and logs that found what is down: each of them did its work",
    ),
    Story(
        "tenth_devtools_too_many_turns",
        "openinference",
        MIGRATOR,
        (
            user("Plan the migration from moment to date-fns."),
            asks(call("grep", {"pattern": "from 'moment'"}, "src/a.ts:1\nsrc/b.ts:3\nsrc/c.ts:1")),
            asks(
                call(
                    "read_file",
                    {"path": "src/a.ts"},
                    "import moment from 'moment'\nexport const d = moment().format('L')",
                )
            ),
            asks(call("read_file", {"path": "src/b.ts"}, "import { z } from 'zod'\n\nimport moment from 'moment'")),
            asks(call("read_file", {"path": "src/c.ts"}, "import moment from 'moment'\nmoment.locale('de')")),
            asks(call("grep", {"pattern": "moment-timezone", "path": "package.json"}, "package.json:31")),
            crashes("agents.exceptions.MaxTurnsExceeded", "Max turns (5) exceeded"),
        ),
        failing=("run_completion",),
        why="the run ended with MaxTurnsExceeded and gave no plan",
    ),
    Story(
        "tenth_devtools_npm_warns_and_builds",
        "pydantic_ai",
        CODER,
        (
            user("Install and build the frontend."),
            model_fails(
                "pydantic_ai.exceptions.ModelHTTPError",
                "status_code: 529, model_name: claude-sonnet-4-5, body: {'type': 'error', 'error': {'type': 'overloaded_error', 'message': 'Overloaded'}}",
            ),
            pause(4),
            asks(
                call(
                    "bash",
                    {"command": "cd frontend && npm ci", "timeout": "180"},
                    "npm warn deprecated inflight@1.0.6: This module is not supported, and leaks memory.\nnpm warn deprecated glob@7.2.3: Glob versions prior to v9 are no longer supported\n\nadded 1204 packages, and audited 1205 packages in 41s\n\n4 vulnerabilities (1 moderate, 3 high)\n\nTo address all issues, run:\n  npm audit fix",
                )
            ),
            asks(
                call(
                    "bash",
                    {"command": "cd frontend && npm run build"},
                    "> shop-web@5.18.1 build\n> vite build\n\nvite v6.3.5 building for production...\n✓ 812 modules transformed.\ndist/assets/ErrorBoundary-C1x9.js    3.10 kB │ gzip: 1.42 kB\ndist/assets/index-9f0c.js          412.88 kB │ gzip: 131.02 kB\n✓ built in 6.71s",
                )
            ),
            answers("Installed and built. npm reports four vulnerabilities in dependencies, three of them high."),
        ),
        failing=(),
        why='an overloaded model was retried; warnings are no failure; the timeout "180" converts without loss',
    ),
    Story(
        "tenth_devtools_red_pipeline_explained",
        "genai_events",
        PIPELINES,
        (
            user("Perché la pipeline 17204418 di acme/shop è rossa?"),
            asks(
                call(
                    "get_workflow_run",
                    {"owner": "acme", "repo": "shop", "run_id": 17204418},
                    {
                        "id": 17204418,
                        "name": "CI",
                        "head_branch": "main",
                        "status": "completed",
                        "conclusion": "failure",
                        "run_attempt": 1,
                        "html_url": "https://github.com/acme/shop/actions/runs/17204418",
                    },
                )
            ),
            asks(
                call(
                    "get_job_logs",
                    {"owner": "acme", "repo": "shop", "run_id": 17204418, "failed_only": True},
                    {
                        "message": "Retrieved logs for 1 failed jobs",
                        "run_id": 17204418,
                        "total_jobs": 6,
                        "failed_jobs": 1,
                        "logs": [
                            {
                                "job_id": 48811,
                                "job_name": "e2e",
                                "logs_content": "Error: Timed out 30000ms waiting for expect(locator).toBeVisible()\n##[error]Process completed with exit code 1.",
                            }
                        ],
                        "return_format": {"content": True, "urls": False},
                    },
                )
            ),
            answers(
                "È rossa per il job e2e: un elemento non è diventato visibile entro 30 secondi. Gli altri cinque job sono passati."
            ),
        ),
        failing=(),
        why="the failure is that of the pipeline asked about; both look-ups worked",
    ),
)
