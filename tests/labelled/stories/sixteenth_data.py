"""Warehouses, queries, pipelines and notebooks."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Ask, Fault, Story, answers, asks, call, pause, refused, repeat_calls, tool, user

__all__ = ["STORIES"]

PG = Agent(
    "postgres_analyst",
    (
        tool("list_tables", "Tables of a schema", schema="string?"),
        tool("describe_table", "Columns of a table", table="string"),
        tool("query", "Runs a read-only SQL query", sql="string", limit="integer?"),
    ),
    "You answer questions with SQL on the orders database.",
    "gpt-4.1",
)
BIGQUERY = Agent(
    "bq_agent",
    (
        tool("insert_job", "Starts a query job", query="string", location="string?"),
        tool("get_job", "State of a job", jobId="string"),
        tool("get_query_results", "Rows of a finished job", jobId="string", maxResults="integer?"),
    ),
    "You run long queries on BigQuery.",
    "gemini-2.5-pro",
    "gcp.gemini",
)
SNOW = Agent(
    "snowflake_cortex",
    (tool("run_snowflake_query", "Runs a statement", statement="string", warehouse="string?"),),
    "You answer questions on sales data.",
    "claude-sonnet-4-5",
    "anthropic",
)
DBT = Agent(
    "dbt_copilot",
    (
        tool("dbt_build", "Builds models", select="string"),
        tool("dbt_test", "Runs the tests of models", select="string"),
    ),
    "You take care of a dbt project.",
    "gpt-4.1-mini",
)
NOTEBOOK = Agent(
    "notebook_worker",
    (
        tool("bash", "Runs a command in a shell", command="string", timeout="integer?"),
        tool("read_file", "Reads a file", path="string"),
    ),
    "You prepare data sets in a sandbox.",
    "claude-sonnet-4-5",
    "anthropic",
)
AIRTABLE = Agent(
    "airtable_reader",
    (
        tool(
            "list_records",
            "Records of a table",
            baseId="string",
            tableId="string",
            pageSize="integer?",
            offset="string?",
        ),
    ),
    "You read Airtable bases.",
    "gpt-4o-mini",
)
CHARTS = Agent(
    "chart_maker",
    (
        tool("load_dataset", "Loads a data set", name="string", limit="integer?"),
        tool(
            "render_chart",
            "Draws a chart",
            dataset_id="string",
            kind=["bar", "line", "scatter"],
            x="string",
            y="string",
        ),
    ),
    "You draw charts.",
    "gpt-4o",
)


def records(number: int, offset: str | None, names: tuple[str, ...]) -> Ask:
    args = {"baseId": "appQ2kT81mZxPl0Ad", "tableId": "tblVenues", "pageSize": 3}
    found = [
        {"id": f"rec{number}{at}Hq0w", "createdTime": "2025-11-02T09:11:00.000Z", "fields": {"Name": n}}
        for at, n in enumerate(names)
    ]
    following = {1: {"offset": "itr7kA/rec12"}, 2: {"offset": "itr7kA/rec22"}}.get(number, {})
    return asks(call("list_records", args | ({"offset": offset} if offset else {}), {"records": found} | following))


STORIES = (
    Story(
        "sixteenth_data_column_corrected",
        "genai",
        PG,
        (
            user("Top three countries by revenue in Q1?"),
            asks(
                call(
                    "query",
                    {
                        "sql": "SELECT country, SUM(amount) AS revenue FROM orders WHERE quarter = 'Q1' GROUP BY country ORDER BY revenue DESC LIMIT 3"
                    },
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": 'column "amount" does not exist\nHINT: Perhaps you meant to reference the column "orders.amount_eur".',
                            }
                        ],
                        "isError": True,
                    },
                )
            ),
            asks(
                call(
                    "query",
                    {
                        "sql": "SELECT country, SUM(amount_eur) AS revenue FROM orders WHERE quarter = 'Q1' GROUP BY country ORDER BY revenue DESC LIMIT 3"
                    },
                    {
                        "content": [
                            {
                                "type": "text",
                                "text": '[{"country": "NL", "revenue": "918220.10"}, {"country": "DE", "revenue": "702114.55"}, {"country": "SE", "revenue": "288019.00"}]',
                            }
                        ],
                        "isError": False,
                    },
                )
            ),
            answers("The Netherlands (918,220 EUR), Germany (702,115 EUR) and Sweden (288,019 EUR)."),
        ),
        failing=(),
        why="the wrong column was corrected and the query worked",
    ),
    Story(
        "sixteenth_data_bigquery_job_awaited",
        "pydantic_ai",
        BIGQUERY,
        (
            user("Wie viele eindeutige Geräte hatten wir 2025 insgesamt?"),
            asks(
                call(
                    "insert_job",
                    {"query": "SELECT COUNT(DISTINCT device_id) FROM `telemetry.events_2025`", "location": "EU"},
                    {
                        "kind": "bigquery#job",
                        "jobReference": {"jobId": "job_Zx81", "location": "EU"},
                        "status": {"state": "PENDING"},
                    },
                )
            ),
            *(
                step
                for _ in range(4)
                for step in (
                    asks(
                        call(
                            "get_job",
                            {"jobId": "job_Zx81"},
                            {"kind": "bigquery#job", "id": "tele:EU.job_Zx81", "status": {"state": "RUNNING"}},
                        )
                    ),
                    pause(20),
                )
            ),
            asks(
                call(
                    "get_job",
                    {"jobId": "job_Zx81"},
                    {
                        "kind": "bigquery#job",
                        "id": "tele:EU.job_Zx81",
                        "status": {"state": "DONE"},
                        "statistics": {"totalBytesProcessed": "884120331776"},
                    },
                )
            ),
            asks(
                call(
                    "get_query_results",
                    {"jobId": "job_Zx81", "maxResults": 1.0},
                    {
                        "kind": "bigquery#getQueryResultsResponse",
                        "jobComplete": True,
                        "totalRows": "1",
                        "rows": [{"f": [{"v": "48211907"}]}],
                    },
                )
            ),
            answers("2025 waren es 48.211.907 eindeutige Geräte."),
        ),
        failing=(),
        why="the job was polled until it was done; 1.0 is an integer",
    ),
    Story(
        "sixteenth_data_warehouse_timed_out",
        "genai_events",
        SNOW,
        (
            user("Which stores lost more than 10 % of sales year on year?"),
            asks(
                call(
                    "run_snowflake_query",
                    {
                        "statement": "select store_id, sum(case when yr = 2026 then net end) / sum(case when yr = 2025 then net end) - 1 as growth from sales_flat group by 1 having growth < -0.1"
                    },
                    fault=Fault(
                        "snowflake.connector.errors.ProgrammingError",
                        "000604 (57014): SQL execution canceled: Statement reached its statement or warehouse timeout of 300 second(s) and was canceled.",
                    ),
                    ms=300_000,
                )
            ),
            answers(
                "The query ran into the warehouse's limit of five minutes, so I have no figures. A larger warehouse or a narrower period would help."
            ),
        ),
        failing=("tool_error",),
        why="the only query was cancelled by a timeout",
    ),
    Story(
        "sixteenth_data_dbt_tests_red",
        "openinference",
        DBT,
        (
            user("Are the tests of stg_payments green?"),
            asks(
                call(
                    "dbt_test",
                    {"select": "stg_payments"},
                    "07:31:02  Found 41 models, 118 tests, 9 sources\n07:31:04  1 of 3 PASS not_null_stg_payments_payment_id ........ [PASS in 0.31s]\n07:31:04  2 of 3 FAIL 12 unique_stg_payments_payment_id ........ [FAIL 12 in 0.40s]\n07:31:05  3 of 3 PASS accepted_values_stg_payments_method ...... [PASS in 0.22s]\n07:31:05  Completed with 1 error and 0 warnings:\n07:31:05  Failure in test unique_stg_payments_payment_id (models/staging/schema.yml)\n07:31:05    Got 12 results, configured to fail if != 0\n07:31:05  Done. PASS=2 WARN=0 ERROR=1 SKIP=0 TOTAL=3",
                )
            ),
            answers("No: two pass, but unique_stg_payments_payment_id found 12 payment ids that occur more than once."),
        ),
        failing=(),
        why="the test runner did its work, and its finding is the answer",
    ),
    Story(
        "sixteenth_data_schema_in_circles",
        "vercel_ai",
        PG,
        (
            user("How many customers churned last month?"),
            *repeat_calls(
                5,
                call(
                    "list_tables",
                    {"schema": "public"},
                    [{"table_name": "customers"}, {"table_name": "orders"}, {"table_name": "subscriptions"}],
                ),
                call(
                    "describe_table",
                    {"table": "subscriptions"},
                    [
                        {"column_name": "id", "data_type": "bigint"},
                        {"column_name": "customer_id", "data_type": "bigint"},
                        {"column_name": "ended_at", "data_type": "timestamp with time zone"},
                    ],
                ),
            ),
            answers("There is a table subscriptions with ended_at, from which churn could be counted."),
        ),
        failing=("tool_efficiency",),
        why="tables and columns were listed five times over without anything new",
    ),
    Story(
        "sixteenth_data_parquet_script_dies",
        "openllmetry",
        NOTEBOOK,
        (
            user("Convert raw/trips.csv to parquet, partitioned by month."),
            asks(
                call(
                    "bash",
                    {"command": "head -2 raw/trips.csv && wc -l raw/trips.csv"},
                    "trip_id,started_at,ended_at,km\n1,2026-01-01T00:01:00,2026-01-01T00:19:00,3.2\n 8120044 raw/trips.csv\n",
                )
            ),
            asks(call("bash", {"command": "ls convert.py raw/"}, "convert.py\n\nraw/:\ntrips.csv\n")),
            asks(
                call(
                    "bash",
                    {"command": "python convert.py raw/trips.csv out/ --by month", "timeout": 600},
                    'Traceback (most recent call last):\n  File "/srv/convert.py", line 14, in <module>\n    df.to_parquet(out, partition_cols=["month"])\n  File "/usr/lib/python3/dist-packages/pandas/io/parquet.py", line 52, in get_engine\n    raise ImportError(\nImportError: Unable to find a usable engine; tried using: \'pyarrow\', \'fastparquet\'.\n\nExit code: 1',
                )
            ),
            answers(
                "I couldn't convert the file: the sandbox has neither pyarrow nor fastparquet, which pandas needs to write parquet."
            ),
        ),
        failing=("tool_error",),
        why="the last thing that ran is the script, and it died without writing anything",
    ),
    Story(
        "sixteenth_data_venues_page_by_page",
        "genai",
        AIRTABLE,
        (
            user("List all venues in the base."),
            records(1, None, ("Kulturhuset", "Paradiso", "Error Bar")),
            records(2, "itr7kA/rec12", ("Botanique", "Lido", "Sala Apolo")),
            records(3, "itr7kA/rec22", ()),
            answers("Six: Kulturhuset, Paradiso, Error Bar, Botanique, Lido and Sala Apolo."),
        ),
        failing=(),
        why="three pages, the last of them empty",
    ),
    Story(
        "sixteenth_data_quality_report_cut",
        "pydantic_ai",
        SNOW,
        (
            user("Write a data quality report on the table customers, column by column."),
            asks(
                call(
                    "run_snowflake_query",
                    {
                        "statement": "select column_name, data_type, is_nullable from information_schema.columns where table_name = 'CUSTOMERS'"
                    },
                    [
                        {"COLUMN_NAME": "ID", "DATA_TYPE": "NUMBER", "IS_NULLABLE": "NO"},
                        {"COLUMN_NAME": "EMAIL", "DATA_TYPE": "TEXT", "IS_NULLABLE": "YES"},
                        {"COLUMN_NAME": "BIRTHDATE", "DATA_TYPE": "DATE", "IS_NULLABLE": "YES"},
                    ],
                )
            ),
            asks(
                call(
                    "run_snowflake_query",
                    {"statement": "select count(*) n, count(email) e, count(birthdate) b from customers"},
                    [{"N": 210338, "E": 209911, "B": 120004}],
                )
            ),
            answers(
                "# Data quality of CUSTOMERS\n\n## ID\nComplete and unique.\n\n## EMAIL\n427 of 210,338 rows have no address (0.2 %). Among the others",
                "length",
            ),
        ),
        failing=("run_completion",),
        why="the report is cut off by the limit of tokens in its second section",
    ),
    Story(
        "sixteenth_data_limit_as_text",
        "openllmetry",
        PG,
        (
            user("¿Cuáles son los últimos pedidos?"),
            asks(
                call(
                    "query",
                    {"sql": "SELECT id, created_at FROM orders ORDER BY created_at DESC", "limit": "2"},
                    '[{"id": 99121, "created_at": "2026-04-30T21:14:09Z"}, {"id": 99120, "created_at": "2026-04-30T21:02:51Z"}]',
                )
            ),
            answers("Los dos últimos son el 99121 y el 99120, ambos del 30 de abril."),
        ),
        failing=(),
        why='the text "2" converts to the integer without loss, and the query worked',
    ),
    Story(
        "sixteenth_data_chart_kind_unknown",
        "openinference",
        CHARTS,
        (
            user("Pie chart of the market shares, please."),
            asks(
                call(
                    "load_dataset",
                    {"name": "market_shares_2025"},
                    {"dataset_id": "ds_41", "rows": 6, "columns": ["vendor", "share"], "warnings": []},
                )
            ),
            asks(
                refused(
                    "render_chart",
                    {"dataset_id": "ds_41", "kind": "pie", "x": "vendor", "y": "share"},
                    "1 validation error for render_chart\nkind\n  Input should be 'bar', 'line' or 'scatter' [type=literal_error, input_value='pie', input_type=str]\n    For further information visit https://errors.pydantic.dev/2.11/v/literal_error",
                )
            ),
            answers("I can't draw pie charts, only bars, lines and scatter plots. Shall I make a bar chart instead?"),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="pie is not among the kinds that the tool offers; the call was rejected and no chart was drawn",
    ),
)
