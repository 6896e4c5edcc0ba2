"""Code hosts and databases: failures in their envelopes, and their look-alikes."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, tool, user

CODE_HOST = Agent(
    "release-helper",
    (
        tool("create_pull_request", "Open a pull request", head="string", base="string", title="string"),
        tool("graphql", "Run a GraphQL operation", query="string"),
        tool("get_check_runs", "Check runs of a commit", sha="string"),
        tool("query_warehouse", "Run SQL in Snowflake", sql="string"),
        tool("run_sql", "Run SQL in Postgres", sql="string"),
    ),
    "You help with releases and data.",
)


def text_content(*texts: str) -> list[dict[str, str]]:
    """The content list of an MCP result."""
    return [{"type": "text", "text": text} for text in texts]


STORIES = (
    Story(
        "second_github_pull_request_exists",
        "genai",
        CODE_HOST,
        (
            user("Open a pull request from fix-1."),
            asks(
                call(
                    "create_pull_request",
                    {"head": "fix-1", "base": "main", "title": "Fix 1"},
                    {
                        "message": "Validation Failed",
                        "errors": [{"resource": "PullRequest", "field": "head", "code": "invalid"}],
                        "documentation_url": "https://docs.github.com/rest/pulls/pulls#create-a-pull-request",
                        "status": "422",
                    },
                )
            ),
            answers("The branch is not known to the remote, so no pull request was opened."),
        ),
        ("tool_error",),
        "the pull request was refused",
    ),
    Story(
        "second_graphql_mutation_forbidden",
        "vercel_ai",
        CODE_HOST,
        (
            user("Close discussion 12."),
            asks(
                call(
                    "graphql",
                    {"query": 'mutation { closeDiscussion(input: {discussionId: "D_12"}) { discussion { id } } }'},
                    {
                        "data": {"closeDiscussion": None},
                        "errors": [
                            {
                                "type": "FORBIDDEN",
                                "path": ["closeDiscussion"],
                                "message": "Resource not accessible by integration",
                            }
                        ],
                    },
                )
            ),
            answers("I closed the discussion."),
        ),
        ("tool_error",),
        "the mutation was forbidden",
    ),
    Story(
        "second_check_runs_failure",
        "openinference",
        CODE_HOST,
        (
            user("Is commit 4be2 green?"),
            asks(
                call(
                    "get_check_runs",
                    {"sha": "4be2"},
                    {
                        "total_count": 2,
                        "check_runs": [
                            {"name": "lint", "status": "completed", "conclusion": "success"},
                            {
                                "name": "test",
                                "status": "completed",
                                "conclusion": "failure",
                                "output": {"title": "3 errors", "summary": "Error: 3 tests failed"},
                            },
                        ],
                    },
                )
            ),
            answers("No: `test` failed, three tests."),
        ),
        (),
        "the checks failed, reading them worked",
    ),
    Story(
        "second_snowflake_compilation_error",
        "pydantic_ai",
        CODE_HOST,
        (
            user("Revenue of last month?"),
            asks(
                call(
                    "query_warehouse",
                    {"sql": "SELECT SUM(amount) FROM SALES.ORDER"},
                    {
                        "data": None,
                        "code": "002003",
                        "message": "SQL compilation error:\nObject 'SALES.ORDER' does not exist or not authorized.",
                        "success": False,
                    },
                )
            ),
            answers("I could not read the orders."),
        ),
        ("tool_error",),
        "the only query was refused",
    ),
    Story(
        "second_psycopg_corrected",
        "genai",
        CODE_HOST,
        (
            user("How many users have no mail address?"),
            asks(
                call(
                    "run_sql",
                    {"sql": "SELECT count(*) FROM users WHERE emial IS NULL"},
                    'psycopg.errors.UndefinedColumn: column "emial" does not exist\nLINE 1: SELECT count(*) FROM ...'
                    '\nHINT:  Perhaps you meant to reference the column "users.email".',
                )
            ),
            asks(call("run_sql", {"sql": "SELECT count(*) FROM users WHERE email IS NULL"}, [{"count": 12}])),
            answers("Twelve."),
        ),
        (),
        "the corrected query worked",
    ),
    Story(
        "second_sql_over_errors_table",
        "genai_events",
        CODE_HOST,
        (
            user("Which errors did our jobs have most often?"),
            asks(
                call(
                    "run_sql",
                    {"sql": "SELECT error, status, count(*) AS errors FROM job_errors GROUP BY 1, 2 ORDER BY 3 DESC"},
                    [
                        {"error": "ConnectionResetError: peer closed", "status": "failed", "errors": 41},
                        {"error": "HTTP 503 Service Unavailable", "status": "failed", "errors": 7},
                    ],
                )
            ),
            answers("Mostly reset connections (41), then 503 (7)."),
        ),
        (),
        "rows of a table about errors",
    ),
    Story(
        "second_mcp_is_error",
        "openinference",
        CODE_HOST,
        (
            user("Revenue of last month?"),
            asks(
                call(
                    "query_warehouse",
                    {"sql": "SELECT 1"},
                    {"content": text_content("Warehouse COMPUTE_WH is suspended"), "isError": True},
                )
            ),
            answers("The warehouse is suspended."),
        ),
        ("tool_error",),
        "the MCP server marked its answer as an error",
    ),
    Story(
        "second_mcp_list_with_failure_inside",
        "openllmetry",
        CODE_HOST,
        (
            user("Revenue of last month?"),
            asks(
                call(
                    "query_warehouse",
                    {"sql": "SELECT 1"},
                    text_content('{"success": false, "error": "Monthly credit quota exceeded"}'),
                )
            ),
            answers("About 1.2 million."),
        ),
        ("tool_error",),
        "the content list holds an envelope of a failure, and the answer is made up",
    ),
    Story(
        "second_mcp_nothing_found",
        "vercel_ai",
        CODE_HOST,
        (
            user("Any orders from Malta?"),
            asks(
                call(
                    "query_warehouse",
                    {"sql": "SELECT * FROM orders WHERE country = 'MT'"},
                    {"content": text_content("Query returned 0 rows."), "isError": False},
                )
            ),
            answers("No, none."),
        ),
        (),
        "nothing found is an answer",
    ),
)
