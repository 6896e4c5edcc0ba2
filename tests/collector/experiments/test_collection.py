"""Items are made of stored runs, and what none can be made of is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support import agent_spans
from tests.support.agent_spans import text_message
from tests.support.otlp import run_id
from tests.support.store import Store, opened

from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.errors import Fault, SqlRefused
from tracegrade.collector.experiments.collection import Collected, collect_query, collect_runs
from tracegrade.collector.references.rules import References, Rule
from tracegrade.evaluators.experiments.item import Expect
from tracegrade.evaluators.model import ExpectedCall

SEARCH = ExpectedCall(name="search", args={"to": "Paris"})


def ask(store: Store, trace: int, question: str | None) -> None:
    """A run that answers a question; None: content is not recorded."""
    heard = [] if question is None else [text_message("user", question)]
    said = [] if question is None else [text_message("assistant", "Sure.")]
    store.arrive(
        [agent_spans.agent(1, trace=trace, for_s=5), agent_spans.chat(2, trace=trace, parent=1, hears=heard, says=said)]
    )
    store.revise(trace)


def query(store: Store, sql: str, *expect: Expect, max_rows: int = 1_000) -> Collected:
    return collect_query(LocalSource(store.database, max_rows=max_rows).read, sql, References(), expect=expect)


def test_query_gives_an_item_of_each_run_in_its_order(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for trace, question in ((1, "b"), (2, "c"), (3, "a")):
            ask(store, trace, question)
        found = query(store, "select agent_trace_id from agent_traces order by input desc")
        assert [item.input for item in found.items] == ["c", "b", "a"]
        assert [item.source.agent_trace_id for item in found.items if item.source] == [run_id(2), run_id(1), run_id(3)]
        assert found.left_out == []


def test_further_columns_replace_fields_of_the_run(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1)
        columns = "agent_trace_id, 'yes' as expected_response, '[\"book\"]' as expected_tools, ['x', 'y'] as tags"
        (item,) = query(store, f"select {columns}, null as split from agent_traces", "calls", "response").items
        assert (item.expected_response, item.tags, item.split) == ("yes", ("x", "y"), None)
        assert item.expected_tool_calls == (ExpectedCall(name="book"),)


def test_what_runs_did_is_expected_only_where_that_is_asked_for(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1)
        sql = "select agent_trace_id from agent_traces"
        assert [item.defined for item in query(store, sql).items] == [{}]
        (item,) = query(store, sql, "calls", "response").items
        assert item.defined == {"expected_tool_calls": (SEARCH,), "expected_response": "Take AF007."}


def test_rules_say_what_is_expected_of_a_run(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1)
        rules = References([Rule(name="trips", tasks="find a flight")])
        read = LocalSource(store.database).read
        (item,) = collect_runs(read, {run_id(1): {}}, rules).items
        assert item.defined == {"tasks": ("find a flight",)}


def test_rows_without_runs_are_items_by_their_input(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        found = query(store, "select * from (values ('a', 'test'), ('', null), ('a', null)) t(question, split)")
        assert [(item.input, item.split) for item in found.items] == [("a", "test")]
        assert found.left_out == [
            "row 2: input: it is empty; an agent needs something to answer",
            "row 3: it has the input or the id of row 1, which is kept",
        ]


def test_run_that_no_item_can_be_made_of_is_named_with_its_reason(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        ask(store, 1, "a")
        ask(store, 2, None)
        ask(store, 3, "a")
        runs: dict[str, dict[str, str]] = {run_id(trace): {} for trace in (1, 2, 3, 4)}
        found = collect_runs(LocalSource(store.database).read, runs, References())
        assert [item.input for item in found.items] == ["a"]
        assert found.left_out == [
            f"{run_id(2)}: its input was not recorded",
            f"{run_id(3)}: it has the input or the id of {run_id(1)}, which is kept",
            f"{run_id(4)}: there is no such run",
        ]


def test_first_of_several_rows_of_a_run_is_kept_and_the_others_are_named(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1, 2)
        rows = [(run_id(1), "a"), (None, "b"), (run_id(2), "c"), (run_id(1), "d"), (None, "e")]
        values = ", ".join(f"({'null' if run is None else repr(run)}, '{split}')" for run, split in rows)
        found = query(store, f"select * from (values {values}) as t(agent_trace_id, split)")
        assert [(item.source and item.source.agent_trace_id, item.split) for item in found.items] == [(run_id(1), "a")]
        assert found.left_out == [
            "row 2: its agent_trace_id is null",
            "row 4: it has the run of row 1, which is kept",
            "row 5: its agent_trace_id is null",
            f"{run_id(2)}: it has the input or the id of {run_id(1)}, which is kept",
        ]


def test_row_with_a_value_that_cannot_be_stored_is_named_with_its_place(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        columns = {
            """'a' as input, '{"n": 99999999999999999999}' as metadata""": "metadata.n: it has more than 64 bits",
            "'a'::blob as input": "input: it is binary",
            "'a' as input, {'b': ['c'::blob]} as metadata": "metadata.b[0]: it is binary",
            "'a' as input, {'n': 'nan'::double} as metadata": "metadata.n: it is nan",
        }
        for selected, message in columns.items():
            (left_out,) = query(store, f"select {selected}").left_out
            assert left_out.startswith(f"row 1: {message}")


@pytest.mark.parametrize(
    ("sql", "fault"),
    [
        (
            "select agent_trace_id, expectd_response from (select '' as agent_trace_id, 1 as expectd_response)",
            "did you mean",
        ),
        ("select 3 as agent_trace_id", "row 1: agent_trace_id is a number, not text"),
        ("select 'a'::blob as agent_trace_id", "row 1: agent_trace_id is a bytes, not text"),
        ("select 'a' as tags", "the query selects neither agent_trace_id nor input"),
        ("select range::varchar as input from range(11)", "returns more than 10 rows; add a `limit`"),
    ],
    ids=["misspelt column", "number as a run", "blob as a run", "no input", "too many rows"],
)
def test_query_that_gives_no_items_is_refused(tmp_path: Path, sql: str, fault: str) -> None:
    with opened(tmp_path) as store, pytest.raises(Fault, match=fault):
        query(store, sql, max_rows=10)


def test_query_that_writes_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as store, pytest.raises(SqlRefused):
        query(store, "delete from spans")
