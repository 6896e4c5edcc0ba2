"""Data stores: Redis, Snowflake, Elasticsearch, Postgres, SQLite, and analysts on top of them."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Call, Fault, Story, answers, asks, call, crashes, refused, tool, user

__all__ = ["STORIES"]

REDIS = Agent(
    "cache_agent",
    (
        tool("hgetall", "All fields of a hash", name="string"),
        tool("hget", "A field of a hash", name="string", key="string"),
        tool("scan_keys", "Keys that match a pattern", pattern="string", count="integer?", cursor="integer?"),
        tool("type", "Type and TTL of a key", key="string"),
    ),
    "You answer questions about a Redis database.",
)
SNOWFLAKE = Agent(
    "snowflake_analyst",
    (
        tool("run_snowflake_query", "Runs SQL", statement="string"),
        tool(
            "list_objects",
            "Lists objects",
            object_type=["database", "schema", "table", "view", "warehouse", "role"],
            database_name="string?",
            schema_name="string?",
            like="string?",
        ),
    ),
    "You analyse data in Snowflake.",
    "claude-3-5-sonnet",
    "snowflake",
)
ELASTIC = (
    tool("list_indices", "Lists indices", index_pattern="string"),
    tool("get_mappings", "Mappings of an index", index="string"),
    tool("get_shards", "Shards of indices", index="string?"),
    tool("search", "Query DSL search", index="string", query_body="object", fields="string[]?"),
    tool("cluster_health", "Health of the cluster"),
)
ELASTIC_AGENT = Agent("elastic_agent", ELASTIC, "You search Elasticsearch for the user.")
POSTGRES = Agent(
    "postgres_agent",
    (
        tool("list_schemas", "Lists schemas"),
        tool("get_object_details", "Details of a table", schema_name="string", object_name="string"),
        tool("execute_sql", "Runs SQL", sql="string"),
    ),
    "You maintain a PostgreSQL database.",
)
SQLITE = Agent(
    "sqlite_agent",
    (
        tool("list_tables", "Lists tables"),
        tool("describe_table", "Columns of a table", table_name="string"),
        tool("read_query", "Runs a SELECT", query="string"),
        tool("append_insight", "Adds an insight to the memo", insight="string"),
    ),
    "You find business insights in a SQLite database and keep a memo of them.",
    "claude-3-5-sonnet-20241022",
    "anthropic",
)
LIGHTDASH = Agent(
    "lightdash_agent",
    (
        tool("findExplores", "Finds explores", searchQuery="string"),
        tool("findFields", "Finds fields", table="string", fieldSearchQueries="string[]"),
        tool("runMetricQuery", "Runs a metric query", exploreName="string", metrics="string[]", dimensions="string[]"),
    ),
    "You answer questions about the business with the semantic layer.",
    "gpt-4.1",
)
DEADLOCK = (
    "deadlock detected\nDETAIL:  Process 18211 waits for ShareLock on transaction 90417; blocked by process 18190.\n"
    "Process 18190 waits for ShareLock on transaction 90418; blocked by process 18211.\nHINT:  See server log for query "
    'details.\nCONTEXT:  while updating tuple (0,42) in relation "orders"\n'
)
UPDATE = "UPDATE orders SET status = 'shipped' WHERE id IN (5, 10)"


def no_hits(text: str) -> Call:
    return call(
        "search",
        {"index": "contratos", "query_body": {"query": {"match": {"conteudo": text}}}},
        "Total results: 0, showing 0.",
    )


STORIES = (
    Story(
        "seventh_stores_redis_no_cart",
        "genai_events",
        REDIS,
        (
            user("What is in the cart of customer 9913?"),
            asks(call("hgetall", {"name": "cart:9913"}, "Hash 'cart:9913' is empty or does not exist.")),
            asks(
                call(
                    "scan_keys",
                    {"pattern": "cart:991*", "count": 100},
                    {"cursor": 0, "total_scanned": 2, "keys": ["cart:9910", "cart:9918"], "scan_complete": True},
                )
            ),
            answers("Customer 9913 has no cart at the moment."),
        ),
        failing=(),
        why="there is no such cart, which is an answer",
    ),
    Story(
        "seventh_stores_snowflake_context_exceeded",
        "openllmetry",
        SNOWFLAKE,
        (
            user("Show me all events of last week and find the odd ones."),
            asks(
                call(
                    "list_objects",
                    {"object_type": "table", "database_name": "ANALYTICS", "schema_name": "PUBLIC"},
                    [{"name": "EVENTS", "rows": 18211044}, {"name": "USERS", "rows": 92811}],
                )
            ),
            asks(
                call(
                    "run_snowflake_query",
                    {"statement": "SELECT * FROM ANALYTICS.PUBLIC.EVENTS WHERE TS >= DATEADD(day, -7, CURRENT_DATE)"},
                    [{"TS": "2026-02-20 00:00:01", "USER_ID": 81, "NAME": "page_view"}] * 3,
                )
            ),
            crashes(
                "openai.BadRequestError",
                "Error code: 400 - {'error': {'message': \"This model's maximum context length is 128000 tokens. "
                'However, your messages resulted in 914220 tokens. Please reduce the length of the messages.", '
                "'type': 'invalid_request_error', 'param': 'messages', 'code': 'context_length_exceeded'}}",
            ),
        ),
        failing=("run_completion",),
        why="the result did not fit the model's context and the run ended with the exception",
    ),
    Story(
        "seventh_stores_snowflake_table_misspelled",
        "genai",
        SNOWFLAKE,
        (
            user("Revenue by region for 2025?"),
            asks(
                call(
                    "run_snowflake_query",
                    {"statement": "SELECT REGION, SUM(AMOUNT) FROM ANALYTICS.PUBLIC.ORDER GROUP BY 1"},
                    fault=Fault(
                        "SnowflakeException",
                        "Error executing query: 001003 (42000): SQL compilation error:\nsyntax error line 1 at position "
                        "49 unexpected 'ORDER'.",
                    ),
                )
            ),
            asks(
                call(
                    "run_snowflake_query",
                    {"statement": "SELECT REGION, SUM(AMOUNT) FROM ANALYTICS.PUBLIC.SALES_ORDERS GROUP BY 1"},
                    fault=Fault(
                        "SnowflakeException",
                        "Error executing query: 002003 (42S02): SQL compilation error:\nObject "
                        "'ANALYTICS.PUBLIC.SALES_ORDERS' does not exist or not authorized.",
                    ),
                )
            ),
            asks(
                call(
                    "list_objects",
                    {"object_type": "table", "database_name": "ANALYTICS", "schema_name": "MART", "like": "order"},
                    [{"name": "FCT_ORDERS", "database_name": "ANALYTICS", "schema_name": "MART", "comment": ""}],
                )
            ),
            asks(
                call(
                    "run_snowflake_query",
                    {
                        "statement": "SELECT REGION, SUM(AMOUNT) AS REVENUE FROM ANALYTICS.MART.FCT_ORDERS "
                        "WHERE YEAR(ORDERED_AT) = 2025 GROUP BY 1 ORDER BY 2 DESC"
                    },
                    [{"REGION": "EMEA", "REVENUE": 4811200.5}, {"REGION": "AMER", "REVENUE": 3920001.0}],
                )
            ),
            answers("EMEA: 4,811,200.50; AMER: 3,920,001.00."),
        ),
        failing=(),
        why="two queries failed for the name of the table, and the third ran with the right one",
    ),
    Story(
        "seventh_stores_postgres_no_rights_russian",
        "pydantic_ai",
        POSTGRES,
        (
            user("Сколько платежей было вчера?"),
            asks(
                call(
                    "get_object_details",
                    {"schema_name": "public", "object_name": "payments"},
                    {"basic": {"schema": "public", "name": "payments", "type": "table"}, "columns": ["id", "paid_at"]},
                )
            ),
            asks(
                call(
                    "execute_sql",
                    {"sql": "SELECT count(*) FROM payments WHERE paid_at::date = current_date - 1"},
                    "ОШИБКА:  нет доступа к таблице payments",
                )
            ),
            answers("К сожалению, посчитать не удалось: у меня нет прав на чтение таблицы payments."),
        ),
        failing=("tool_error",),
        why="the result of the only query is the server's error message, in Russian",
    ),
    Story(
        "seventh_stores_elastic_body_missing",
        "vercel_ai",
        ELASTIC_AGENT,
        (
            user("¿Quiénes son los personajes principales de 'Reunión bajo las estrellas'?"),
            asks(
                call(
                    "list_indices",
                    {"index_pattern": "*"},
                    [{"index": "cuentos", "health": "green", "status": "open", "docs.count": "41"}],
                )
            ),
            asks(
                call(
                    "search",
                    {"index": "cuentos"},
                    fault=Fault(
                        "McpError",
                        'MCP error -32602: Invalid arguments for tool search: [\n  {\n    "code": "invalid_type",\n '
                        '   "expected": "object",\n    "received": "undefined",\n    "path": [\n      "query_body"\n    '
                        '],\n    "message": "Required"\n  }\n]',
                    ),
                )
            ),
            answers("No he podido buscar en el índice 'cuentos'. ¿Quieres que lo intente de otra forma?"),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="the search was called without its required body, failed for it and was not repeated",
    ),
    Story(
        "seventh_stores_elastic_yellow_cluster",
        "openinference",
        ELASTIC_AGENT,
        (
            user("Is the cluster fine? And how many 5xx did we have today?"),
            asks(
                call(
                    "cluster_health",
                    {},
                    {
                        "cluster_name": "logs",
                        "status": "yellow",
                        "timed_out": False,
                        "number_of_nodes": 1,
                        "unassigned_shards": 2,
                        "active_shards_percent_as_number": 92.3,
                    },
                ),
                call(
                    "search",
                    {
                        "index": "nginx-2026.03.02",
                        "query_body": {"size": 1, "query": {"range": {"status": {"gte": 500}}}},
                    },
                    {
                        "took": 12,
                        "timed_out": False,
                        "_shards": {"total": 5, "successful": 5, "skipped": 0, "failed": 0},
                        "hits": {
                            "total": {"value": 37, "relation": "eq"},
                            "hits": [{"_source": {"status": 502, "error": "upstream prematurely closed connection"}}],
                        },
                    },
                ),
            ),
            answers("It is yellow: two replicas are unassigned, as there is one node. There were 37 responses of 5xx."),
        ),
        failing=(),
        why="yellow is a reading, no shard failed, and the 502 is a document that was searched for",
    ),
    Story(
        "seventh_stores_postgres_deadlock_retried",
        "genai",
        POSTGRES,
        (
            user("Mark orders 5 and 10 as shipped."),
            asks(
                call("execute_sql", {"sql": UPDATE}, fault=Fault("psycopg2.errors.DeadlockDetected", DEADLOCK)),
            ),
            asks(call("execute_sql", {"sql": UPDATE}, "UPDATE 2")),
            answers("Orders 5 and 10 are marked as shipped."),
        ),
        failing=(),
        why="the update was the victim of a deadlock and worked when it was repeated",
    ),
    Story(
        "seventh_stores_lightdash_sql_not_offered",
        "vercel_ai",
        LIGHTDASH,
        (
            user("Run this for me: select count(*) from raw.stripe_charges where status = 'failed'"),
            asks(
                refused(
                    "runSql",
                    {"sql": "select count(*) from raw.stripe_charges where status = 'failed'", "limit": 500},
                    "Model tried to call unavailable tool 'runSql'. Available tools: findExplores, findFields, "
                    "runMetricQuery.",
                )
            ),
            answers("I can't run SQL here. I could look for a metric of failed charges instead, if that helps."),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="the model called a tool that it was not offered, was told so, and nothing was queried",
    ),
    Story(
        "seventh_stores_sqlite_walk",
        "openllmetry",
        SQLITE,
        (
            user("Find out why revenue fell in June and keep a memo."),
            asks(call("list_tables", {}, [{"name": "orders"}, {"name": "customers"}, {"name": "refunds"}])),
            asks(
                call(
                    "describe_table",
                    {"table_name": "orders"},
                    [{"cid": 0, "name": "id"}, {"cid": 1, "name": "customer_id"}, {"cid": 2, "name": "amount"}],
                ),
                call(
                    "describe_table", {"table_name": "customers"}, [{"cid": 0, "name": "id"}, {"cid": 1, "name": "c"}]
                ),
                call(
                    "describe_table",
                    {"table_name": "refunds"},
                    [{"cid": 0, "name": "order_id"}, {"cid": 1, "name": "reason"}, {"cid": 2, "name": "amount"}],
                ),
            ),
            asks(
                call(
                    "read_query",
                    {"query": "SELECT month, SUM(total) FROM orders GROUP BY month"},
                    "Database error: no such column: total",
                )
            ),
            asks(
                call(
                    "read_query",
                    {"query": "SELECT strftime('%m', day) m, SUM(amount) s FROM orders GROUP BY m"},
                    [{"m": "04", "s": 90210}, {"m": "05", "s": 91877}, {"m": "06", "s": 60310}],
                )
            ),
            asks(
                call(
                    "read_query",
                    {"query": "SELECT strftime('%m', day) m, COUNT(*) n FROM orders GROUP BY m"},
                    [{"m": "04", "n": 811}, {"m": "05", "n": 820}, {"m": "06", "n": 541}],
                )
            ),
            asks(
                call(
                    "read_query",
                    {"query": "SELECT reason, COUNT(*) n FROM refunds WHERE day >= '2025-06-01' GROUP BY reason"},
                    [{"reason": "payment_error", "n": 212}, {"reason": "late", "n": 9}],
                )
            ),
            asks(
                call(
                    "read_query",
                    {
                        "query": "SELECT strftime('%W', day) w, COUNT(*) n FROM orders WHERE day >= '2025-06-01' GROUP BY w"
                    },
                    [{"w": "22", "n": 204}, {"w": "23", "n": 61}, {"w": "24", "n": 58}, {"w": "25", "n": 218}],
                )
            ),
            asks(
                call(
                    "read_query",
                    {
                        "query": "SELECT COUNT(*) n FROM orders WHERE day BETWEEN '2025-06-09' AND '2025-06-22' AND amount=0"
                    },
                    [],
                )
            ),
            asks(
                call(
                    "read_query",
                    {
                        "query": "SELECT channel, COUNT(*) n FROM orders WHERE day BETWEEN '2025-06-09' AND '2025-06-22' GROUP BY channel"
                    },
                    [{"channel": "web", "n": 31}, {"channel": "app", "n": 88}],
                )
            ),
            asks(
                call(
                    "read_query",
                    {
                        "query": "SELECT channel, COUNT(*) n FROM orders WHERE day BETWEEN '2025-05-05' AND '2025-05-18' GROUP BY channel"
                    },
                    [{"channel": "web", "n": 322}, {"channel": "app", "n": 91}],
                )
            ),
            asks(
                call(
                    "read_query",
                    {
                        "query": "SELECT c.country, COUNT(*) n FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY c.country"
                    },
                    "Database error: no such column: c.country",
                )
            ),
            asks(
                call(
                    "read_query",
                    {
                        "query": "SELECT payment_method, COUNT(*) n FROM orders WHERE day BETWEEN '2025-06-09' AND '2025-06-22' GROUP BY 1"
                    },
                    [{"payment_method": "paypal", "n": 119}],
                )
            ),
            asks(
                call(
                    "read_query",
                    {
                        "query": "SELECT payment_method, COUNT(*) n FROM orders WHERE day BETWEEN '2025-05-05' AND '2025-05-18' GROUP BY 1"
                    },
                    [{"payment_method": "card", "n": 290}, {"payment_method": "paypal", "n": 123}],
                )
            ),
            asks(
                call(
                    "append_insight",
                    {"insight": "Orders fell by 70 % in weeks 23 and 24, with 212 refunds for payment errors."},
                    "Insight added to memo",
                )
            ),
            asks(
                call(
                    "append_insight",
                    {"insight": "April and May were stable, and week 25 is back to normal."},
                    "Insight added to memo",
                )
            ),
            answers("June fell because no card payment went through in weeks 23 and 24. It is in the memo."),
        ),
        failing=(),
        why="one query named a wrong column and the next ones worked; each query asks something new",
    ),
    Story(
        "seventh_stores_elastic_searches_without_hits",
        "genai_events",
        ELASTIC_AGENT,
        (
            user("Ache a cláusula de rescisão do contrato com a Marinho Tecidos."),
            asks(no_hits("rescisão Marinho Tecidos")),
            asks(no_hits("rescisao Marinho Tecidos")),
            asks(no_hits("cláusula de rescisão Marinho Tecidos")),
            asks(no_hits("cláusula rescisão Marinho")),
            asks(no_hits("clausula de rescisao Marinho")),
            asks(no_hits("contrato Marinho Tecidos rescisão")),
            asks(no_hits("rescisão contrato Marinho Tecidos")),
            asks(no_hits("Marinho Tecidos cláusula rescisão contrato")),
            asks(no_hits("Marinho Tecidos rescisão contratual")),
            asks(no_hits("rescisão contratual Marinho Tecidos")),
            asks(no_hits("rescisão do contrato Marinho Tecidos")),
            asks(no_hits("rescisões Marinho Tecidos")),
            asks(no_hits("cláusula rescisória Marinho Tecidos")),
            asks(no_hits("cláusula de rescisão da Marinho Tecidos")),
            answers("Não encontrei nenhum contrato com a Marinho Tecidos no índice."),
        ),
        failing=("tool_efficiency",),
        why="fourteen searches with nearly the same words found nothing each time",
    ),
)
