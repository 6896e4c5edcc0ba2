"""Scores that others send become rows of `scores`, on the run, call or session that they are about."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import agent_spans, otlp
from tests.support.feedback import (
    RUN,
    add_events,
    arrive_records,
    arrive_under_scope,
    make_evaluator_span,
    make_event,
    make_record,
)
from tests.support.otlp import BEGAN_NS, run_id
from tests.support.store import Clock, Store, opened

from tracegrade.collector.spans.span import Span, instant
from tracegrade.collector.store.results.annotations import Annotations
from tracegrade.collector.store.results.writer import Revised
from tracegrade.queries.catalog import report
from tracegrade.queries.ports import Annotation


def annotate(store: Store, target: dict[str, Any], *, value: float, at_s: float) -> None:
    said = {"name": "polite", "author": "ada", "value": value, "time": instant(BEGAN_NS + round(at_s * 1e9))}
    Annotations(store.results).write([Annotation.model_validate({"target": target, **said})])


def test_log_event_on_the_agent_span_is_a_score_on_the_run(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(value=0.8, label="pass", explanation="it said please"))
        store.revise(1)
        where = "target_id, scope, agent_trace_id, trace_id, span_id, tool_call_position, agent_name, revision"
        assert store.active_scores(where) == [(RUN, "trace", RUN, otlp.trace_id(1), otlp.span_id(1), None, "travel", 1)]
        what = "evaluator, evaluator_type, evaluator_kind, value, label, passed, threshold, explanation, status, reason"
        assert store.active_scores(what) == [
            ("polite", "log_event", "external", 0.8, "pass", True, None, "it said please", "scored", None)
        ]
        who = "author, details ->> 'service_name', details ->> 'scope_name', scored_at"
        at = instant(BEGAN_NS + 20 * 10**9).replace(tzinfo=None)
        assert store.active_scores(who) == [("grader", "grader", "graders", at)]


@pytest.mark.parametrize(
    ("span", "target", "position", "named"),
    [
        pytest.param(1, RUN, None, 1, id="the agent's span means the run"),
        pytest.param(3, f"{RUN}#0", 0, 3, id="a tool's span means the call"),
        pytest.param(2, RUN, None, 2, id="a model call's span means the run around it"),
        pytest.param(8, RUN, None, 8, id="any span within means the run around it"),
        pytest.param(9, RUN, None, 9, id="a span below a tool's means the run"),
        pytest.param(None, RUN, None, 1, id="no span means the outermost run"),
        pytest.param(7, RUN, None, 7, id="a span around the agent means the run below it"),
    ],
)
def test_score_is_on_what_its_span_belongs_to(
    tmp_path: Path, span: int | None, target: str, position: int | None, named: int
) -> None:
    around = [
        agent_spans.span(7, for_s=12),
        agent_spans.span(8, parent=1, at_s=2),
        agent_spans.span(9, parent=3, at_s=3),
    ]
    with opened(tmp_path) as store:
        store.arrive([*agent_spans.trip(parent=7), *around])
        arrive_records(store, make_record(span, value=1.0))
        store.revise(1)
        assert store.active_scores("target_id, tool_call_position, span_id") == [
            (target, position, otlp.span_id(named))
        ]


def test_response_id_names_the_model_call_where_no_span_is_named(tmp_path: Path) -> None:
    answer = agent_spans.chat(5, parent=1, at_s=7, attributes={"gen_ai.response.id": "resp_1"})
    with opened(tmp_path) as store:
        store.arrive([*agent_spans.trip(), answer])
        arrive_records(
            store,
            make_record(None, value=1.0, response_id="resp_1"),
            make_record(None, value=0.0, response_id="resp_2"),
        )
        store.revise(1)
        assert store.active_scores("target_id, span_id, value") == [(RUN, otlp.span_id(5), 1.0)]


def test_span_of_the_tools_server_means_the_call_that_its_client_made(tmp_path: Path) -> None:
    server = agent_spans.tool(6, parent=3, at_s=3, for_s=0.5, args={"to": "Paris"})
    with opened(tmp_path) as store:
        store.arrive([*agent_spans.trip(), server])
        arrive_records(store, make_record(6, value=1.0))
        store.revise(1)
        assert store.rows("select position, span_id from tool_calls") == [(0, otlp.span_id(3))]
        assert store.active_scores("target_id, span_id") == [(f"{RUN}#0", otlp.span_id(6))]


def test_innermost_run_is_meant_by_a_span_of_a_sub_agent(tmp_path: Path) -> None:
    inner = [
        agent_spans.agent(11, name="hotels", parent=3, at_s=3, for_s=1),
        agent_spans.chat(12, parent=11, at_s=3, for_s=1),
    ]
    with opened(tmp_path) as store:
        store.arrive([*agent_spans.trip(), *inner])
        arrive_records(store, make_record(12, value=0.5), make_record(None, value=0.25))
        store.revise(1)
        assert store.active_scores("target_id, value") == [(RUN, 0.25), (run_id(1, 11), 0.5)]


def test_span_event_is_a_score_and_stands_once_among_the_span_events(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        arrive_under_scope(store, add_events(agent_spans.trip(), {3: make_event(value=0.0, label="fail")}))
        store.revise(1)
        assert store.active_scores("target_id, value, passed, evaluator_type") == [
            (f"{RUN}#0", 0.0, False, "span_event")
        ]
        assert store.rows("select span_id, origin from span_events") == [(otlp.span_id(3), "ingested")]
        arrive_records(store, make_record(3, value=1.0))
        store.revise(1)
        assert store.rows("select origin from span_events order by 1") == [("evaluation",), ("ingested",)]


def test_score_on_a_session_waits_for_the_session(tmp_path: Path) -> None:
    span_attributes = {
        "session.id": "s1",
        "session.annotations.0.annotation.name": "coherent",
        "session.annotations.0.annotation.label": "yes",
    }
    talk = [
        Span(**{**vars(span), "attributes": {**span.attributes, "gen_ai.conversation.id": "s1"}})
        for span in agent_spans.trip(2)
    ]
    with opened(tmp_path) as store:
        store.arrive([agent_spans.span(50, attributes=span_attributes)])
        store.revise(1)
        assert store.active_scores() == []
        store.arrive(talk)
        store.revise(2)
        assert store.active_scores("target_id, scope, session_id, agent_trace_id, label") == [
            ("session:s1", "session", "s1", None, "yes")
        ]


@pytest.mark.parametrize("order", [(1, 2), (2, 1)], ids=["judged first", "score first"])
def test_span_that_links_to_the_judged_one_speaks_of_that_one(tmp_path: Path, order: tuple[int, ...]) -> None:
    """A span that has ended cannot be added to; feedback that comes later has a span, often a trace, of its own."""
    span_attributes = {"evaluations.0.evaluation.name": "right", "evaluations.0.evaluation.score": 0.5}
    judging = add_events(
        [make_evaluator_span(50, trace=2, target=(1, 3), attributes=span_attributes)], {50: make_event(value=1.0)}
    )
    arriving = {1: agent_spans.trip(), 2: judging}
    with opened(tmp_path) as store:
        for trace in order:
            store.arrive(arriving[trace])
            store.revise(trace)
        assert store.active_scores("target_id, evaluator, value, trace_id, span_id") == [
            (f"{RUN}#0", "polite", 1.0, otlp.trace_id(1), otlp.span_id(3)),
            (f"{RUN}#0", "right", 0.5, otlp.trace_id(1), otlp.span_id(3)),
        ]
        assert store.rows("select distinct details ->> 'carrier' from scores") == [(run_id(2, 50),)]
        on_judged = store.rows("select origin from span_events where span_id = $span", span=otlp.span_id(3))
        assert on_judged == [("evaluation",), ("evaluation",)]


def test_link_of_a_span_that_is_a_step_itself_is_not_followed(tmp_path: Path) -> None:
    link = {"trace_id": otlp.trace_id(1), "span_id": otlp.span_id(1)}
    answer = agent_spans.chat(5, trace=2, parent=1, at_s=7, links=(link,))
    with opened(tmp_path) as store:
        store.arrive([*agent_spans.trip(1), *agent_spans.trip(2), *add_events([answer], {5: make_event(value=1.0)})])
        store.revise(1, 2)
        assert store.active_scores("target_id, span_id") == [(run_id(2), otlp.span_id(5))]


def test_score_that_comes_before_its_run_waits_for_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        arrive_records(store, make_record(3, value=1.0))
        assert store.revise(1) == Revised(written=0)
        assert store.active_scores() == []
        store.arrive(agent_spans.trip())
        store.revise(1)
        assert store.active_scores("target_id, revision") == [(f"{RUN}#0", 1)]


def test_score_on_a_span_that_has_not_come_waits_for_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(9, value=1.0))
        store.revise(1)
        assert store.active_scores() == []
        store.arrive([agent_spans.span(9, parent=1, at_s=2)])
        arrive_records(store, make_record(1, value=0.5))
        store.revise(1)
        assert store.active_scores("span_id, value") == [(otlp.span_id(1), 0.5), (otlp.span_id(9), 1.0)]


def test_score_on_a_span_that_comes_last_and_changes_no_run_is_placed(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(9, value=1.0))
        store.revise(1)
        store.arrive([agent_spans.span(9, parent=1, at_s=2)])
        assert store.revise(1) == Revised(written=0)
        assert store.active_scores("span_id, value") == [(otlp.span_id(9), 1.0)]


def test_score_that_a_span_brings_which_comes_last_and_changes_no_run_is_placed(tmp_path: Path) -> None:
    said = {"annotations.0.annotation.name": "polite", "annotations.0.annotation.score": 1.0}
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        store.revise(1)
        store.arrive([agent_spans.span(9, parent=1, at_s=2, attributes=said)])
        assert store.revise(1) == Revised(written=0)
        assert store.active_scores("span_id, value") == [(otlp.span_id(9), 1.0)]


def test_late_score_on_a_run_that_does_not_change_is_kept_without_a_revision(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        store.revise(1)
        arrive_records(store, make_record(3, value=1.0))
        assert store.revise(1) == Revised(written=0)
        assert store.active_scores("target_id") == [(f"{RUN}#0",)]
        assert store.rows("select revision from agent_traces") == [(1,)]


def test_score_that_is_sent_again_changes_nothing(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(3, value=1.0), make_record(value=0.5), make_record(value=0.75, at_s=30))
        store.revise(1)
        before = store.rows("from scores order by all")
        clock.pass_by(hours=1)
        arrive_records(store, make_record(3, value=1.0), make_record(value=0.5), make_record(value=0.75, at_s=30))
        arrive_under_scope(store, [agent_spans.span(60, trace=1)])
        store.revise(1)
        assert store.rows("from scores order by all") == before


@pytest.mark.parametrize("order", [(10, 20, 30), (30, 20, 10), (20, 30, 10)], ids=str)
def test_later_score_of_an_author_counts_whichever_comes_first(tmp_path: Path, order: tuple[int, ...]) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        store.revise(1)
        for at_s in order:
            arrive_records(store, make_record(value=at_s / 100, at_s=at_s))
            store.revise(1)
        assert store.active_scores("value") == [(0.3,)]
        assert store.one("select count(*) from scores") == 3


def test_scores_of_several_authors_on_several_spans_stand_beside_each_other(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(2, value=0.1), make_record(4, value=0.2), make_record(1, value=0.3))
        arrive_records(store, make_record(1, value=0.4), resource={"service.name": "somebody else"})
        store.revise(1)
        assert store.active_scores("value") == [(0.1,), (0.2,), (0.3,), (0.4,)]


def test_score_follows_its_call_to_another_position(tmp_path: Path) -> None:
    earlier = agent_spans.tool(9, "look", parent=1, at_s=2, args={}, result="ok")
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(3, value=1.0))
        store.revise(1)
        (before,) = store.active_scores("score_id, target_id")
        store.arrive([earlier])
        store.revise(1)
        assert store.active_scores("score_id, target_id, revision") == [(before[0], f"{RUN}#1", 2)]
        assert store.one("select count(*) from scores") == 1


def test_score_follows_its_span_into_the_run_that_is_found_around_it(tmp_path: Path) -> None:
    agent, model, *rest = agent_spans.trip()
    with opened(tmp_path) as store:
        store.arrive([model])
        arrive_records(store, make_record(2, value=1.0))
        store.revise(1)
        assert store.active_scores("target_id") == [(run_id(1, 2),)]
        store.arrive([agent, *rest])
        store.revise(1)
        assert store.active_scores("target_id, span_id") == [(RUN, otlp.span_id(2))]


@pytest.mark.exhaustive
def test_any_course_of_arrivals_ends_in_the_same_scores(tmp_path: Path) -> None:
    traces = count(1)
    kept = """select replace(target_id, agent_trace_id, ''), evaluator, value, span_id from latest_scores
              where trace_id = $trace order by all"""
    with opened(tmp_path) as store:

        def read_scores(trace: int) -> list[tuple[Any, ...]]:
            return store.rows(kept, trace=otlp.trace_id(trace))

        def pieces(trace: int) -> list[Any]:
            late = agent_spans.tool(9, "look", trace=trace, parent=1, at_s=2, args={}, result="ok")
            said = [
                make_record(span, trace=trace, value=at_s / 100, at_s=at_s)
                for span, at_s in ((1, 20), (1, 30), (2, 20), (3, 20), (3, 40), (9, 10), (None, 25))
            ]
            return [*agent_spans.trip(trace), late, *said]

        def arrive(trace: int, some: Iterable[Any]) -> None:
            for one in some:
                if isinstance(one, Span):
                    store.arrive([one])
                else:
                    arrive_records(store, one)
            store.revise(otlp.trace_id(trace))

        @settings(max_examples=15, deadline=None)
        @given(data=st.data())
        def check(data: st.DataObject) -> None:
            at_once, bit_by_bit = next(traces), next(traces)
            arrive(at_once, pieces(at_once))
            left = data.draw(st.permutations(pieces(bit_by_bit)))
            while left:
                size = data.draw(st.integers(1, len(left)))
                arrive(bit_by_bit, left[:size])
                left = left[size:]
            assert read_scores(bit_by_bit) == read_scores(at_once)
            assert len(read_scores(at_once)) == 4

        check()


def test_late_scores_survive_a_restart(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        store.revise(1)
        arrive_records(store, make_record(3, trace=1, value=1.0), make_record(trace=2, value=1.0))
    with opened(tmp_path) as store:
        assert {trace for trace, *_ in store.unassembled()} >= {otlp.trace_id(1), otlp.trace_id(2)}
        store.revise(1, 2)
        assert store.active_scores("target_id") == [(f"{RUN}#0",)]
        store.arrive(agent_spans.trip(2))
        store.revise(2)
        assert len(store.active_scores()) == 2


def test_scores_of_our_own_evaluators_are_left_alone(tmp_path: Path) -> None:
    columns = "target_id, scope, evaluator, evaluator_type, evaluator_kind, evaluator_version, config_hash"
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        store.revise(1)
        with store.results.transaction() as connection:
            connection.execute(
                f"""insert into scores ({columns}, score_id, agent_trace_id, author, status, details, scored_at)
                    values ('{RUN}', 'trace', 'polite', 'polite', 'code', 1, '', 'ours', '{RUN}', 'grader', 'scored',
                            '{{}}', timestamp '2020-01-01')"""
            )
        arrive_records(store, make_record(value=1.0))
        store.revise(1)
        assert store.active_scores("evaluator_kind") == [("code",), ("external",)]


def test_run_with_a_score_from_elsewhere_alone_is_not_told_as_graded(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(value=1.0))
        store.revise(1)
        assert store.rows(report("recent_runs"), after_seq=0, limit=10) == []


def test_clock_of_the_sender_decides_and_not_ours(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(value=0.9, at_s=timedelta(days=30).total_seconds()))
        store.revise(1)
        clock.pass_by(days=1)
        arrive_records(store, make_record(value=0.1, at_s=20))
        store.revise(1)
        assert store.active_scores("value") == [(0.9,)]


def test_correction_of_a_score_on_a_call_counts_after_the_calls_own_span_has_come(tmp_path: Path) -> None:
    """Before, the call was known from the messages alone, and its run's span stood for its own."""
    agent, model, call, answer = agent_spans.trip()
    of_call = {"trace_id": otlp.trace_id(1), "tool_call_id": "call_1"}
    with opened(tmp_path, now=Clock()) as store:
        store.arrive([agent, model, answer])
        store.revise(1)
        annotate(store, of_call, value=0.0, at_s=20)
        assert store.active_scores("target_id, span_id") == [(f"{RUN}#0", otlp.span_id(1))]
        store.arrive([call])
        store.revise(1)
        assert store.active_scores("target_id, span_id") == [(f"{RUN}#0", otlp.span_id(3))]
        annotate(store, of_call, value=1.0, at_s=30)
        assert store.active_scores("value") == [(1.0,)]


def test_score_that_was_superseded_stays_so_when_its_place_is_told_anew(tmp_path: Path) -> None:
    agent, model, call, answer = agent_spans.trip()
    with opened(tmp_path, now=Clock()) as store:
        store.arrive([agent, model, answer])
        store.revise(1)
        arrive_records(store, make_record(value=0.25, at_s=20), make_record(value=0.5, at_s=30))
        store.revise(1)
        assert store.active_scores("value") == [(0.5,)]
        store.arrive([call])
        store.revise(1)
        assert store.active_scores("value, revision") == [(0.5, 2)]


def test_columns_of_a_score_tell_of_its_run_as_it_is_now(tmp_path: Path) -> None:
    late = agent_spans.chat(9, parent=1, at_s=7, attributes={"gen_ai.conversation.id": "s1"})
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        arrive_records(store, make_record(value=1.0))
        store.revise(1)
        assert store.active_scores("target_id, session_id, revision") == [(RUN, None, 1)]
        store.arrive([late])
        store.revise(1)
        assert store.active_scores("target_id, session_id, revision") == [(RUN, "s1", 2)]
