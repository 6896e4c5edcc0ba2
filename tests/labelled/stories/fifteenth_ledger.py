"""Books, invoices, databases."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, hosted, pause, refused, repeat_calls, tool, user

__all__ = ["STORIES"]

SQL = tool("execute_sql", "Runs a query", query="string")
TABLES = tool("list_tables", "Tables of a schema", schema="string")
DATA = Agent("data_analyst", (TABLES, SQL), "You answer questions with SQL on Postgres.", "gpt-4.1")

BIGQUERY = Agent("finance_sql", (SQL,), "You answer questions with SQL on BigQuery.", "gemini-2.5-flash", "gcp.gemini")

EXPENSE = tool(
    "create_expense",
    "Records an expense",
    amount="number",
    currency="string",
    category="string",
    note="string?",
    project_id="string?",
)
SPESEN = Agent("spesen_bot", (EXPENSE,), "Du erfasst Spesen.", "gpt-4o-mini")

INVOICES = tool("list_invoices", "Invoices", status="string", page="integer?")
CONTACT = tool("get_contact", "A contact", contact_id="string")
XERO = Agent("xero_assistant", (INVOICES, CONTACT), "You answer questions on the books.", "gpt-4.1-mini")

JOURNAL = tool(
    "post_journal",
    "Posts a journal entry",
    date="string",
    lines={
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"account": {"type": "string"}, "debit": {"type": "number"}, "credit": {"type": "number"}},
            "required": ["account", "debit", "credit"],
        },
    },
)
BOOKS = Agent("bookkeeper", (JOURNAL,), "You post journal entries.", "gpt-4o")

BALANCE = tool("get_balance", "Balance of an account on a day", account="string", date="string")
ENTRIES = tool("list_entries", "Entries of an account in a month", account="string", month="string")
CLOSE = Agent("month_end", (BALANCE, ENTRIES), "You reconcile accounts.", "gpt-4o-mini")

ESCALATE = tool("escalate_to_human", "Hands the case to a colleague", reason="string", queue="string?")
DUNNING = Agent(
    "relance_client",
    (INVOICES, ESCALATE),
    "Tu réponds aux clients sur leurs factures.",
    "mistral-large-latest",
    "mistral_ai",
)

LETTERS = Agent("collections_writer", (CONTACT,), "You write letters to debtors.", "gpt-4o")
FORECAST = Agent("forecast_helper", (), "You compute forecasts with the code interpreter.", "gpt-4.1")

STORIES = (
    Story(
        "fifteenth_ledger_column_corrected",
        "genai",
        DATA,
        (
            user("Revenue in March?"),
            asks(
                call(
                    "execute_sql",
                    {"query": "SELECT sum(total) FROM invoices WHERE date_trunc('month', created) = '2026-03-01'"},
                    fault=Fault(
                        "psycopg.errors.UndefinedColumn",
                        'column "total" does not exist\nLINE 1: SELECT sum(total) FROM invoices\n                   ^',
                    ),
                )
            ),
            asks(
                call(
                    "execute_sql",
                    {"query": "SELECT column_name FROM information_schema.columns WHERE table_name = 'invoices'"},
                    [{"column_name": "id"}, {"column_name": "amount_net"}, {"column_name": "created"}],
                )
            ),
            asks(
                call(
                    "execute_sql",
                    {"query": "SELECT sum(amount_net) FROM invoices WHERE date_trunc('month', created) = '2026-03-01'"},
                    [{"sum": "184220.50"}],
                )
            ),
            answers("184,220.50 net in March."),
        ),
        failing=(),
        why="the first query named a wrong column; the corrected one worked",
    ),
    Story(
        "fifteenth_ledger_no_open_disputes",
        "genai_events",
        DATA,
        (
            user("Which disputes are older than 30 days?"),
            asks(
                call(
                    "list_tables",
                    {"schema": "public"},
                    [
                        {"name": "disputes", "rows": 118},
                        {"name": "failed_payments", "rows": 2204},
                        {"name": "errors", "rows": 9},
                    ],
                )
            ),
            asks(
                call(
                    "execute_sql",
                    {
                        "query": "SELECT id FROM disputes WHERE closed_at IS NULL AND opened_at < now() - interval '30 days'"
                    },
                    [],
                )
            ),
            answers("None: no open dispute is older than 30 days."),
        ),
        failing=(),
        why="no row is the answer; tables are merely named after errors",
    ),
    Story(
        "fifteenth_ledger_three_queries_refused",
        "openinference",
        BIGQUERY,
        (
            user("How much did we spend on ads per country?"),
            asks(
                call(
                    "execute_sql",
                    {"query": "SELECT country, SUM(cost) FROM ads GROUP BY country"},
                    {
                        "status": "error",
                        "error": '400 Table "ads" must be qualified with a dataset (e.g. dataset.table).',
                    },
                )
            ),
            asks(
                call(
                    "execute_sql",
                    {"query": "SELECT country, SUM(cost) FROM marketing.ads GROUP BY country"},
                    {
                        "status": "error",
                        "error": "404 Not found: Table acme-dwh:marketing.ads was not found in location EU",
                    },
                )
            ),
            asks(
                call(
                    "execute_sql",
                    {"query": "SELECT table_name FROM marketing.INFORMATION_SCHEMA.TABLES"},
                    {
                        "status": "error",
                        "error": "403 Access Denied: Table acme-dwh:marketing.INFORMATION_SCHEMA.TABLES: User does not have permission to query table",
                    },
                )
            ),
            answers(
                "I have no access to the marketing data. Please ask the data team for the role BigQuery Data Viewer."
            ),
        ),
        failing=("tool_error",),
        why="all three queries failed, and no later one worked",
    ),
    Story(
        "fifteenth_ledger_betrag_als_text",
        "openllmetry",
        SPESEN,
        (
            user("12,50 € Taxi heute, bitte erfassen."),
            asks(
                call(
                    "create_expense",
                    {"amount": "12.50", "currency": "EUR", "category": "taxi", "note": None, "project_id": None},
                    {
                        "id": "exp_7731",
                        "amount": 12.5,
                        "currency": "EUR",
                        "state": "draft",
                        "violations": [],
                        "error": None,
                    },
                )
            ),
            answers("Erfasst: 12,50 € Taxi (exp_7731)."),
        ),
        failing=(),
        why="the amount converts without loss, null stands for optional properties, and the expense was recorded",
    ),
    Story(
        "fifteenth_ledger_xero_rate_limit",
        "vercel_ai",
        XERO,
        (
            user("Which invoices are overdue?"),
            asks(
                call(
                    "list_invoices",
                    {"status": "OVERDUE", "page": 1},
                    {
                        "status": 429,
                        "title": "Too Many Requests",
                        "detail": "API rate limit exceeded. Retry after 20 seconds.",
                    },
                )
            ),
            pause(20),
            asks(
                call(
                    "list_invoices",
                    {"status": "OVERDUE", "page": 1},
                    {
                        "Id": "a31f",
                        "Status": "OK",
                        "Invoices": [
                            {"InvoiceNumber": "INV-0291", "AmountDue": 880.0, "HasErrors": False},
                            {"InvoiceNumber": "INV-0303", "AmountDue": 120.5, "HasErrors": False},
                        ],
                    },
                )
            ),
            answers("Two: INV-0291 with 880.00 and INV-0303 with 120.50."),
        ),
        failing=(),
        why="the list was over the rate once and was read 20 seconds later",
    ),
    Story(
        "fifteenth_ledger_lines_as_text",
        "pydantic_ai",
        BOOKS,
        (
            user("Post 200 from bank (1200) to cash (1000), today, 2026-03-31."),
            asks(
                refused(
                    "post_journal",
                    {"date": "2026-03-31", "lines": "1000 debit 200; 1200 credit 200"},
                    '1 validation error:\n```json\n[{"type": "list_type", "loc": ["lines"], "msg": "Input should be a valid array", "input": "1000 debit 200; 1200 credit 200"}]\n```\n\nFix the errors and try again.',
                )
            ),
            asks(
                call(
                    "post_journal",
                    {
                        "date": "2026-03-31",
                        "lines": [
                            {"account": "1000", "debit": 200, "credit": 0},
                            {"account": "1200", "debit": 0, "credit": 200},
                        ],
                    },
                    {"journal_id": "J-5518", "posted": True},
                )
            ),
            answers("Posted as J-5518."),
        ),
        failing=("tool_call_validity",),
        why="the lines were a text where the schema asks for an array; the second call was right",
    ),
    Story(
        "fifteenth_ledger_round_in_circles",
        "genai",
        CLOSE,
        (
            user("Why is account 1370 not zero at the end of February?"),
            *repeat_calls(
                5,
                call(
                    "get_balance", {"account": "1370", "date": "2026-02-28"}, {"account": "1370", "balance": "412.00"}
                ),
                call(
                    "list_entries",
                    {"account": "1370", "month": "2026-02"},
                    {"entries": [{"doc": "K-118", "debit": "412.00", "text": "Clearing, not assigned"}]},
                ),
            ),
            answers("K-118 over 412.00 has not been assigned yet."),
        ),
        failing=("tool_efficiency",),
        why="balance and entries were read five times in turn, each time with the same result",
    ),
    Story(
        "fifteenth_ledger_escalade_humaine",
        "openinference",
        DUNNING,
        (
            user("Vous me relancez pour la troisième fois alors que j'ai payé ! Je veux parler à quelqu'un."),
            asks(
                call(
                    "escalate_to_human",
                    {"reason": "Client affirme avoir payé, troisième relance", "queue": "recouvrement"},
                    {"ticket": "REC-771", "state": "waiting_for_agent", "position": 2},
                )
            ),
            answers(
                "Je vous mets en relation avec une collègue du recouvrement, vous êtes en deuxième position (dossier REC-771)."
            ),
        ),
        failing=(),
        why="the case was handed to a person",
    ),
    Story(
        "fifteenth_ledger_letter_withheld",
        "genai_events",
        LETTERS,
        (
            user("Write a last reminder to contact C-88, make it hurt."),
            asks(
                call(
                    "get_contact",
                    {"contact_id": "C-88"},
                    {"id": "C-88", "name": "Okafor Stahlbau", "balance": 2310.0, "reminders": 3},
                )
            ),
            answers(None, "content_filter"),
        ),
        failing=("run_completion",),
        why="the content filter withheld the answer",
    ),
    Story(
        "fifteenth_ledger_forecast_computed",
        "openllmetry",
        FORECAST,
        (
            user("Revenue was 100, 112, 119, 131. Linear forecast for the next month?"),
            answers(
                "About 140.5 by a linear trend.",
                hosted=(
                    hosted(
                        "code_interpreter",
                        {
                            "code": "import numpy as np\nprint(np.polyval(np.polyfit(range(4), [100, 112, 119, 131], 1), 4))"
                        },
                        {"outputs": [{"type": "logs", "logs": "140.5\n"}], "status": "completed"},
                    ),
                ),
            ),
        ),
        failing=(),
        why="the provider ran the code interpreter",
    ),
)
