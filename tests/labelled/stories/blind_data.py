"""Questions to databases and data that is imported; labelled from the spans alone."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, tool, user

__all__ = ["STORIES"]

SQL_SYSTEM = "You answer questions with SQL on a PostgreSQL warehouse."
SCHEMA = tool("list_tables", "List tables and their columns.")
QUERY = tool("run_query", "Run a read-only query.", sql="string")

STORIES = (
    Story(
        "data_query_corrected",
        "openllmetry",
        Agent("analyst", (SCHEMA, QUERY), SQL_SYSTEM),
        (
            user("Which three countries had the most failed payments in March?"),
            asks(
                call(
                    "list_tables",
                    {},
                    {
                        "payments": ["id", "country_code", "status", "error_message", "created_at"],
                        "refunds": ["id", "payment_id"],
                    },
                )
            ),
            asks(
                call(
                    "run_query",
                    {
                        "sql": (
                            "SELECT country, count(*) FROM payments WHERE status = 'failed' AND created_at >= "
                            "'2024-03-01' AND created_at < '2024-04-01' GROUP BY 1 ORDER BY 2 DESC LIMIT 3"
                        )
                    },
                    'Error: column "country" does not exist\nLINE 1: SELECT country, count(*)',
                )
            ),
            asks(
                call(
                    "run_query",
                    {
                        "sql": (
                            "SELECT country_code, count(*) FROM payments WHERE status = 'failed' AND "
                            "created_at >= '2024-03-01' AND created_at < '2024-04-01' GROUP BY 1 ORDER BY 2 "
                            "DESC LIMIT 3"
                        )
                    },
                    {"columns": ["country_code", "count"], "rows": [["BR", 1840], ["IN", 1322], ["US", 1207]]},
                )
            ),
            answers("Brazil (1,840), India (1,322) and the United States (1,207)."),
        ),
        failing=(),
        why="The first query named a column that does not exist; the corrected query succeeded.",
    ),
    Story(
        "data_rows_that_talk_about_errors",
        "vercel_ai",
        Agent("analyst", (SCHEMA, QUERY), SQL_SYSTEM),
        (
            user("Show the last three failed jobs."),
            asks(
                call(
                    "run_query",
                    {
                        "sql": (
                            "SELECT id, status, error FROM jobs WHERE status = 'failed' ORDER BY ended_at DESC LIMIT 3"
                        )
                    },
                    {
                        "columns": ["id", "status", "error"],
                        "rows": [
                            [8812, "failed", "OutOfMemoryError: heap"],
                            [8809, "failed", "Error: disk full"],
                            [8790, "failed", "Timeout after 600 s"],
                        ],
                    },
                )
            ),
            answers("8812 (out of memory), 8809 (disk full) and 8790 (timeout after 600 s)."),
        ),
        failing=(),
        why="The rows have columns such as error and failed, which are the data that was asked for.",
    ),
    Story(
        "data_graphql_errors",
        "openllmetry",
        Agent(
            "catalog_agent",
            (tool("graphql", "Query the catalog.", query="string", variables="object?"),),
            "You answer questions on our product catalog.",
        ),
        (
            user("How many variants has the product Aurora lamp?"),
            asks(
                call(
                    "graphql",
                    {
                        "query": "query($n: String!) { product(name: $n) { variants { count } } }",
                        "variables": {"n": "Aurora lamp"},
                    },
                    {
                        "data": None,
                        "errors": [
                            {
                                "message": 'Cannot query field "count" on type "VariantConnection".',
                                "locations": [{"line": 1, "column": 51}],
                            }
                        ],
                    },
                )
            ),
            answers("I could not find out how many variants the Aurora lamp has."),
        ),
        failing=("tool_error",),
        why="The GraphQL answer has errors and no data, and no later query succeeded.",
    ),
    Story(
        "data_import_traceback",
        "vercel_ai",
        Agent(
            "analyst",
            (
                tool("load_dataset", "Load a file into the workspace.", path="string", sheet="string?"),
                tool("describe", "Describe a loaded dataset.", name="string"),
            ),
            "You analyse spreadsheets.",
        ),
        (
            user("What is the mean age in survey.xlsx?"),
            asks(
                call(
                    "load_dataset",
                    {"path": "survey.xlsx", "sheet": "2023"},
                    (
                        'Traceback (most recent call last):\n  File "/app/tools/load.py", line 22, in '
                        "load_dataset\n    frame = pd.read_excel(path, sheet_name=sheet)\n"
                        "ValueError: Worksheet named '2023' not found"
                    ),
                )
            ),
            answers("The sheet 2023 does not exist in survey.xlsx. Which sheet do you mean?"),
        ),
        failing=("tool_error",),
        why="The whole result of load_dataset is a traceback, and the data was never loaded.",
    ),
    Story(
        "data_partial_import_with_errors",
        "pydantic_ai",
        Agent(
            "importer",
            (
                tool(
                    "import_contacts",
                    "Import contacts.",
                    rows={
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {"name": {"type": "string"}, "email": {"type": "string"}},
                            "required": ["name", "email"],
                        },
                    },
                ),
            ),
            "You import contacts.",
        ),
        (
            user("Import Ana (ana@example) and Bo (bo@example)."),
            asks(
                call(
                    "import_contacts",
                    {"rows": [{"name": "Ana", "email": "ana@example"}, {"name": "Bo", "email": "bo@example"}]},
                    {"created": 0, "errors": ["row 1: domain without top level", "row 2: domain without top level"]},
                )
            ),
            answers("Both contacts were imported."),
        ),
        failing=("tool_error",),
        why="The import wrote nothing and lists errors; it was not repeated.",
    ),
    Story(
        "data_same_query_without_progress",
        "genai_events",
        Agent("analyst", (SCHEMA, QUERY), SQL_SYSTEM),
        (
            user("Did revenue grow in Q2?"),
            *(
                asks(
                    call(
                        "run_query",
                        {"sql": "SELECT quarter, sum(amount) FROM sales GROUP BY 1 ORDER BY 1"},
                        {"columns": ["quarter", "sum"], "rows": [["2024-Q1", 91200.5], ["2024-Q2", 90110.0]]},
                    )
                ),
            )
            * 5,
            answers("No, it fell from 91,200.50 to 90,110.00."),
        ),
        failing=("tool_efficiency",),
        why="The same query five times in a row with the same rows.",
    ),
)
