"""Agents that query data: SQL, dashboards, validators of files."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, pause, tool, user

__all__ = ["STORIES"]

QUERY = tool("run_sql", "Run a read-only query", sql="string", limit="integer?")
TABLES = tool("list_tables", "List the tables")
JOB = tool("get_job", "The state of an export job", job_id="string")
EXPORT = tool("start_export", "Start an export", table="string", format=["csv", "parquet"])
VALIDATE = tool("validate_schema", "Check rows against a JSON Schema", dataset="string")
GRAPH = tool("graphql", "Ask the product API", query="string")
CHART = tool("draw_chart", "Draw a chart", kind=["bar", "line"], series={"type": "array", "items": {"type": "number"}})
AGENT = Agent("data_analyst", (QUERY, TABLES, JOB, EXPORT, VALIDATE, GRAPH, CHART), "You answer questions with SQL.")

SALES = {
    "columns": ["region", "revenue"],
    "rows": [["EMEA", 1204511.2], ["APAC", 880213.9]],
    "row_count": 2,
    "error": None,
}
RUNNING = {"job_id": "exp-2291", "state": "running", "progress": 0.4}

STORIES = (
    Story(
        "data_query_repaired",
        "pydantic_ai",
        AGENT,
        (
            user("Revenue by region this year?"),
            asks(
                call(
                    "run_sql",
                    {"sql": "select region, sum(revenu) from sales group by 1"},
                    'BinderException: Referenced column "revenu" not found. Candidate bindings: "revenue"',
                )
            ),
            asks(call("run_sql", {"sql": "select region, sum(revenue) from sales group by 1"}, SALES)),
            answers("EMEA made 1.20 m, APAC 0.88 m."),
        ),
        failing=(),
        why="the query that failed was repaired and ran",
    ),
    Story(
        "data_query_never_repaired",
        "openinference",
        AGENT,
        (
            user("Revenue by region this year?"),
            asks(
                call(
                    "run_sql",
                    {"sql": "select region, sum(rev) from sales group by 1"},
                    {"success": False, "error": 'column "rev" does not exist', "rows": []},
                )
            ),
            answers("I wasn't able to get the revenue from the database."),
        ),
        failing=("tool_error",),
        why="success is false with an error, and no query succeeded afterwards",
    ),
    Story(
        "data_export_polled_to_the_end",
        "genai",
        AGENT,
        (
            user("Export the sales table as parquet."),
            asks(
                call("start_export", {"table": "sales", "format": "parquet"}, {"job_id": "exp-2291", "state": "queued"})
            ),
            asks(call("get_job", {"job_id": "exp-2291"}, RUNNING)),
            pause(10),
            asks(call("get_job", {"job_id": "exp-2291"}, RUNNING)),
            pause(10),
            asks(call("get_job", {"job_id": "exp-2291"}, RUNNING)),
            pause(10),
            asks(call("get_job", {"job_id": "exp-2291"}, {**RUNNING, "state": "done", "url": "s3://exports/exp-2291"})),
            answers("Your export is ready: s3://exports/exp-2291"),
        ),
        failing=(),
        why="polling a job until it is done is how one waits",
    ),
    Story(
        "data_validator_finds_faults",
        "vercel_ai",
        AGENT,
        (
            user("Is the upload of June valid?"),
            asks(
                call(
                    "validate_schema",
                    {"dataset": "uploads/2026-06"},
                    {
                        "valid": False,
                        "checked": 1840,
                        "errors": [
                            {"row": 17, "path": "$.vat_id", "message": "does not match pattern ^DE[0-9]{9}$"},
                            {"row": 902, "path": "$.amount", "message": "is not of type number"},
                        ],
                    },
                )
            ),
            answers("No: row 17 has a malformed VAT id, and row 902 an amount that is not a number."),
        ),
        failing=(),
        why="finding faults in data is the validator's work",
    ),
    Story(
        "data_graphql_errors_without_data",
        "genai",
        AGENT,
        (
            user("How many active products are there?"),
            asks(
                call(
                    "graphql",
                    {"query": "{ products(filter: {active: true}) { total } }"},
                    {
                        "data": None,
                        "errors": [
                            {
                                "message": "Cannot query field 'total' on type 'ProductConnection'",
                                "extensions": {"code": "GRAPHQL_VALIDATION_FAILED"},
                            }
                        ],
                    },
                )
            ),
            answers("The product API did not accept my query, so I can't tell."),
        ),
        failing=("tool_error",),
        why="GraphQL errors beside empty data, not made good",
    ),
    Story(
        "data_graphql_without_errors",
        "genai",
        AGENT,
        (
            user("How many active products are there?"),
            asks(
                call("graphql", {"query": "{ products { count } }"}, {"data": {"products": {"count": 0}}, "errors": []})
            ),
            answers("None are active."),
        ),
        failing=(),
        why="data came back and the list of errors is empty",
    ),
    Story(
        "data_rows_that_hold_errors",
        "openllmetry",
        AGENT,
        (
            user("Which errors did the importer log most this week?"),
            asks(
                call(
                    "run_sql",
                    {"sql": "select message, count(*) from import_log where level = 'ERROR' group by 1"},
                    {
                        "columns": ["message", "n"],
                        "rows": [["Error: duplicate key value", 211], ["TimeoutError: upstream timed out", 37]],
                        "error": False,
                    },
                )
            ),
            answers("Duplicate keys (211 times), then upstream timeouts (37 times)."),
        ),
        failing=(),
        why="the rows are messages of errors, which the query asked for; error is false",
    ),
    Story(
        "data_arguments_encoded_twice",
        "openinference",
        AGENT,
        (
            user("List the tables, then count the customers."),
            asks(call("list_tables", {}, ["customers", "sales"])),
            asks(
                call(
                    "run_sql",
                    '{"sql": "select count(*) from customers", "limit": 1}',
                    {"columns": ["count"], "rows": [[48213]]},
                    span_args='"{\\"sql\\": \\"select count(*) from customers\\", \\"limit\\": 1}"',
                )
            ),
            answers("There are 48,213 customers."),
        ),
        failing=(),
        why="the arguments are right, the instrumentation encoded them twice",
    ),
    Story(
        "data_chart_with_texts",
        "pydantic_ai",
        AGENT,
        (
            user("Draw the revenue of the last three months."),
            asks(
                call(
                    "draw_chart",
                    {"kind": "line", "series": ["about a million", "n/a", "less"]},
                    {"url": "/charts/91.png"},
                )
            ),
            answers("Here is the chart: /charts/91.png"),
        ),
        failing=("tool_call_validity",),
        why="the series must be numbers, and these texts are none",
    ),
    Story(
        "data_list_of_errors",
        "genai_events",
        AGENT,
        (
            user("Export customers to CSV."),
            asks(
                call(
                    "start_export",
                    {"table": "customers", "format": "csv"},
                    [{"error": "quota_exceeded", "message": "export quota of this workspace is used up"}],
                )
            ),
            answers("Your workspace has used up its exports for this month."),
        ),
        failing=("tool_error",),
        why="the result is a list that holds nothing but an error",
    ),
    Story(
        "data_connection_lost_retried",
        "vercel_ai",
        AGENT,
        (
            user("Count the sales."),
            asks(
                call(
                    "run_sql",
                    {"sql": "select count(*) from sales"},
                    fault=Fault("OperationalError", "server closed the connection"),
                )
            ),
            asks(call("run_sql", {"sql": "select count(*) from sales"}, {"rows": [[91220]], "error": 0})),
            answers("91,220"),
        ),
        failing=(),
        why="the same query succeeded on the second try",
    ),
)
