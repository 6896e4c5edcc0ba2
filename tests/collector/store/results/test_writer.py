from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import agent_spans, otlp
from tests.support.store import Clock, Store, opened

from tracegrade.collector.spans.span import Event, Span
from tracegrade.collector.store.arrivals import assembly_source
from tracegrade.collector.store.results.writer import Revised
from tracegrade.evaluators.catalog.configure import configure

AGENT = otlp.run_id(1)
DERIVED = ("tool_calls", "messages", "llm_calls", "tool_definitions")


def runs(store: Store) -> list[tuple[str, int]]:
    return store.rows("select agent_trace_id, revision from agent_traces order by 1")


def counts(store: Store) -> dict[str, int]:
    return {table: store.one(f"select count(*) from {table}") for table in DERIVED}


def late_call(number: int, *, name: str = "book", at_s: float = 7) -> Span:
    return agent_spans.tool(number, name, parent=1, at_s=at_s, args={"n": number}, result="done")


def revise_each(store: Store, spans: Iterable[Span]) -> None:
    for span in spans:
        store.arrive([span])
        store.revise(1)


def test_first_revision_is_inserted_with_everything_in_it(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.arrive(agent_spans.trip())
        assert store.revise(1) == Revised(written=1)
        assert runs(store) == [(AGENT, 1)]
        assert counts(store) == {"tool_calls": 1, "messages": 4, "llm_calls": 2, "tool_definitions": 0}
        assert store.rows(
            "select agent_name, tool_call_count, input_tokens, completeness, assembled_at, assembled_seq "
            "from agent_traces"
        ) == [("travel", 1, 200, "complete", clock.now, 1)]


def test_run_that_waits_is_kept_with_what_it_waits_for(tmp_path: Path) -> None:
    event = Event(
        "exception", 1, {"exception.type": "GraphInterrupt", "exception.message": "(Interrupt(value='Go?'),)"}
    )
    with opened(tmp_path) as store:
        store.arrive(
            [agent_spans.agent(1), agent_spans.tool(2, parent=1, at_s=1, status_code="error", events=(event,))]
        )
        store.revise(1)
        assert store.rows("select interrupt, error from agent_traces") == [("Go?", None)]
        assert store.rows("select status, error from tool_calls") == [("not_executed", None)]


def test_late_span_that_changes_the_run_replaces_it_under_the_next_revision(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        store.revise(1)
        store.arrive([late_call(9)])
        assert store.revise(1) == Revised(written=1)
        assert runs(store) == [(AGENT, 2)]
        assert store.rows("select position, name from tool_calls order by 1") == [(0, "search"), (1, "book")]
        assert counts(store)["messages"] == 4


def test_late_span_that_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.arrive(agent_spans.trip())
        store.revise(1)
        before = store.rows("select * from agent_traces")
        rowids = store.rows("select rowid from agent_traces")
        clock.pass_by(hours=1)
        store.arrive([agent_spans.span(9, parent=1, at_s=2), agent_spans.span(10, at_s=2)])
        assert store.revise(1) == Revised(written=0)
        assert store.rows("select * from agent_traces") == before
        assert store.rows("select rowid from agent_traces") == rowids


def test_conflicting_span_becomes_a_gap_of_the_run_under_the_same_revision(tmp_path: Path) -> None:
    clock = Clock()
    kept = "select agent_trace_id, revision, fingerprint, assembled_at, assembled_seq from agent_traces"
    with opened(tmp_path, now=clock) as store:
        store.arrive(agent_spans.trip())
        store.revise(1)
        before, before_counts = store.rows(kept), counts(store)
        clock.pass_by(hours=1)
        other = agent_spans.tool(3, parent=1, at_s=3, args={"to": "Rome"}, result="XX1", call_id="call_1")
        store.arrive([other], resource={"service.name": "elsewhere"})
        assert store.revise(1) == Revised(written=0)
        assert store.rows("select gaps from agent_traces") == [('["conflicting_span"]',)]
        assert store.rows("select args, result from tool_calls") == [('{"to":"Paris"}', "AF007")]
        assert (store.rows(kept), counts(store)) == (before, before_counts)


def test_gap_asks_for_no_evaluation_and_withdraws_no_score(tmp_path: Path) -> None:
    evaluator = configure("tool_error")
    with opened(tmp_path) as store:
        store.ledger.enrol([evaluator])
        store.arrive(agent_spans.trip())
        store.revise(1)
        assert store.evaluate(evaluator).scores == 1
        scores = store.rows("from scores")
        store.arrive([agent_spans.tool(3, parent=1, at_s=3, result="XX1", call_id="call_1")])
        store.revise(1)
        assert store.evaluate(evaluator).targets == 0
        assert store.rows("from scores") == scores


@pytest.mark.parametrize("former", ["5f0c5f0c5f0c5f0c5f0c5f0c5f0c5f0c", "0:5f0c"], ids=["without version", "version 0"])
def test_fingerprint_of_another_version_is_taken_anew_from_the_stored_rows(tmp_path: Path, former: str) -> None:
    kept = "select revision, assembled_seq, assembled_at, fingerprint from agent_traces"
    with opened(tmp_path, now=Clock()) as store:
        store.arrive([*agent_spans.trip(1), *agent_spans.trip(2)])
        store.revise(1, 2)
        before = store.rows(kept)
        with store.results.transaction() as connection:
            connection.execute("update agent_traces set fingerprint = $former", {"former": former})
            connection.execute("update tool_calls set result = 'XX1' where trace_id = $id", {"id": otlp.trace_id(2)})
        assert store.revise(1, 2) == Revised(written=1)
        assert runs(store) == [(AGENT, 1), (otlp.run_id(2), 2)]
        assert store.rows(kept + " where revision = 1") == before[:1]


def test_run_whose_spans_were_deleted_does_not_vanish(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        store.revise(1)
        with store.results.transaction() as connection:
            connection.execute("delete from spans")
        store.arrive([agent_spans.span(30, at_s=20)])
        assert store.revise(1) == Revised(written=0)
        assert runs(store) == [(AGENT, 1)]


def test_run_of_a_model_alone_gives_way_to_the_agent_that_called_it(tmp_path: Path) -> None:
    agent, model, *_ = agent_spans.trip()
    with opened(tmp_path) as store:
        store.arrive([model])
        store.revise(1)
        assert runs(store) == [(otlp.run_id(1, 2), 1)]
        store.arrive([agent])
        assert store.revise(1) == Revised(written=1)
        assert runs(store) == [(AGENT, 1)]
        assert store.rows("select distinct agent_trace_id from llm_calls") == [(AGENT,)]


def test_incomplete_run_is_kept_only_when_nothing_more_is_waited_for(tmp_path: Path) -> None:
    orphan = agent_spans.tool(8, parent=7, at_s=4)
    with opened(tmp_path) as store:
        store.arrive([*agent_spans.trip(), orphan])
        assert store.revise(1, final=False) == Revised(written=0, waiting=frozenset({otlp.trace_id(1)}))
        assert runs(store) == []
        assert store.revise(1, final=True) == Revised(written=1)
        assert store.one("select completeness from agent_traces") == "partial"


def test_complete_run_stays_while_a_later_span_waits_for_its_parent(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        store.revise(1)
        store.arrive([agent_spans.tool(8, parent=7, at_s=4)])
        assert store.revise(1, final=False) == Revised(written=0, waiting=frozenset({otlp.trace_id(1)}))
        assert store.rows("select revision, completeness from agent_traces") == [(1, "complete")]


def test_run_that_vanished_and_comes_back_counts_its_revisions_on(tmp_path: Path) -> None:
    """A model call without its parent, then an agent around its time, then the parent, which stands beside it."""
    with opened(tmp_path) as store:
        store.arrive([agent_spans.chat(2, parent=7, at_s=20)])
        store.revise(1)
        store.arrive([agent_spans.agent(1, for_s=60)])
        store.revise(1)
        assert runs(store) == [(AGENT, 1)]
        store.arrive([agent_spans.span(7, at_s=20)])
        store.revise(1)
        assert runs(store) == [(AGENT, 2), (otlp.run_id(1, 2), 2)]
        assert store.rows("from vanished_runs") == []


def test_runs_of_other_traces_are_left_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive([*agent_spans.trip(1), *agent_spans.trip(2)])
        assert store.revise(1, 2) == Revised(written=2)
        store.arrive([late_call(9)])
        store.revise(1)
        assert [revision for _, revision in runs(store)] == [2, 1]


def test_trace_without_an_agent_leaves_no_run(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive([agent_spans.span(1), agent_spans.span(2, parent=1)])
        assert store.revise(1) == Revised(written=0)
        assert runs(store) == []


def test_after_ten_revisions_a_run_is_rewritten_once_a_minute_at_most(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.arrive(agent_spans.trip())
        store.revise(1)
        revise_each(store, [late_call(number) for number in range(10, 19)])
        assert runs(store) == [(AGENT, 10)]
        store.arrive([late_call(20)])
        assert store.revise(1) == Revised(written=0, postponed=frozenset({otlp.trace_id(1)}))
        clock.pass_by(seconds=59)
        assert store.revise(1).postponed
        clock.pass_by(seconds=1)
        assert store.revise(1) == Revised(written=1)
        assert runs(store) == [(AGENT, 11)]
        assert counts(store)["tool_calls"] == 11


def test_restless_run_is_rewritten_at_once_when_nothing_more_will_come(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        store.arrive(agent_spans.trip())
        store.revise(1)
        revise_each(store, [late_call(number) for number in range(10, 20)])
        assert runs(store) == [(AGENT, 10)]
        assert store.revise(1, is_last=True) == Revised(written=1)


def test_clock_that_was_set_back_keeps_no_run_from_being_rewritten(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.arrive(agent_spans.trip())
        store.revise(1)
        revise_each(store, [late_call(number) for number in range(10, 19)])
        clock.pass_by(days=-1)
        store.arrive([late_call(20)])
        assert store.revise(1) == Revised(written=1)


def test_restless_run_postpones_its_own_trace_only(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        store.arrive([*agent_spans.trip(1), *agent_spans.trip(2)])
        store.revise(1, 2)
        revise_each(store, [late_call(number) for number in range(10, 19)])
        store.arrive([late_call(20), agent_spans.tool(30, "book", trace=2, parent=1, at_s=7)])
        assert store.revise(1, 2) == Revised(written=1, postponed=frozenset({otlp.trace_id(1)}))
        assert [revision for _, revision in runs(store)] == [10, 2]


def test_run_of_a_postponed_trace_is_not_forgotten_before_its_turn(tmp_path: Path) -> None:
    """Two agents; the second turns out to be a part of the first while the first is being kept calm."""
    inner = agent_spans.agent(50, name="inner", at_s=2, for_s=1, parent=40)
    with opened(tmp_path, now=Clock()) as store:
        store.arrive([*agent_spans.trip(), inner])
        store.revise(1)
        revise_each(store, [late_call(number) for number in range(10, 20)])
        assert [revision for _, revision in runs(store)] == [10, 1]
        same_agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "inner"}
        store.arrive([agent_spans.span(40, parent=1, at_s=2, attributes=same_agent), late_call(21)])
        assert store.revise(1).postponed
        assert len(runs(store)) == 2


def test_order_of_assembly_is_counted_on_after_a_restart(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip(1))
        store.revise(1)
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip(2))
        store.revise(2)
        assert store.rows("select assembled_seq from agent_traces order by 1") == [(1,), (2,)]


def test_order_of_assembly_does_not_count_the_tools_that_were_judged(tmp_path: Path) -> None:
    tools = configure("tool_description_reliability")
    offered = json.dumps([{"name": f"tool {number}"} for number in range(5)])
    with opened(tmp_path) as store:
        store.ledger.enrol([tools])
        store.arrive([agent_spans.agent(1, attributes={"gen_ai.tool.definitions": offered})])
        store.revise(1)
        store.evaluate(tools)
        assert store.rows("select seq from evaluator_cursors") == [(5,)]
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip(2))
        store.revise(2)
        assert store.rows("select assembled_seq from agent_traces order by 1") == [(1,), (2,)]


def test_failed_revision_leaves_the_old_one_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        store.revise(1)
        store.arrive([late_call(9)])
        insert = store.results._insert

        def interrupted(*arguments: Any) -> None:
            insert(*arguments)
            raise InterruptedError

        with monkeypatch.context() as patch, pytest.raises(InterruptedError):
            patch.setattr(store.results, "_insert", interrupted)
            store.revise(1)
        assert runs(store) == [(AGENT, 1)]
        assert counts(store)["tool_calls"] == 1
        assert store.revise(1) == Revised(written=1)
        assert runs(store) == [(AGENT, 2)]


def test_settled_arrivals_are_not_looked_at_again(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip(1))
        store.arrive(agent_spans.trip(2))
        store.arrive(logs=otlp.logs_request([otlp.log(2, trace=2), otlp.log(3, trace_id=b"")]))
        everything = [(otlp.trace_id(1), 1, 1), (otlp.trace_id(2), 2, 3)]
        assert store.unassembled() == everything
        store.results.settle(1)
        assert store.unassembled() == everything[1:]
        store.results.settle(0)
        assert store.unassembled() == everything[1:]


def test_trace_that_is_not_complete_is_looked_at_again_after_a_restart_however_much_came_since(tmp_path: Path) -> None:
    agent, *children = agent_spans.trip(1)
    with opened(tmp_path) as store:
        store.arrive(children)
        store.revise(1, final=False)
        store.arrive(agent_spans.trip(2))
        store.revise(2)
        store.results.settle(2)
        assert store.unassembled() == [(otlp.trace_id(1), 0, 0)]
        store.arrive([agent])
        assert store.unassembled() == [(otlp.trace_id(1), 0, 3)]
        store.revise(1)
        store.results.settle(3)
        assert store.unassembled() == []


def test_unassembled_traces_come_in_portions_of_whole_commits(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for first in (1, 3, 5):
            store.arrive([*agent_spans.trip(first), *agent_spans.trip(first + 1)])
        found, are_all = assembly_source.unassembled(store.database, from_seq=0, limit=3)
        assert ([one.trace_id for one in found], are_all) == ([otlp.trace_id(1), otlp.trace_id(2)], False)
        assert [one.records for one in found] == [4, 4]
        found, are_all = assembly_source.unassembled(store.database, from_seq=2, limit=1)
        assert ([one.first_seq for one in found], are_all) == ([2, 2], False)
        found, are_all = assembly_source.unassembled(store.database, from_seq=3, limit=2)
        assert ([one.last_seq for one in found], are_all) == ([3, 3], True)


def test_any_course_of_arrivals_ends_in_the_same_rows(tmp_path: Path) -> None:
    traces = count(1)
    content = "select * exclude (agent_trace_id, trace_id) from {} where trace_id = $trace_id order by position"
    with opened(tmp_path) as store:

        def told(spans: list[Span]) -> list[list[tuple[Any, ...]]]:
            return [store.rows(content.format(table), trace_id=spans[0].trace_id) for table in DERIVED]

        @settings(max_examples=12, deadline=None)
        @given(data=st.data())
        def check(data: st.DataObject) -> None:
            at_once, bit_by_bit = agent_spans.trip(next(traces)), agent_spans.trip(next(traces))
            store.arrive(at_once)
            store.revise(at_once[0].trace_id)
            left = data.draw(st.permutations(bit_by_bit))
            while left:
                size = data.draw(st.integers(1, len(left)))
                store.arrive(left[:size])
                store.revise(left[0].trace_id, final=data.draw(st.booleans()))
                left = left[size:]
            assert told(bit_by_bit) == told(at_once)

        check()
