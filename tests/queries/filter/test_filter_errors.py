"""Filters that cannot be read."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tracegrade.queries.filter import FIELDS, FilterError, compile_filter, quote
from tracegrade.queries.filter.fields import STATES, TOOL_STATES
from tracegrade.queries.filter.lexer import COMPARISONS, MAX_CHARACTERS, MAX_TERMS, read_terms
from tracegrade.queries.filter.predicate import find_surplus_parenthesis


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("agnet:shop", 0, "there is no field 'agnet'; did you mean 'agent'? Allowed: agent, model"),
        ("refund -Agnet:shop", 8, "there is no field 'Agnet'; did you mean 'agent'?"),
        ("http://x", 0, 'To look for this text, put it in quotation marks: "http://x"'),
        ("my-agent:x", 0, "there is no field 'my-agent'"),
        ("a->b", 0, "there is no field 'a-'"),
        ("is:failng", 3, "there is no state 'failng'; did you mean 'failing'? Allowed: failing, unscored, partial"),
        ("tool:files:read", 11, "there is no state of a tool 'read'. Allowed: error, invalid, fault."),
        ("tool::error", 5, "the name of a tool is missing: tool:NAME:error"),
        ("tool>pay", 0, "tool is not compared, and takes a value: tool:VALUE"),
        ("score:<1", 6, "the name of an evaluator is missing: score:NAME<1"),
        ("score:polite<low", 13, "'low' is not a number; write it as 3, 0.5 or -1"),
        ("score:polite<=", 14, "'' is not a number"),
        ("score:polite<1<2", 13, "'1<2' is not a number"),
        ("cost:3", 0, "cost is compared, with one of >= <= = > <: cost>0.1"),
        ("cost>cheap", 5, "'cheap' is not an amount in US dollars; write it as 0.1 or $2"),
        ("tokens>5q", 7, "'5q' is not a number; write it as 500, 5k or 1.5m"),
        ("calls>", 6, "a value is missing: calls>VALUE"),
        ("duration>5", 9, "'5' is not a duration; write it as 250ms, 5s, 2m or 1h30m"),
        ("cost>1e999", 5, "is not an amount"),
        ("agent:", 6, "a value is missing: agent:VALUE"),
        ('agent:"" x', 6, "a value is missing: agent:VALUE"),
        ('agent:"my shop', 6, "this quotation mark is not closed"),
        ("refund -", 8, "a word is missing after the minus"),
        ("sql:", 4, "after sql: comes a condition over the columns of runs"),
        ("-sql:true", 0, "sql: takes no minus; write `sql:not (…)`"),
        ("sql: true) or (true", 9, "this parenthesis closes none of the condition"),
        ("a\0", 1, "not text"),
        ("\ud800", 0, "not text"),
        ("a" * (MAX_CHARACTERS + 1), 0, "a filter has at most 10,000 characters, and this has 10,001"),
        ("a " * (MAX_TERMS + 1), 2 * MAX_TERMS, "a filter has at most 100 terms; write the others in SQL: sql:…"),
    ],
)
def test_filter_that_cannot_be_read_says_where_and_what_to_write(text: str, position: int, message: str) -> None:
    with pytest.raises(FilterError) as refusal:
        compile_filter(text)
    assert message in str(refusal.value)
    assert refusal.value.position == position


def test_error_has_the_nearest_word_and_all_that_are_allowed() -> None:
    with pytest.raises(FilterError) as refusal:
        compile_filter("versoin:1")
    assert (refusal.value.near, refusal.value.allowed) == ("version", (*FIELDS, "sql"))


@pytest.mark.parametrize(
    ("predicate", "position"),
    [
        ("(a)", None),
        ("')'", None),
        ("''')'", None),
        (r"e'\')'", None),
        (r"'\')'", 3),
        ('")"', None),
        ("a -- )", None),
        ("a -- (\n)", 7),
        ("/* ) /* ) */ ) */ a", None),
        ("/* */ )", 6),
        ("$$)$$", None),
        ("$a$)$a$", None),
        ("$1)", 2),
        (")(", 0),
    ],
)
def test_parenthesis_that_closes_none_of_a_condition_is_found(predicate: str, position: int | None) -> None:
    assert find_surplus_parenthesis(predicate) == position


VALUES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30)
PIECES = st.sampled_from([*FIELDS, *STATES, *TOOL_STATES, *COMPARISONS, *"-:\"\\ ()';$", "sql:", "--", "/*", "1", "5s"])
TEXTS = st.lists(PIECES | st.text(max_size=5), max_size=12).map("".join)


DATABASE = duckdb.connect()


@settings(deadline=None)
@given(TEXTS)
@example('tool:"a":error score:b<=1')
def test_any_text_is_read_or_refused_with_a_position(text: str) -> None:
    try:
        compile_filter(text)
    except FilterError as error:
        assert 0 <= error.position <= len(text)


@settings(deadline=None)
@given(TEXTS)
@example('agent:"\'; drop table runs; --"')
def test_filter_without_sql_of_a_user_is_one_condition(text: str) -> None:
    try:
        run_filter = compile_filter(text)
    except FilterError:
        return
    if run_filter.predicate is None:
        statements = DATABASE.extract_statements(f"select * from runs where (\n{run_filter.condition}\n)")
        assert [statement.type for statement in statements] == [duckdb.StatementType.SELECT]
        assert statements[0].named_parameters <= {"since", "until", *run_filter.parameters}


@settings(deadline=None)
@given(st.sampled_from(["true", "(1 = 1)", "'a' = 'b'", "x -- y", "/* ( */ x"]), TEXTS, TEXTS)
@example("true", "", ") or (true")
@example("true", "", "$$) or (true$$")
@example("true", "", "e'\\' ) or (true'")
def test_condition_of_a_user_does_not_leave_its_parentheses(condition: str, before: str, after: str) -> None:
    """With an opening parenthesis before it and none after it, no text that is accepted is SQL."""
    predicate = f"{before}{condition}{after}"
    try:
        accepted = compile_filter(f"sql:{predicate}").predicate
    except FilterError:
        return
    with pytest.raises((duckdb.Error, ValueError)):
        DATABASE.extract_statements(f"select * from runs where (\n{accepted}\n")


@settings(deadline=None)
@given(VALUES, st.sampled_from([name for name, field in FIELDS.items() if ":" in field.form and name != "is"]))
def test_quoted_text_is_read_as_it_is(value: str, field: str) -> None:
    (term,) = read_terms(f"{field}:{quote(value)}").terms
    assert (term.field, term.text) == (field, value)
    assert value in compile_filter(f"{field}:{quote(value)}").parameters.values()
    assert list(compile_filter(quote(value)).parameters.values()) == [value]
