"""Questions that are answered with SQL."""

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, tool, user

__all__ = ["STORIES"]

QUERY = tool("run_sql", "Run a query on the warehouse", sql="string")
SCHEMA = tool("describe_table", "Columns of a table", table="string")
LINT = tool("validate_sql", "Check a query without running it", sql="string")
SQL = Agent("warehouse_agent", (QUERY, SCHEMA, LINT), "You answer questions from the warehouse.")
TOTAL = {"sql": "select sum(amount) from sales where year = 2024"}

STORIES = [
    Story(
        "third_sql_fixes_column",
        "openinference",
        SQL,
        (
            user("Revenue of 2024?"),
            asks(call("run_sql", {"sql": "select sum(amt) from sales"}, 'Error: column "amt" does not exist')),
            asks(call("describe_table", {"table": "sales"}, [{"name": "amount"}, {"name": "year"}])),
            asks(call("run_sql", TOTAL, [{"sum": 918233.5}])),
            answers("918,233.50."),
        ),
        (),
        "a failed query that was corrected",
    ),
    Story(
        "third_sql_permission_denied",
        "genai",
        SQL,
        (
            user("Average salary?"),
            asks(
                call(
                    "run_sql",
                    {"sql": "select avg(salary) from hr.people"},
                    fault=Fault("psycopg.errors.InsufficientPrivilege", "permission denied for schema hr"),
                )
            ),
            answers("I have no access to salaries."),
        ),
        ("tool_error",),
        "the only query raised",
    ),
    Story(
        "third_sql_same_query",
        "openllmetry",
        SQL,
        (
            user("Revenue of 2024 by month?"),
            *(asks(call("run_sql", TOTAL, [{"sum": 918233.5}])) for _ in range(5)),
            answers("The revenue of 2024 is 918,233.50."),
        ),
        ("tool_efficiency",),
        "the same query with the same result five times",
    ),
    Story(
        "third_sql_validator_finds_fault",
        "pydantic_ai",
        SQL,
        (
            user("Is this query right? select * form sales"),
            asks(
                call(
                    "validate_sql",
                    {"sql": "select * form sales"},
                    {"valid": False, "errors": [{"line": 1, "message": 'syntax error at or near "form"'}]},
                )
            ),
            answers("No: write from instead of form."),
        ),
        (),
        "a validator that did its work",
    ),
    Story(
        "third_sql_broken_json",
        "genai",
        SQL,
        (
            user("How many sales in May?"),
            asks(
                call(
                    "run_sql",
                    '{"sql": "select count(*) from sales where month = ',
                    fault=Fault("JSONDecodeError", "Unterminated string starting at: line 1 column 9"),
                )
            ),
            asks(call("run_sql", {"sql": "select count(*) from sales where month = 5"}, [{"count": 311}])),
            answers("311."),
        ),
        ("tool_call_validity",),
        "arguments that are no JSON; the failure was made good",
    ),
    Story(
        "third_sql_empty_result",
        "genai_events",
        SQL,
        (
            user("Which customers bought in 1990?"),
            asks(call("run_sql", {"sql": "select * from sales where year = 1990"}, [])),
            answers("None."),
        ),
        (),
        "an empty result is an answer",
    ),
]
