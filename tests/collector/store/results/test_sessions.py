"""Scores on sessions, whatever becomes of the runs in them, on a real store and a clock that is moved."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans, otlp
from tests.support.evaluators import make_evaluator
from tests.support.store import Clock, Store, opened

from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.evaluation.lane import Lane
from tracegrade.collector.reports.audit import audit
from tracegrade.collector.server.backfill import request_backfill
from tracegrade.collector.spans.span import Span
from tracegrade.collector.store.results.annotations import Annotations
from tracegrade.evaluators.execution.run import InProcessWorkbench
from tracegrade.evaluators.model import AgentTrace, Score
from tracegrade.evaluators.passes.run_pass import Summary, run_pass
from tracegrade.queries.ports import Annotation, Backfill


def turns_of(turns: tuple[AgentTrace, ...]) -> Score:
    return Score(value=1.0, details={"turns": [turn.agent_trace_id for turn in turns]})


WHOLE = make_evaluator("whole", turns_of, scope="session")


def set_session(session: str, spans: Iterable[Span]) -> list[Span]:
    return [replace(span, attributes={**span.attributes, "gen_ai.conversation.id": session}) for span in spans]


def move_later(seconds: int, spans: Iterable[Span]) -> list[Span]:
    ns = seconds * 1_000_000_000
    return [replace(span, start_ns=span.start_ns + ns, end_ns=span.end_ns + ns) for span in spans]


def add_run(store: Store, trace: int, spans: Iterable[Span]) -> None:
    store.arrive(spans)
    store.revise(trace)


def evaluate_later(store: Store, *, after_minutes: int = 6, limit: int = 500) -> Summary:
    """Evaluates the sessions that are quiet after so many minutes."""
    clock: Any = store.now
    clock.pass_by(minutes=after_minutes)
    return store.evaluate(WHOLE, limit=limit)


def turns(store: Store) -> list[tuple[Any, ...]]:
    """Of each session with a score how many turns it was on."""
    return store.active_scores("target_id, json_array_length(details -> 'turns')")


def test_earlier_turn_that_comes_late_leaves_one_score_active(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([WHOLE])
        add_run(store, 2, move_later(60, set_session("s", agent_spans.trip(2))))
        evaluate_later(store)
        add_run(store, 1, set_session("s", agent_spans.trip(1)))
        evaluate_later(store)
        assert turns(store) == [("session:s", 2)]


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2), (2, 3, 1)])
def test_turns_that_began_at_the_same_time_have_one_order_whichever_came_first(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    with opened(tmp_path, now=Clock(), evaluators=[WHOLE]) as store:
        store.ledger.enrol([WHOLE])
        for trace in order:
            add_run(store, trace, set_session("talk", agent_spans.trip(trace)))
        evaluate_later(store)
        [(details,)] = store.rows("select details from latest_scores where evaluator = 'whole'")
    assert json.loads(details)["turns"] == [otlp.run_id(trace) for trace in (1, 2, 3)]


def test_score_on_a_session_is_active_again_after_one_that_began_at_another_time(tmp_path: Path) -> None:
    """The first turn moves into another session, and what was said of the second turn alone holds again."""
    agent, model, *_ = agent_spans.trip(1)
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([WHOLE])
        add_run(store, 2, move_later(60, set_session("s", agent_spans.trip(2))))
        evaluate_later(store)
        (alone,) = store.active_scores("score_id")
        add_run(store, 1, set_session("s", [model]))
        evaluate_later(store)
        assert turns(store) == [("session:s", 2)]
        add_run(store, 1, set_session("other", [agent]))
        evaluate_later(store)
        assert turns(store) == [("session:other", 1), ("session:s", 1)]
        assert alone in store.active_scores("score_id")


def test_scores_on_a_session_that_vanished_are_withdrawn_and_nobody_waits_for_it(tmp_path: Path) -> None:
    agent, model, *_ = agent_spans.trip()
    said = Annotation.model_validate({"target": {"session_id": "s"}, "name": "kind", "author": "ada", "value": 1.0})
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([WHOLE])
        add_run(store, 1, set_session("s", [model]))
        evaluate_later(store)
        add_run(store, 1, [agent_spans.chat(9, parent=2, at_s=1.5)])
        evaluate_later(store, after_minutes=0)
        Annotations(store.results, now=store.now).write([said])
        assert [target for (target,) in store.active_scores("target_id")] == ["session:s", "session:s"]
        assert store.rows("select target_id from deferrals") == [("session:s",)]
        add_run(store, 1, set_session("other", [agent]))
        assert store.active_scores() == []
        assert store.rows("select target_id from deferrals") == []
        evaluate_later(store)
        assert turns(store) == [("session:other", 1)]


def test_session_that_vanished_when_it_was_just_deferred_gets_no_score(tmp_path: Path) -> None:
    agent, model, *_ = agent_spans.trip()
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([WHOLE])
        add_run(store, 1, set_session("s", [model]))
        next_targets = store.ledger._due_targets.find_next(WHOLE, 500)
        add_run(store, 1, set_session("other", [agent]))
        store.ledger._defer(WHOLE, next_targets.deferred)
        evaluate_later(store)
        assert turns(store) == [("session:other", 1)]
        assert store.rows("from deferrals") == []


def test_session_that_vanished_while_it_was_judged_is_left_without_a_score(tmp_path: Path) -> None:
    agent, model, *_ = agent_spans.trip()

    class Meanwhile(InProcessWorkbench):
        def evaluate(self, *asked: Any) -> Any:
            found = super().evaluate(*asked)
            add_run(store, 1, set_session("other", [agent]))
            return found

    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([WHOLE])
        add_run(store, 1, set_session("s", [model]))
        clock.pass_by(minutes=6)
        run_pass(store.ledger, Meanwhile(clock), [WHOLE], now=clock)
        assert store.one("select count(*) from scores") == 1
        assert store.active_scores() == []


def test_session_that_vanished_when_it_was_just_due_is_not_judged(tmp_path: Path) -> None:
    agent, model, *_ = agent_spans.trip()
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([WHOLE])
        add_run(store, 1, set_session("s", [model]))
        clock.pass_by(minutes=6)
        claim = store.ledger._due_targets.find_next(WHOLE, 500).claim
        assert claim.selected == ("session:s",)
        add_run(store, 1, set_session("other", [agent]))
        assert len(store.ledger._due_targets.load(claim)) == 0


def test_session_that_a_run_has_left_is_judged_again(tmp_path: Path) -> None:
    agent, model, *_ = agent_spans.trip(1)
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([WHOLE])
        add_run(store, 1, set_session("s", [model]))
        add_run(store, 2, set_session("s", agent_spans.trip(2)))
        evaluate_later(store)
        assert turns(store) == [("session:s", 2)]
        add_run(store, 1, set_session("other", [agent]))
        evaluate_later(store)
        assert turns(store) == [("session:other", 1), ("session:s", 1)]


def test_session_of_sub_agents_alone_has_no_turn_and_is_passed_over(tmp_path: Path) -> None:
    below = set_session("inner", agent_spans.trip(1, first=11, name="clerk", parent=3))
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([WHOLE])
        add_run(store, 1, [*set_session("outer", agent_spans.trip(1)), *below])
        assert store.rows("select distinct session_id from agent_traces order by 1") == [("inner",), ("outer",)]
        assert evaluate_later(store) == Summary(targets=1, scores=1)
        assert turns(store) == [("session:outer", 1)]
        assert store.one("select seq from evaluator_cursors") == store.one(
            "select max(assembled_seq) from agent_traces"
        )


def test_score_on_other_turns_is_another_one_though_they_were_revised_as_often(tmp_path: Path) -> None:
    agent, model, *rest = set_session("s", agent_spans.trip())
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([WHOLE])
        add_run(store, 1, [model])
        evaluate_later(store)
        add_run(store, 1, [agent, *rest])
        evaluate_later(store)
        ((told,),) = store.active_scores("details -> 'turns' ->> 0")
        assert told == otlp.run_id(1)


def test_as_many_sessions_that_were_deferred_come_at_once_as_a_pass_takes_up(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([WHOLE])
        for trace in (1, 2, 3):
            add_run(store, trace, set_session(f"s{trace}", agent_spans.trip(trace)))
        evaluate_later(store, after_minutes=0)
        found = [evaluate_later(store, after_minutes=minutes, limit=2) for minutes in (6, 0, 0)]
        assert [(one.targets, one.is_full) for one in found] == [(2, True), (1, False), (0, False)]
        assert turns(store) == [(f"session:s{number}", 1) for number in (1, 2, 3)]


def test_evaluator_of_sessions_begins_as_far_back_as_it_says(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        add_run(store, 1, set_session("s", agent_spans.trip(1)))
        add_run(store, 2, set_session("s", agent_spans.trip(2)))
        add_run(store, 3, agent_spans.trip(3))
        store.ledger.enrol([replace(WHOLE, backfill_s=9e8)])
        evaluate_later(store)
        assert turns(store) == [("session:s", 2)]
        assert store.rows("from deferrals") == []


def test_backfill_of_sessions_asks_for_none_that_is_judged_but_when_told_to(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([WHOLE])
        add_run(store, 1, set_session("s", agent_spans.trip(1)))
        evaluate_later(store)
        began = store.one("select min(started_at) from agent_traces")
        assert store.ledger.backfill(WHOLE, since=began) == 0
        assert store.ledger.backfill(WHOLE, since=began, again=True) == 1


def test_backfill_tells_of_sessions_what_it_means(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([WHOLE])
        add_run(store, 1, set_session("s", agent_spans.trip(1)))
        add_run(store, 2, set_session("s", agent_spans.trip(2)))
        add_run(store, 3, agent_spans.trip(3))
        evaluate_later(store)
        lane = Lane([WHOLE], store.ledger, InProcessWorkbench(), now=store.now)
        wanted = Backfill(
            since=store.one("select min(started_at) from agent_traces"), evaluators=("whole",), again=True
        )
        asked = request_backfill([lane], store.database, wanted)
        assert (asked.runs, asked.requested, asked.requested_before) == (1, {"whole": 1}, {"whole": 0})


def test_session_is_over_when_the_clock_has_been_set_back_behind_it(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([WHOLE])
        add_run(store, 1, set_session("s", agent_spans.trip(1)))
        clock.pass_by(hours=-2)
        evaluate_later(store, after_minutes=0)
        assert turns(store) == [("session:s", 1)]


def test_backfill_of_sessions_hastens_what_was_deferred(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([WHOLE])
        add_run(store, 1, set_session("s", agent_spans.trip(1)))
        evaluate_later(store, after_minutes=0)
        assert store.rows("select target_id, reason from deferrals") == [("session:s", "the session is not idle")]
        assert store.ledger.backfill(WHOLE, since=store.one("select min(started_at) from agent_traces")) == 1
        assert store.rows("select reason, kind from deferrals") == [("backfill", "backfill")]


class Meanwhile(InProcessWorkbench):
    """Evaluators in this process; once, something happens before their answer is recorded."""

    def __init__(self, clock: Any, happens: Any) -> None:
        super().__init__(clock)
        self._happens = happens

    def evaluate(self, *asked: Any) -> Any:
        found = super().evaluate(*asked)
        happens, self._happens = self._happens, lambda: None
        happens()
        return found


@pytest.mark.parametrize("is_deferred", [False, True], ids=["new to it", "deferred before, as sessions mostly are"])
@pytest.mark.parametrize("is_evaluated", [False, True], ids=["never evaluated", "evaluated before"])
def test_run_that_leaves_a_session_while_that_is_evaluated_leaves_no_stale_score(
    tmp_path: Path, *, is_deferred: bool, is_evaluated: bool
) -> None:
    agent, model, *rest = agent_spans.trip(1)
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([WHOLE])
        add_run(store, 2, move_later(60, set_session("s", agent_spans.trip(2))))
        if is_evaluated:
            evaluate_later(store)
        add_run(store, 1, set_session("s", [model]))
        if is_deferred:
            evaluate_later(store, after_minutes=0)
        clock.pass_by(minutes=6)
        leaves = Meanwhile(clock, lambda: add_run(store, 1, [*set_session("other", [agent]), *rest]))
        run_pass(store.ledger, leaves, [WHOLE], now=clock)
        evaluate_later(store)
        assert turns(store) == [("session:other", 1), ("session:s", 1)]
        assert store.rows("from deferrals") == []
        assert audit(LocalSource(store.database, max_rows=10, timeout_s=30).read, [WHOLE]).findings == ()


def test_session_in_which_nothing_changes_while_it_is_evaluated_is_evaluated_once(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([WHOLE])
        add_run(store, 1, set_session("s", agent_spans.trip(1)))
        evaluate_later(store, after_minutes=0)
        assert [evaluate_later(store).targets for _ in range(3)] == [1, 0, 0]
