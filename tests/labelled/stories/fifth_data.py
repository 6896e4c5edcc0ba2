"""Questions to data: SQL, warehouses, retrieval, validation of files."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, hosted, tool, user

__all__ = ["STORIES"]

SQL_TOOLS = (
    tool("sql_db_list_tables", "Tables of the database"),
    tool("sql_db_schema", "Schema and sample rows of tables", table_names="string"),
    tool("sql_db_query_checker", "Check a query before running it", query="string"),
    tool("sql_db_query", "Run a query", query="string"),
)
SQL = Agent(
    "sql_agent",
    SQL_TOOLS,
    "You are an agent designed to interact with a SQL database. Never write. If a query fails, rewrite it.",
)
POSTGRES = Agent(
    "postgres_assistant",
    (tool("query", "Run a read-only SQL query", sql="string"),),
    "You answer questions about the CRM database.",
    "claude-3-5-haiku-latest",
    "anthropic",
)
BIGQUERY = Agent(
    "warehouse_analyst",
    (
        tool("list_datasets", "Datasets of a project", project="string"),
        tool("run_query", "Run a BigQuery job and wait for it", sql="string", max_bytes="integer?"),
    ),
    "You are an analyst of a retailer.",
    "gemini-2.5-flash",
    "google",
)
HANDBOOK = Agent(
    "handbuch",
    (tool("search_handbook", "Suche im Mitarbeiterhandbuch", query="string", top_k="integer?"),),
    "Du beantwortest Fragen nur aus dem Handbuch.",
)
PAPERS = Agent(
    "literature_review",
    (tool("search_papers", "Search for papers", query="string", year_from="integer?"),),
    "You find scientific papers. Only cite what you found.",
)
SUPPORT_DOCS = Agent(
    "docs_assistant",
    (
        tool("retrieve", "Retrieve passages of the documentation", question="string"),
        tool("open_page", "A whole page of the documentation", slug="string"),
    ),
    "You answer questions about the payment API from its documentation.",
)
INTAKE = Agent(
    "csv_intake",
    (
        tool("profile_file", "Columns and counts of a file", path="string"),
        tool("validate_csv", "Validate a file against a contract", path="string", contract="string"),
    ),
    "You check the files that suppliers send.",
)
SNOW = Agent(
    "매출_분석",
    (tool("run_snowflake_sql", "Snowflake에서 SQL을 실행", statement="string", warehouse="string?"),),
    "당신은 매출 분석가입니다. 한국어로 답하세요.",
)
EXTRACTOR = Agent(
    "invoice_extractor",
    (tool("ocr_document", "Text of a scanned document", document_id="string"),),
    "Extract invoices as JSON: number, date, total, currency, errors.",
)
NEWS = Agent("market_brief", (), "You brief a trader about the market, with sources.", "gpt-4.1")

TABLES = "customers, invoices, invoice_lines, payments, products, refunds, stores"
SEARCHES = (
    "microplastic uptake in lichens",
    "microplastics uptake lichens",
    "uptake of microplastics by lichens",
    "lichen microplastic uptake",
    "lichens microplastics accumulation",
    "microplastic accumulation in lichen",
    "microplastics lichen accumulation study",
    "accumulation of microplastics in lichens",
    "lichens accumulate microplastics",
    "lichen microplastics absorption",
    "absorption of microplastics by lichens",
    "microplastic absorption lichen",
    "microplastics in lichens",
    "lichens and microplastics",
)

STORIES = (
    Story(
        "fifth_data_sql_long",
        "genai_events",
        SQL,
        (
            user("Which store refunded the largest share of its sales in Q4 2025, and what was refunded most there?"),
            asks(call("sql_db_list_tables", {}, TABLES)),
            asks(
                call(
                    "sql_db_schema",
                    {"table_names": "invoices, refunds, stores"},
                    "CREATE TABLE refunds (id INTEGER, invoice_id INTEGER, amount NUMERIC, reason TEXT)\n/*\n3 rows:\n"
                    "1\t5512\t19.90\tERROR: wrong item\n2\t5519\t4.00\tdamaged\n3\t5520\t8.50\tpayment failed twice\n*/",
                )
            ),
            asks(
                call(
                    "sql_db_query_checker",
                    {"query": "SELECT store, sum(amount) FROM refunds GROUP BY store"},
                    "SELECT store, sum(amount) FROM refunds GROUP BY store",
                )
            ),
            asks(
                call(
                    "sql_db_query",
                    {"query": "SELECT store, sum(amount) FROM refunds GROUP BY store"},
                    'Error: (psycopg2.errors.UndefinedColumn) column "store" does not exist\nLINE 1: SELECT store, '
                    "sum(amount) FROM refunds\n               ^\n(Background on this error at: "
                    "https://sqlalche.me/e/20/f405)",
                )
            ),
            asks(
                call(
                    "sql_db_query",
                    {
                        "query": "SELECT s.name, sum(r.amount) FROM refunds r JOIN invoices i ON i.id = r.invoice_id JOIN "
                        "stores s ON s.id = i.store_id WHERE i.day >= '2025-10-01' GROUP BY s.name"
                    },
                    "[('Lyon', Decimal('8120.40')), ('Metz', Decimal('1990.00')), ('Nice', Decimal('4410.75'))]",
                ),
                call(
                    "sql_db_query",
                    {
                        "query": "SELECT s.name, sum(i.total) FROM invoices i JOIN stores s ON s.id = i.store_id WHERE "
                        "i.day >= '2025-10-01' GROUP BY s.name"
                    },
                    "[('Lyon', Decimal('512004.10')), ('Metz', Decimal('61220.00')), ('Nice', Decimal('301277.00'))]",
                ),
            ),
            asks(
                call(
                    "sql_db_query",
                    {
                        "query": "SELECT p.name, sum(r.amount) a FROM refunds r JOIN invoice_line l USING (invoice_id) "
                        "JOIN products p ON p.id = l.product_id GROUP BY p.name ORDER BY a DESC LIMIT 3"
                    },
                    'Error: (psycopg2.errors.UndefinedTable) relation "invoice_line" does not exist\nHINT:  Perhaps '
                    'you meant to reference the table "public.invoice_lines".',
                )
            ),
            asks(
                call(
                    "sql_db_query",
                    {
                        "query": "SELECT p.name, sum(r.amount) a FROM refunds r JOIN invoice_lines l USING (invoice_id) "
                        "JOIN products p ON p.id = l.product_id JOIN invoices i ON i.id = r.invoice_id JOIN stores s ON "
                        "s.id = i.store_id WHERE s.name = 'Metz' GROUP BY p.name ORDER BY a DESC LIMIT 3"
                    },
                    "[('Kettle 1.7 l', Decimal('640.00')), ('Toaster', Decimal('310.50')), ('Iron', Decimal('99.00'))]",
                )
            ),
            answers("Metz: 3.25 % of its Q4 sales were refunded, most of it for the kettle (640.00)."),
        ),
        failing=(),
        why="both refused queries were corrected; the last ones answered",
    ),
    Story(
        "fifth_data_undefined_table",
        "pydantic_ai",
        POSTGRES,
        (
            user("How many churned accounts do we have this month?"),
            asks(
                call(
                    "query",
                    {"sql": "SELECT count(*) FROM churned_accounts WHERE month = '2026-02'"},
                    fault=Fault("asyncpg.exceptions.UndefinedTableError", 'relation "churned_accounts" does not exist'),
                )
            ),
            answers("I could not find churned accounts: the table isn't there. Do you know how it is called?"),
        ),
        failing=("tool_error",),
        why="the driver raised and no other query was tried",
    ),
    Story(
        "fifth_data_nested_job_error",
        "genai",
        BIGQUERY,
        (
            user("Revenue per country last year, please."),
            asks(
                call(
                    "list_datasets", {"project": "retail-prod"}, {"datasets": ["sales", "stock"], "nextPageToken": None}
                )
            ),
            asks(
                call(
                    "run_query",
                    {"sql": "SELECT country, SUM(net) FROM sales.orders WHERE year = 2025 GROUP BY country"},
                    {
                        "kind": "bigquery#job",
                        "jobReference": {"projectId": "retail-prod", "jobId": "job_x81Zq"},
                        "statistics": {"creationTime": "1770028401120"},
                        "status": {
                            "state": "DONE",
                            "errorResult": {
                                "reason": "quotaExceeded",
                                "message": "Custom quota exceeded: Your usage exceeded the custom quota for "
                                "QueryUsagePerDay, which is set by your administrator.",
                            },
                            "errors": [{"reason": "quotaExceeded", "message": "Custom quota exceeded"}],
                        },
                    },
                )
            ),
            answers("I can't run this today, the daily query quota of the project is used up."),
        ),
        failing=("tool_error",),
        why="the job is done, but with an error result: its quota was exceeded",
    ),
    Story(
        "fifth_data_handbook_nothing_found",
        "openllmetry",
        HANDBOOK,
        (
            user("Darf ich meinen Hund ins Büro mitbringen?"),
            asks(
                call("search_handbook", {"query": "Hund Büro"}, "Keine Treffer für „Hund Büro“."),
                call(
                    "search_handbook", {"query": "Haustiere am Arbeitsplatz", "top_k": 5}, {"treffer": [], "anzahl": 0}
                ),
            ),
            answers("Dazu steht nichts im Handbuch. Bitte frag die Personalabteilung."),
        ),
        failing=(),
        why="two searches without hits, and the agent says so",
    ),
    Story(
        "fifth_data_lichen_searches",
        "openinference",
        PAPERS,
        (
            user("Find papers on the uptake of microplastics by lichens."),
            *(asks(call("search_papers", {"query": query}, {"total": 0, "papers": []})) for query in SEARCHES),
            answers("I could not find a paper about this."),
        ),
        failing=("tool_efficiency",),
        why="fourteen searches that differ in word order only, none of them with a result",
    ),
    Story(
        "fifth_data_docs_about_errors",
        "vercel_ai",
        SUPPORT_DOCS,
        (
            user("What does error 402 card_declined mean and how do I retry?"),
            asks(
                call(
                    "retrieve",
                    {"question": "402 card_declined retry"},
                    [
                        {
                            "score": 0.87,
                            "text": "HTTP 402: Error: card_declined. The request failed because the issuer declined. "
                            'Example: {"error": {"code": "card_declined", "status": "failed"}}',
                        },
                        {"score": 0.71, "text": "Timeouts and 5xx: retry with the same Idempotency-Key."},
                    ],
                )
            ),
            asks(
                call(
                    "open_page",
                    {"slug": "errors/declines"},
                    "# Declines\n\nError handling: a decline is final for this card. Do not retry automatically; ask "
                    "the customer for another payment method. `do_not_honor`, `insufficient_funds` and `expired_card` "
                    "are reported as `decline_code`.",
                )
            ),
            answers("The issuer declined the card. Don't retry it by itself: ask for another payment method."),
        ),
        failing=(),
        why="the documentation is about errors; both lookups worked",
    ),
    Story(
        "fifth_data_contract_violations",
        "genai_events",
        INTAKE,
        (
            user("Check /in/stock_2026-02-01.csv of supplier 118."),
            asks(
                call(
                    "profile_file",
                    {"path": "/in/stock_2026-02-01.csv"},
                    {"rows": 1204, "columns": ["sku", "qty", "price"], "encoding_errors": 0},
                )
            ),
            asks(
                call(
                    "validate_csv",
                    {"path": "/in/stock_2026-02-01.csv", "contract": "stock-v2"},
                    {
                        "valid": False,
                        "checked_rows": 1204,
                        "violations": [
                            {"row": 17, "column": "qty", "message": "must be >= 0, is -4"},
                            {"row": 903, "column": "price", "message": "is missing"},
                        ],
                    },
                )
            ),
            answers("Two rows break the contract: row 17 has a negative quantity, row 903 no price. Send it back."),
        ),
        failing=(),
        why="the validator did its work; the violations are its findings",
    ),
    Story(
        "fifth_data_session_expired_korean",
        "genai_events",
        SNOW,
        (
            user("지난달 서울 매장의 매출을 알려 주세요."),
            asks(
                call(
                    "run_snowflake_sql",
                    {"statement": "SELECT SUM(amount) FROM sales WHERE city = '서울' AND month = '2026-01'"},
                    "오류: 인증 토큰이 만료되었습니다. 다시 로그인해야 합니다.",
                )
            ),
            answers("죄송합니다. 데이터베이스에 접속할 수 없어 매출을 조회하지 못했습니다."),
        ),
        failing=("tool_error",),
        why="the only query failed because the login has expired, told in Korean",
    ),
    Story(
        "fifth_data_invoice_as_json",
        "openinference",
        EXTRACTOR,
        (
            user("Extract document scan-8812."),
            asks(
                call(
                    "ocr_document",
                    {"document_id": "scan-8812"},
                    {
                        "text": "FACTURE n° F-2026-0041\n2 février 2026\nTotal TTC 1 284,60 €\nPénalité en cas d'échec "
                        "de paiement : 40 €",
                        "confidence": 0.97,
                        "error": "",
                        "warnings": ["page 2 is blank"],
                    },
                )
            ),
            answers(
                '{"number": "F-2026-0041", "date": "2026-02-02", "total": 1284.6, "currency": "EUR", "errors": []}'
            ),
        ),
        failing=(),
        why="structured output; an empty error field and a warning about a blank page",
    ),
    Story(
        "fifth_data_market_brief_hosted",
        "openllmetry",
        NEWS,
        (
            user("Any news on the nickel price today?"),
            answers(
                "Nickel fell 2 % on the LME after a smelter restarted; traders speak of a failed breakout.",
                hosted=(
                    hosted(
                        "web_search",
                        {"query": "nickel price news today"},
                        {
                            "results": [
                                {"title": "Nickel drops after failed breakout", "url": "https://metals.example/n"}
                            ]
                        },
                    ),
                ),
            ),
        ),
        failing=(),
        why="the provider searched the web and the model answered; no tool was offered by the application",
    ),
)
