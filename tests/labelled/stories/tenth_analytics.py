"""Warehouses, notebooks, dashboards, models of dbt, search clusters."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, hosted, pause, repeat_calls, tool, user

__all__ = ["STORIES"]

BIGQUERY = Agent(
    "bigquery_analyst",
    (
        tool("get_table_info", "Schema of a table", project="string", dataset="string", table="string"),
        tool("execute_sql", "Run a query", sql="string", dry_run="boolean?"),
    ),
    "You answer questions with BigQuery.",
    "gemini-2.5-flash",
    "gcp.vertex_ai",
)
DATABRICKS = Agent(
    "lakehouse_assistant",
    (tool("execute_sql", "Run a statement on the warehouse", statement="string", warehouse_id="string?"),),
    "You answer questions of the sales team.",
    "gpt-4.1-mini",
)
DBT = Agent(
    "dbt_keeper",
    (
        tool("test", "Run the tests of models", node_selection="string"),
        tool("get_model_details", "Details of a model", model_name="string"),
    ),
    "You look after a dbt project.",
    "claude-sonnet-4-5",
    "anthropic",
)
NOTEBOOK = Agent(
    "notebook_agent",
    (tool("run_python", "Run Python in the notebook's kernel", code="string"),),
    "Tu analyses des données avec pandas.",
    "mistral-large-latest",
    "mistral_ai",
)
METABASE = Agent(
    "dashboard_helper",
    (
        tool("list_dashboards", "Dashboards", f=["all", "mine", "archived"]),
        tool("execute_query", "Run SQL against a database", database_id="integer", query="string"),
    ),
    "You help with Metabase.",
    "gpt-4o-mini",
)
SQL_WRITER = Agent(
    "sql_writer",
    (tool("run_snippet", "Run a SELECT on the replica", sql="string"),),
    "You write one SELECT and return its rows.",
    "gpt-4.1-mini",
)
LEAD = Agent(
    "growth_analyst",
    (tool("ask_sql_writer", "Have a question answered from the database", question="string"),),
    "You answer questions on growth.",
    "gpt-4.1",
)
WEEKLY = Agent(
    "weekly_report",
    (tool("get_kpis", "Key figures of a week", week="string"),),
    "You write the weekly report for the board: five sections.",
    "gpt-4o-mini",
)
AIRTABLE = Agent(
    "airtable_agent",
    (
        tool("list_tables", "Tables of a base", base_id="string"),
        tool("list_records", "Records of a table", base_id="string", table_id="string", max_records="integer?"),
    ),
    "You read an Airtable base.",
    "gpt-4.1-mini",
)
SEARCH = Agent(
    "log_analyst",
    (
        tool("list_indices", "Indices of the cluster", index_pattern="string"),
        tool("search", "Query DSL search", index="string", query_body={"type": "object"}),
    ),
    "You analyse logs in Elasticsearch.",
    "gpt-4.1",
)
SNOWFLAKE = Agent(
    "finance_sql",
    (
        tool("submit_statement", "Submit a statement", statement="string", timeout="integer?"),
        tool("get_statement", "Status and rows of a statement", statement_handle="string", partition="integer?"),
    ),
    "You answer questions of the finance department from Snowflake.",
    "gpt-4.1",
)

RUNNING = {
    "code": "333334",
    "message": "Asynchronous execution in progress. Use provided query id to perform query monitoring and management.",
    "statementHandle": "01b7c2aa-0604-41c3-0000-3d2d0a1f40ee",
    "statementStatusUrl": "/api/v2/statements/01b7c2aa-0604-41c3-0000-3d2d0a1f40ee",
}

STORIES = (
    Story(
        "tenth_analytics_column_misspelt_once",
        "genai",
        BIGQUERY,
        (
            user("How many distinct customers ordered in May 2026?"),
            asks(
                call(
                    "execute_sql",
                    {
                        "sql": "SELECT COUNT(DISTINCT custmer_id) FROM `shop-prod.sales.orders` WHERE order_date BETWEEN '2026-05-01' AND '2026-05-31'"
                    },
                    fault=Fault(
                        "google.api_core.exceptions.BadRequest",
                        "400 Unrecognized name: custmer_id; Did you mean customer_id? at [1:23]; reason: invalidQuery, location: query, message: Unrecognized name: custmer_id; Did you mean customer_id? at [1:23]",
                    ),
                )
            ),
            asks(
                call(
                    "execute_sql",
                    {
                        "sql": "SELECT COUNT(DISTINCT customer_id) AS customers FROM `shop-prod.sales.orders` WHERE order_date BETWEEN '2026-05-01' AND '2026-05-31'"
                    },
                    [{"customers": 18422}],
                )
            ),
            answers("18,422 distinct customers ordered in May 2026."),
        ),
        failing=(),
        why="the name of the column was corrected and the query ran",
    ),
    Story(
        "tenth_analytics_churn_without_table",
        "pydantic_ai",
        DATABRICKS,
        (
            user("What was churn in Q1 by region?"),
            asks(
                call(
                    "execute_sql",
                    {"statement": "SELECT region, churn_rate FROM main.gold.churn_quarterly WHERE quarter = '2026Q1'"},
                    {
                        "statement_id": "01f08c12-7a5e-1b7d-93a6-2cc01d1f2e60",
                        "status": {
                            "state": "FAILED",
                            "error": {
                                "error_code": "BAD_REQUEST",
                                "message": "[TABLE_OR_VIEW_NOT_FOUND] The table or view `main`.`gold`.`churn_quarterly` cannot be found. Verify the spelling and correctness of the schema and catalog. SQLSTATE: 42P01; line 1 pos 31",
                            },
                        },
                    },
                )
            ),
            answers("Churn in Q1 was 3.1 % in EMEA, 2.7 % in the Americas and 4.0 % in APAC."),
        ),
        failing=("tool_error",),
        why="the only statement failed; the figures of the answer come from nowhere",
    ),
    Story(
        "tenth_analytics_dbt_tests_find_duplicates",
        "openinference",
        DBT,
        (
            user("Do the tests of stg_orders pass?"),
            asks(
                call(
                    "test",
                    {"node_selection": "stg_orders"},
                    "09:41:12  Running with dbt=1.9.4\n09:41:14  Found 42 models, 61 data tests, 3 seeds\n09:41:14  1 of 3 START test not_null_stg_orders_order_id ................ [RUN]\n09:41:15  1 of 3 PASS not_null_stg_orders_order_id ...................... [PASS in 0.61s]\n09:41:16  2 of 3 FAIL 12 unique_stg_orders_order_id ..................... [FAIL 12 in 0.70s]\n09:41:17  3 of 3 PASS accepted_values_stg_orders_status ................. [PASS in 0.58s]\n09:41:17  Completed with 1 error, 0 partial successes, and 0 warnings:\n09:41:17  Failure in test unique_stg_orders_order_id (models/staging/schema.yml)\n09:41:17    Got 12 results, configured to fail if != 0\n09:41:17  Done. PASS=2 WARN=0 ERROR=1 SKIP=0 TOTAL=3",
                )
            ),
            asks(
                call(
                    "get_model_details",
                    {"model_name": "stg_orders"},
                    {
                        "name": "stg_orders",
                        "uniqueId": "model.shop.stg_orders",
                        "compiledCode": "select id as order_id, status from raw.orders union all select id, status from raw.orders_legacy",
                        "children": [],
                    },
                )
            ),
            answers(
                "Two of three pass. unique_stg_orders_order_id fails with 12 duplicates, most likely because the model unions raw.orders and raw.orders_legacy without removing duplicates."
            ),
        ),
        failing=(),
        why="a failing test is the finding of a test runner; the question was whether they pass",
    ),
    Story(
        "tenth_analytics_tableau_des_erreurs",
        "openllmetry",
        NOTEBOOK,
        (
            user("Quel service a le plus fort taux d'erreur la semaine dernière ?"),
            asks(
                call(
                    "run_python",
                    {
                        "code": "df.groupby('service')[['requests','failed','error_rate']].agg({'requests':'sum','failed':'sum','error_rate':'mean'}).sort_values('error_rate', ascending=False)"
                    },
                    "            requests  failed  error_rate\nservice                                 \nErrorProxy      8120     411    0.050616\ncheckout       91233    1204    0.013197\nsearch        402911     988    0.002452\nlogin          77120      12    0.000156",
                )
            ),
            asks(
                call(
                    "run_python",
                    {"code": "df.query(\"service=='ErrorProxy'\")['last_error'].value_counts(dropna=False).head(3)"},
                    "last_error\nTimeoutError: upstream did not respond    301\nNaN                                       220\nConnectionResetError                      110\nName: count, dtype: int64",
                )
            ),
            answers("ErrorProxy, avec 5,1 % d'erreurs, surtout des délais dépassés en amont."),
        ),
        failing=(),
        why="the tables count errors of services; both cells ran",
    ),
    Story(
        "tenth_analytics_same_query_four_times",
        "vercel_ai",
        METABASE,
        (
            user("Why is revenue of store 14 flat since Tuesday?"),
            asks(
                call(
                    "list_dashboards",
                    {"f": "all"},
                    [{"id": 7, "name": "Stores", "archived": False, "last_viewed_at": "2026-06-11T06:02:00Z"}],
                )
            ),
            *repeat_calls(
                4,
                call(
                    "execute_query",
                    {
                        "database_id": 2,
                        "query": "SELECT day, SUM(total) FROM receipts WHERE store_id = 14 AND day >= '2026-06-08' GROUP BY 1 ORDER BY 1",
                    },
                    {
                        "data": {
                            "rows": [["2026-06-08", 9120.5], ["2026-06-09", 0.0], ["2026-06-10", 0.0]],
                            "cols": [{"name": "day"}, {"name": "sum"}],
                        },
                        "row_count": 3,
                        "status": "completed",
                        "running_time": 84,
                    },
                ),
            ),
            answers("Store 14 has booked nothing since Tuesday; its receipts are missing, it isn't flat demand."),
        ),
        failing=("tool_efficiency",),
        why="the same query ran four times in a row with the same three rows",
    ),
    Story(
        "tenth_analytics_cohort_with_hosted_python",
        "genai",
        LEAD,
        (
            user("Fit a decay curve to the retention of the January cohort, give me the half-life."),
            asks(
                call(
                    "ask_sql_writer",
                    {"question": "Weekly retention of the January 2026 cohort, as week and share"},
                    "week,share\n0,1.0\n1,0.61\n2,0.44\n3,0.33\n4,0.25",
                    agent=SQL_WRITER,
                    steps=(
                        asks(
                            call(
                                "run_snippet",
                                {"sql": "SELECT week, share FROM retention WHERE cohort='2026-01' ORDER BY week"},
                                fault=Fault(
                                    "psycopg.errors.UndefinedTable",
                                    "relation \"retention\" does not exist\nLINE 1: SELECT week, share FROM retention WHERE cohort='2026-01' ORD...\n                                ^",
                                ),
                            )
                        ),
                        asks(
                            call(
                                "run_snippet",
                                {"sql": "SELECT week, share FROM marts.retention WHERE cohort='2026-01' ORDER BY week"},
                                "week,share\n0,1.0\n1,0.61\n2,0.44\n3,0.33\n4,0.25",
                            )
                        ),
                        answers("week,share\n0,1.0\n1,0.61\n2,0.44\n3,0.33\n4,0.25"),
                    ),
                )
            ),
            answers(
                "With an exponential decay the half-life of the January cohort is 2.0 weeks (R² 0.97).",
                hosted=(
                    hosted(
                        "code_interpreter",
                        {
                            "code": "import numpy as np\nw=np.arange(5);s=np.array([1,.61,.44,.33,.25])\nb=np.polyfit(w,np.log(s),1)[0]\nprint(np.log(2)/-b)"
                        },
                        {"outputs": [{"type": "logs", "logs": "2.0257\n"}], "status": "completed"},
                    ),
                ),
            ),
        ),
        failing=(),
        why="the sub-agent's query was made good with the schema's name; Python ran at the provider",
    ),
    Story(
        "tenth_analytics_report_cut_off",
        "genai_events",
        WEEKLY,
        (
            user("週次レポートを書いてください（第23週）。"),
            asks(
                call(
                    "get_kpis",
                    {"week": "2026-W23"},
                    {"week": "2026-W23", "revenue": 1840200, "orders": 40211, "nps": 41, "errors": []},
                )
            ),
            answers(
                "# 週次レポート 第23週\n\n## 1. 売上\n売上は184万200ユーロで、前週比2.1％増でした。\n\n## 2. 注文\n注文数は40,211件で、特に",
                "length",
            ),
        ),
        failing=("run_completion",),
        why="the report stops in its second of five sections at the limit of tokens",
    ),
    Story(
        "tenth_analytics_all_records_as_word",
        "vercel_ai",
        AIRTABLE,
        (
            user("How many suppliers are in base appQ7?"),
            asks(
                call(
                    "list_tables",
                    {"base_id": "appQ7"},
                    [{"id": "tblSUP", "name": "Suppliers", "primaryFieldId": "fld01"}],
                )
            ),
            asks(
                call(
                    "list_records",
                    {"base_id": "appQ7", "table_id": "tblSUP", "max_records": "all"},
                    {
                        "records": [
                            {"id": "rec01", "fields": {"Name": "Alvarez e Hijos", "Country": "ES"}},
                            {"id": "rec02", "fields": {"Name": "Brück GmbH", "Country": "DE"}},
                            {"id": "rec03", "fields": {"Name": "Carpenter Ltd", "Country": "GB"}},
                        ]
                    },
                )
            ),
            answers("There are three suppliers: Alvarez e Hijos, Brück GmbH and Carpenter Ltd."),
        ),
        failing=("tool_call_validity",),
        why="max_records is an integer and got “all”; the server let it pass",
    ),
    Story(
        "tenth_analytics_error_levels_counted",
        "openinference",
        SEARCH,
        (
            user("How many log lines of level ERROR did payments write yesterday, and any FATAL?"),
            asks(
                call(
                    "list_indices",
                    {"index_pattern": "logs-payments-*"},
                    [{"index": "logs-payments-2026.06.11", "health": "yellow", "status": "open", "docsCount": 812231}],
                )
            ),
            asks(
                call(
                    "search",
                    {
                        "index": "logs-payments-2026.06.11",
                        "query_body": {"size": 0, "aggs": {"level": {"terms": {"field": "log.level"}}}},
                    },
                    {
                        "took": 31,
                        "timed_out": False,
                        "_shards": {"total": 3, "successful": 3, "skipped": 0, "failed": 0},
                        "hits": {"total": {"value": 10000, "relation": "gte"}, "max_score": None, "hits": []},
                        "aggregations": {
                            "level": {
                                "doc_count_error_upper_bound": 0,
                                "sum_other_doc_count": 0,
                                "buckets": [
                                    {"key": "INFO", "doc_count": 809912},
                                    {"key": "ERROR", "doc_count": 2319},
                                ],
                            }
                        },
                    },
                )
            ),
            asks(
                call(
                    "search",
                    {
                        "index": "logs-payments-2026.06.11",
                        "query_body": {"query": {"term": {"log.level": "FATAL"}}},
                    },
                    {
                        "took": 4,
                        "timed_out": False,
                        "_shards": {"total": 3, "successful": 3, "skipped": 0, "failed": 0},
                        "hits": {"total": {"value": 0, "relation": "eq"}, "max_score": None, "hits": []},
                    },
                )
            ),
            answers("2,319 lines of level ERROR yesterday, and none of level FATAL."),
        ),
        failing=(),
        why="the searches counted errors; no shard failed",
    ),
    Story(
        "tenth_analytics_statement_runs_for_minutes",
        "pydantic_ai",
        SNOWFLAKE,
        (
            user("Wie hoch sind die offenen Forderungen älter als 90 Tage?"),
            asks(
                call(
                    "submit_statement",
                    {"statement": "SELECT SUM(open_amount) FROM fin.receivables WHERE age_days > 90", "timeout": None},
                    RUNNING,
                )
            ),
            pause(20),
            asks(call("get_statement", {"statement_handle": "01b7c2aa-0604-41c3-0000-3d2d0a1f40ee"}, RUNNING)),
            pause(30),
            asks(call("get_statement", {"statement_handle": "01b7c2aa-0604-41c3-0000-3d2d0a1f40ee"}, RUNNING)),
            pause(30),
            asks(call("get_statement", {"statement_handle": "01b7c2aa-0604-41c3-0000-3d2d0a1f40ee"}, RUNNING)),
            pause(30),
            asks(
                call(
                    "get_statement",
                    {"statement_handle": "01b7c2aa-0604-41c3-0000-3d2d0a1f40ee"},
                    {
                        "resultSetMetaData": {
                            "numRows": 1,
                            "format": "jsonv2",
                            "rowType": [{"name": "SUM(OPEN_AMOUNT)", "type": "fixed", "scale": 2, "nullable": True}],
                        },
                        "data": [["412880.15"]],
                        "code": "090001",
                        "statementHandle": "01b7c2aa-0604-41c3-0000-3d2d0a1f40ee",
                        "sqlState": "00000",
                        "message": "Statement executed successfully.",
                    },
                )
            ),
            answers("Die Forderungen, die älter als 90 Tage sind, betragen 412.880,15 Euro."),
        ),
        failing=(),
        why="polling of a long statement that ended; the code 333334 only says that it runs; null for an optional property",
    ),
)
