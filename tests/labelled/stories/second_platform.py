"""Clouds, clusters and databases: failures in the envelopes of well-known services, and their look-alikes."""

from __future__ import annotations

import json

from ..story import Agent, Fault, Story, answers, asks, call, tool, user

CLOUD = Agent(
    "cloud-assistant",
    (
        tool("invoke_lambda", "Invoke a function", name="string"),
        tool("send_messages", "Send a batch to a queue", queue="string", bodies="string[]"),
        tool("kubernetes_delete", "Delete an object", kind="string", name="string", namespace="string"),
        tool("kubernetes_get", "Read objects", kind="string", namespace="string"),
        tool("get_object", "Read an object from a bucket", bucket="string", key="string"),
        tool("bulk_index", "Index documents", index="string", docs={"type": "array", "items": {"type": "object"}}),
        tool("search_index", "Search an index", index="string", query="string"),
    ),
    "You operate the platform.",
)
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
        "second_lambda_function_error",
        "openllmetry",
        CLOUD,
        (
            user("Run the nightly invoice function."),
            asks(
                call(
                    "invoke_lambda",
                    {"name": "invoices"},
                    {
                        "StatusCode": 200,
                        "FunctionError": "Unhandled",
                        "Payload": json.dumps({"errorMessage": "'customer_id'", "errorType": "KeyError"}),
                    },
                )
            ),
            answers("The invoices were made."),
        ),
        ("tool_error",),
        "the function raised; 200 is only the status of the invocation",
    ),
    Story(
        "second_sqs_batch_failed_empty",
        "genai",
        CLOUD,
        (
            user("Queue the two reminders."),
            asks(
                call(
                    "send_messages",
                    {"queue": "reminders", "bodies": ["a", "b"]},
                    {
                        "Successful": [{"Id": "1"}, {"Id": "2"}],
                        "Failed": [],
                        "ResponseMetadata": {"HTTPStatusCode": 200, "RetryAttempts": 0},
                    },
                )
            ),
            answers("Both are queued."),
        ),
        (),
        "nothing failed: the list is empty",
    ),
    Story(
        "second_kubernetes_forbidden",
        "openinference",
        CLOUD,
        (
            user("Delete the deployment web in shop."),
            asks(
                call(
                    "kubernetes_delete",
                    {"kind": "deployment", "name": "web", "namespace": "shop"},
                    {
                        "kind": "Status",
                        "apiVersion": "v1",
                        "metadata": {},
                        "status": "Failure",
                        "message": 'deployments.apps "web" is forbidden: User "bot" cannot delete resource',
                        "reason": "Forbidden",
                        "code": 403,
                    },
                )
            ),
            answers("I am not allowed to delete it."),
        ),
        ("tool_error",),
        "the deletion was forbidden",
    ),
    Story(
        "second_kubernetes_failed_pods",
        "pydantic_ai",
        CLOUD,
        (
            user("What is wrong in the namespace shop?"),
            asks(
                call(
                    "kubernetes_get",
                    {"kind": "pod", "namespace": "shop"},
                    {
                        "kind": "PodList",
                        "items": [
                            {
                                "metadata": {"name": "web-1"},
                                "status": {"phase": "Failed", "reason": "Evicted", "message": "low on memory"},
                            },
                            {
                                "metadata": {"name": "web-2"},
                                "status": {
                                    "phase": "Running",
                                    "containerStatuses": [
                                        {"state": {"waiting": {"reason": "CrashLoopBackOff", "message": "Error"}}}
                                    ],
                                },
                            },
                        ],
                    },
                )
            ),
            answers("web-1 was evicted for lack of memory, web-2 crashes at start."),
        ),
        (),
        "the pods have failed, the reading of them has not",
    ),
    Story(
        "second_s3_access_denied_xml",
        "vercel_ai",
        CLOUD,
        (
            user("Show me the latest backup manifest."),
            asks(
                call(
                    "get_object",
                    {"bucket": "backups", "key": "latest.json"},
                    '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code>'
                    "<Message>Access Denied</Message><RequestId>4442587FB7D0A2F9</RequestId></Error>",
                )
            ),
            answers("I have no access to the backups."),
        ),
        ("tool_error",),
        "the object could not be read: the result is the error document of the service",
    ),
    Story(
        "second_bulk_index_partial",
        "genai_events",
        CLOUD,
        (
            user("Index the two products."),
            asks(
                call(
                    "bulk_index",
                    {"index": "products", "docs": [{"id": 1, "price": 5}, {"id": 2, "price": "cheap"}]},
                    {
                        "took": 7,
                        "errors": True,
                        "items": [
                            {"index": {"_id": "1", "status": 201}},
                            {
                                "index": {
                                    "_id": "2",
                                    "status": 400,
                                    "error": {"type": "mapper_parsing_exception", "reason": "failed to parse [price]"},
                                }
                            },
                        ],
                    },
                )
            ),
            answers("Both products are searchable now."),
        ),
        ("tool_error",),
        "one of two documents was refused",
    ),
    Story(
        "second_search_of_error_logs",
        "openllmetry",
        CLOUD,
        (
            user("What went wrong in checkout last night?"),
            asks(
                call(
                    "search_index",
                    {"index": "logs-checkout", "query": "level:error"},
                    {
                        "took": 5,
                        "timed_out": False,
                        "_shards": {"total": 5, "successful": 5, "failed": 0},
                        "hits": {
                            "total": 2,
                            "hits": [
                                {"_source": {"level": "ERROR", "error": "PSP timeout", "status": 504}},
                                {"_source": {"level": "ERROR", "error": "PSP timeout", "status": 504}},
                            ],
                        },
                    },
                )
            ),
            answers("Two time-outs of the payment provider."),
        ),
        (),
        "a log search that found errors worked",
    ),
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
    Story(
        "second_parallel_deletes_one_failed",
        "pydantic_ai",
        CLOUD,
        (
            user("Delete the jobs a, b and c in batch."),
            asks(
                call(
                    "kubernetes_delete",
                    {"kind": "job", "name": "a", "namespace": "batch"},
                    fault=Fault("ApiException", "(500) Internal Server Error: etcdserver: request timed out"),
                ),
                *(
                    call("kubernetes_delete", {"kind": "job", "name": name, "namespace": "batch"}, 'job "x" deleted')
                    for name in "bc"
                ),
            ),
            answers("b and c are gone; a could not be deleted."),
        ),
        ("tool_error",),
        "one of three deletions side by side failed, and nobody tried it again",
    ),
)
