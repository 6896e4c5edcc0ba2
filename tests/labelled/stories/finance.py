"""Banking and accounting: payments, approvals, tools behind MCP servers."""

from __future__ import annotations

from ..story import Agent, Fault, Story, Tool, answers, asks, call, crashes, refused, tool, user

__all__ = ["STORIES"]

PAY = tool("create_payment", "Create a payment", iban="string", amount="number", currency=["EUR", "USD", "CHF"])
RATE = tool("get_rate", "An exchange rate", base="string", quote="string")
BALANCE = tool("get_balance", "The balance of an account", account="string")
LEDGER = tool("search_ledger", "Search the ledger", text="string", limit="integer?")
CHECK_IBAN = tool("validate_iban", "Check an IBAN", iban="string")
SAVE = Tool(
    "save_report", "Save a report", {"type": "object", "properties": {"rows": {"type": "array"}}, "required": ["rows"]}
)
TREASURY = Agent("treasury", (PAY, RATE, BALANCE, LEDGER, CHECK_IBAN, SAVE), "You prepare payments for a finance team.")

SENT = {"payment_id": "pay_7731", "status": "submitted", "error": None}


def mcp(text: str, *, is_error: bool) -> dict[str, object]:
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


STORIES = (
    Story(
        "finance_mcp_error",
        "vercel_ai",
        TREASURY,
        (
            user("What is the balance of ACC-19?"),
            asks(call("get_balance", {"account": "ACC-19"}, mcp("account ACC-19 is closed", is_error=True))),
            answers("That account is closed, so there is no balance to show."),
        ),
        failing=("tool_error",),
        why="MCP's isError says that the call failed",
    ),
    Story(
        "finance_mcp_result",
        "genai",
        TREASURY,
        (
            user("What is the balance of ACC-20?"),
            asks(
                call("get_balance", {"account": "ACC-20"}, mcp('{"balance": 1204.11, "error": null}', is_error=False))
            ),
            answers("€1,204.11."),
        ),
        failing=(),
        why="isError is false and the text holds the balance",
    ),
    Story(
        "finance_payment_error_as_text",
        "genai_events",
        TREASURY,
        (
            user("Pay invoice 4410 to DE89370400440532013000, 890 euros."),
            asks(
                call(
                    "create_payment",
                    {"iban": "DE89370400440532013000", "amount": 890, "currency": "EUR"},
                    "PaymentError: limit of the day exceeded",
                )
            ),
            answers("The payment wasn't created: the limit of the day is used up."),
        ),
        failing=("tool_error",),
        why="the result is nothing but the error of the payment",
    ),
    Story(
        "finance_errors_in_envelope",
        "openllmetry",
        TREASURY,
        (
            user("Pay 12 CHF to CH9300762011623852957."),
            asks(
                call(
                    "create_payment",
                    {"iban": "CH9300762011623852957", "amount": 12, "currency": "CHF"},
                    {"payment_id": None, "errors": [{"code": "AC04", "message": "account closed"}]},
                )
            ),
            answers("The bank refused it: the account is closed."),
        ),
        failing=("tool_error",),
        why="the list of errors is not empty and there is no payment",
    ),
    Story(
        "finance_iban_is_invalid",
        "openinference",
        TREASURY,
        (
            user("Is DE12 3456 a valid IBAN?"),
            asks(call("validate_iban", {"iban": "DE123456"}, {"valid": False, "error": "length is 8, expected 22"})),
            answers("No, it is too short: German IBANs have 22 characters."),
        ),
        failing=(),
        why="the validator found the fault that it looks for",
    ),
    Story(
        "finance_currency_unknown",
        "pydantic_ai",
        TREASURY,
        (
            user("Pay 30 pounds to GB29NWBK60161331926819."),
            asks(
                call(
                    "create_payment",
                    {"iban": "GB29NWBK60161331926819", "amount": 30, "currency": "GBP"},
                    fault=Fault("ToolRetryError", "currency: Input should be 'EUR', 'USD' or 'CHF'"),
                )
            ),
            answers("I can only pay in EUR, USD or CHF."),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="GBP is not one of the currencies of the schema, and the call was refused and not repeated",
    ),
    Story(
        "finance_amount_as_text",
        "openinference",
        TREASURY,
        (
            user("Pay 18.50 EUR to DE89370400440532013000."),
            asks(
                call(
                    "create_payment",
                    {"iban": "DE89370400440532013000", "amount": "18.50", "currency": "EUR"},
                    SENT,
                )
            ),
            answers("Payment pay_7731 over €18.50 is submitted."),
        ),
        failing=(),
        why='"18.50" converts to a number without loss, and the payment was submitted',
    ),
    Story(
        "finance_amount_with_words",
        "openllmetry",
        TREASURY,
        (
            user("Pay about twenty euros to DE89370400440532013000."),
            asks(
                call(
                    "create_payment",
                    {"iban": "DE89370400440532013000", "amount": "about twenty", "currency": "EUR"},
                    {"status": "error", "message": "amount is not a number"},
                )
            ),
            answers("I need an exact amount to pay."),
        ),
        failing=("tool_call_validity", "tool_error"),
        why='"about twenty" is not a number, and the payment failed for it',
    ),
    Story(
        "finance_tool_not_offered",
        "genai",
        TREASURY,
        (
            user("Wire 5,000 to the usual supplier."),
            asks(
                refused("wire_transfer", {"to": "usual supplier", "amount": 5000}, "Unknown tool: wire_transfer"),
            ),
            answers("I can't make wire transfers from here."),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="no such tool was offered, and the framework said so",
    ),
    Story(
        "finance_rates_differ",
        "vercel_ai",
        TREASURY,
        (
            user("Rates of EUR against USD, CHF and JPY?"),
            asks(
                call("get_rate", {"base": "EUR", "quote": "USD"}, {"rate": 1.0831}),
                call("get_rate", {"base": "EUR", "quote": "CHF"}, {"rate": 0.9512}),
                call("get_rate", {"base": "EUR", "quote": "JPY"}, {"rate": 163.22}),
            ),
            answers("USD 1.0831, CHF 0.9512, JPY 163.22."),
        ),
        failing=(),
        why="three calls of one tool side by side, each with other arguments",
    ),
    Story(
        "finance_report_saved_with_nulls",
        "genai",
        TREASURY,
        (
            user("Save the three biggest postings."),
            asks(
                call("search_ledger", {"text": "*", "limit": None}, [["4400", 9120.0], ["4410", 890.0], ["4470", 12.5]])
            ),
            asks(
                call(
                    "save_report",
                    {"rows": [["4400", 9120.0], ["4410", 890.0], ["4470", 12.5]]},
                    {"ok": True, "error": False},
                )
            ),
            answers("Saved."),
        ),
        failing=(),
        why="a null for an optional argument counts as absent; error is false",
    ),
    Story(
        "finance_ledger_crash",
        "genai_events",
        TREASURY,
        (
            user("Find all postings of Tessel AG."),
            asks(
                call(
                    "search_ledger",
                    {"text": "Tessel"},
                    fault=Fault("psycopg.OperationalError", "could not connect to server"),
                )
            ),
            crashes("psycopg.OperationalError", "could not connect to server"),
        ),
        failing=("run_completion", "tool_error"),
        why="the database was gone, and the exception ended the run",
    ),
)
