from __future__ import annotations

import gc
import json
import weakref
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.support import agent_spans, otlp
from tests.support.evaluators import make_evaluator
from tests.support.store import Clock, Store, opened

from tracegrade.collector.store.ledger.due import Claim
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.execution.run import InProcessWorkbench
from tracegrade.evaluators.model import AgentTrace, Score
from tracegrade.evaluators.passes.run_pass import Summary
from tracegrade.evaluators.ports import Due, Evaluated, EvaluationPass
from tracegrade.queries import catalog

ERRORS, EFFICIENCY = configure("tool_error"), configure("tool_efficiency")
NOON = Clock().now


EACH_CALL = make_evaluator("by_call", lambda trace: [Score(value=1.0) for _ in trace.tool_calls], scope="tool_call")


def due(store: Store, evaluator: Configured = ERRORS) -> list[str]:
    runs: Any = store.ledger.due(evaluator, 500).targets
    return [run.agent_trace_id for run in runs]


def state(store: Store) -> list[list[tuple[Any, ...]]]:
    tables = ("scores", "evaluator_cursors", "outbox", "evaluation_passes", "deferrals")
    return [store.rows(f"from {table} order by all") for table in tables]


def begin_pass(
    store: Store, *evaluators: Configured
) -> tuple[EvaluationPass, list[Configured], Due[Claim, Any], Evaluated]:
    """A pass as far as its recording."""
    due = store.ledger.due(evaluators[0], 500)
    evaluated = Evaluated(InProcessWorkbench().evaluate(due.targets, evaluators))
    return EvaluationPass("the pass", NOON), list(evaluators), due, evaluated


def test_evaluator_starts_with_the_runs_that_come_after_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1)
        store.ledger.enrol([ERRORS])
        assert due(store) == []
        store.add_runs(2)
        assert due(store) == [otlp.run_id(2)]


def test_enrolled_evaluator_keeps_its_place_and_a_changed_one_starts_anew(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(1)
        changed = configure("tool_error", threshold=0.5)
        store.ledger.enrol([ERRORS, changed])
        assert due(store) == [otlp.run_id(1)]
        assert due(store, changed) == []


def test_unknown_evaluator_has_nothing_to_do(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1)
        assert due(store) == []


def test_due_runs_come_oldest_assembly_first_and_whole(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(3)
        store.add_runs(1, 2)
        traces: Any = store.ledger.due(ERRORS, 500).targets
        assert traces[0].trace_id == otlp.trace_id(3)
        assert len(traces) == 3
        assert [call.name for call in traces[0].tool_calls] == ["search"]
        assert traces[0].tool_calls[0].args == {"to": "Paris"}
        assert [message.role for message in traces[0].messages] == ["user", "assistant", "tool", "assistant"]


def test_runs_of_passes_that_came_to_nothing_are_not_kept(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        taken_up = []
        for number in range(1, 4):
            store.add_runs(number)
            taken_up.append(weakref.ref(store.ledger.due(ERRORS, 500).targets))
        gc.collect()
        assert [targets() for targets in taken_up] == [None, None, None]


def test_evaluators_that_are_equally_far_get_equal_claims_on_targets_that_are_loaded_once(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS, EFFICIENCY])
        store.add_runs(1)
        first, second = (store.ledger.due(evaluator, 500) for evaluator in (ERRORS, EFFICIENCY))
        assert first.claim == second.claim
        assert first.targets is second.targets


def test_runs_behind_where_a_pass_ends_are_for_the_next_one(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS, EFFICIENCY])
        store.add_runs(1)
        through = store.ledger.last_assembled()
        first = store.ledger.due(ERRORS, 500, through=through)
        store.add_runs(2)
        assert store.ledger.due(EFFICIENCY, 500, through=through).claim == first.claim
        assert store.evaluate(ERRORS, EFFICIENCY) == Summary(targets=2, scores=4)


def test_judged_runs_are_not_due_again_and_their_scores_are_active(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS, EFFICIENCY])
        store.add_runs(1, 2)
        assert store.evaluate(ERRORS, EFFICIENCY) == Summary(targets=2, scores=4)
        assert due(store) == due(store, EFFICIENCY) == []
        assert store.active_scores("target_id, evaluator, revision") == [
            (otlp.run_id(trace), evaluator, 1) for trace in (1, 2) for evaluator in ("tool_efficiency", "tool_error")
        ]
        assert store.rows("select evaluator, due, scored, status from evaluation_passes order by 1") == [
            ("tool_efficiency", 2, 2, "done"),
            ("tool_error", 2, 2, "done"),
        ]


def test_pass_takes_a_batch_at_a_time_until_nothing_is_left(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(1, 2, 3)
        summaries = [store.evaluate(ERRORS, limit=2) for _ in range(3)]
        assert [(one.targets, one.is_full) for one in summaries] == [(2, True), (1, False), (0, False)]
        assert len(store.active_scores("target_id, evaluator, revision")) == 3


def test_score_on_a_new_revision_supersedes_the_old_one(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([ERRORS, EFFICIENCY])
        store.add_runs(1)
        store.evaluate(ERRORS, EFFICIENCY)
        clock.pass_by(minutes=5)
        store.arrive(
            [agent_spans.tool(9, "book", parent=1, at_s=7, args={}, status_code="error", status_message="full")]
        )
        store.revise(1)
        assert due(store) == [otlp.run_id(1)]
        store.evaluate(ERRORS)
        kept = "select revision, passed, superseded_at from scores where evaluator = 'tool_error' order by revision"
        assert store.rows(kept) == [(1, True, clock.now), (2, False, None)]
        assert store.active_scores("target_id, evaluator, revision") == [
            (otlp.run_id(1), "tool_efficiency", 1),
            (otlp.run_id(1), "tool_error", 2),
        ]


def test_score_of_another_configuration_supersedes_the_old_one(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        strict, lenient = ERRORS, configure("tool_error", threshold=0.1)
        store.ledger.enrol([strict, lenient])
        store.add_runs(1)
        store.evaluate(strict)
        store.evaluate(lenient)
        assert store.active_scores("config_hash") == [(lenient.config_hash,)]


def test_recording_twice_changes_nothing(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock(), has_outbox=True) as store:
        store.ledger.enrol([ERRORS, EFFICIENCY])
        store.add_runs(1)
        begun = begin_pass(store, ERRORS, EFFICIENCY)
        store.ledger.record(*begun)
        before = state(store)
        store.ledger.record(*begun)
        assert state(store) == before
        assert store.one("select count(*) from outbox") == 2


def test_scores_of_a_pass_that_goes_on_are_active_and_what_it_is_about_stays_due(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock, has_outbox=True) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(1, 2)
        evaluation_pass, evaluators, claimed, evaluated = begin_pass(store, ERRORS)
        store.ledger.activate(evaluation_pass, evaluated.scores[:1])
        assert store.active_scores("target_id, evaluator, revision") == [(otlp.run_id(1), "tool_error", 1)]
        assert due(store) == [otlp.run_id(1), otlp.run_id(2)]
        clock.pass_by(seconds=1)
        store.ledger.record(evaluation_pass, evaluators, claimed, evaluated)
        assert store.active_scores("target_id, evaluator, revision") == [
            (otlp.run_id(1), "tool_error", 1),
            (otlp.run_id(2), "tool_error", 1),
        ]
        assert due(store) == []
        assert store.one("select count(*) from scores") == store.one("select count(*) from outbox") == 2
        assert store.rows("select scored from evaluation_passes") == [(2,)]


@pytest.mark.parametrize(
    "failing", ["supersede_scores", "insert_outbox", "insert_scores", "advance_cursor", "insert_pass"]
)
def test_scores_cursor_and_outbox_are_recorded_together_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def statement(name: str) -> str:
        return "out of order" if name == failing else whole(name)

    with opened(tmp_path, now=Clock(), has_outbox=True) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(1)
        begun = begin_pass(store, ERRORS)
        before, whole = state(store), catalog.statement
        with monkeypatch.context() as patch:
            patch.setattr("tracegrade.collector.store.ledger.ledger.statement", statement)
            with pytest.raises(duckdb.Error, match="syntax error"):
                store.ledger.record(*begun)
        assert state(store) == before
        assert due(store) == [otlp.run_id(1)]
        assert store.evaluate(ERRORS) == Summary(targets=1, scores=1)
        assert store.one("select count(*) from outbox") == 1


def test_backfill_that_an_evaluator_begins_with_is_not_lost_when_the_program_ends_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def statement(name: str) -> str:
        return "out of order" if name == "insert_backfill" else whole(name)

    weekly, whole = replace(ERRORS, backfill_s=9e8), catalog.statement
    with opened(tmp_path) as store:
        store.add_runs(1)
        with monkeypatch.context() as patch:
            patch.setattr("tracegrade.collector.store.ledger.deferred.statement", statement)
            with pytest.raises(duckdb.Error, match="syntax error"):
                store.ledger.enrol([weekly])
        store.ledger.enrol([weekly])
        assert due(store, weekly) == [otlp.run_id(1)]


def test_restart_goes_on_where_the_last_pass_ended(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(1, 2)
        store.evaluate(ERRORS, limit=1)
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        assert len(due(store)) == 1
        store.evaluate(ERRORS)
        assert len(store.active_scores("target_id, evaluator, revision")) == 2
        assert due(store) == []


def test_run_that_is_assembled_after_a_restart_is_due_though_the_last_one_vanished(tmp_path: Path) -> None:
    _, model, *_ = agent_spans.trip(1)
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(5)
        store.arrive([model])
        store.revise(1)
        store.evaluate(ERRORS)
        store.arrive([agent_spans.agent(1, for_s=10), agent_spans.tool(8, parent=7, at_s=2)])
        store.revise(1, final=False)
        assert store.rows("select trace_id from agent_traces") == [(otlp.trace_id(5),)]
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(2)
        assert due(store) == [otlp.run_id(2)]


def test_score_on_a_run_that_vanished_is_withdrawn(tmp_path: Path) -> None:
    agent, model, *_ = agent_spans.trip()
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.arrive([model])
        store.revise(1)
        store.evaluate(ERRORS)
        assert store.active_scores("target_id") == [(otlp.run_id(1, 2),)]
        store.arrive([agent])
        store.revise(1)
        assert store.active_scores("target_id, evaluator, revision") == []
        store.evaluate(ERRORS)
        assert store.active_scores("target_id") == [(otlp.run_id(1),)]


def test_score_on_a_run_that_vanished_while_it_was_judged_is_never_active(tmp_path: Path) -> None:
    agent, model, *_ = agent_spans.trip()
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.arrive([model])
        store.revise(1)
        begun = begin_pass(store, ERRORS)
        store.arrive([agent])
        store.revise(1)
        store.ledger.record(*begun)
        assert store.active_scores("target_id, evaluator, revision") == []
        assert due(store) == [otlp.run_id(1)]


def test_score_on_an_older_revision_is_followed_by_one_on_the_newer(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(1)
        begun = begin_pass(store, ERRORS)
        store.arrive([agent_spans.tool(9, "book", parent=1, at_s=7)])
        store.revise(1)
        store.ledger.record(*begun)
        assert store.active_scores("revision") == [(1,)]
        store.evaluate(ERRORS)
        assert store.active_scores("revision") == [(2,)]


def test_scores_on_calls_stand_for_each_call(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([EACH_CALL])
        store.arrive([*agent_spans.trip(), agent_spans.tool(9, "book", parent=1, at_s=7)])
        store.revise(1)
        store.evaluate(EACH_CALL)
        assert store.active_scores("target_id, span_id") == [
            (f"{otlp.run_id(1)}#0", otlp.span_id(3)),
            (f"{otlp.run_id(1)}#1", otlp.span_id(9)),
        ]


def test_score_on_a_call_that_a_new_revision_lacks_is_superseded(tmp_path: Path) -> None:
    """A call of unknown parents is taken for the agent's own, until the sub-agent that made it is known."""
    with opened(tmp_path) as store:
        store.ledger.enrol([EACH_CALL])
        store.arrive([*agent_spans.trip(), agent_spans.tool(9, "book", parent=8, at_s=3.2, for_s=0.1)])
        store.revise(1)
        store.evaluate(EACH_CALL)
        assert store.active_scores("target_id") == [(f"{otlp.run_id(1)}#0",), (f"{otlp.run_id(1)}#1",)]
        store.arrive([agent_spans.agent(8, name="clerk", parent=3, at_s=3.1, for_s=0.5)])
        store.revise(1)
        store.evaluate(EACH_CALL)
        assert store.active_scores("target_id, evaluator, revision") == [
            (f"{otlp.run_id(1)}#0", "by_call", 2),
            (f"{otlp.run_id(1, 8)}#0", "by_call", 1),
        ]


def test_evaluator_that_failed_on_a_run_and_then_judges_its_calls_leaves_no_error_active(tmp_path: Path) -> None:
    def fails_on_one_call(trace: AgentTrace) -> list[Score]:
        if len(trace.tool_calls) == 1:
            raise LookupError("one is too few")
        return [Score(value=1.0) for _ in trace.tool_calls]

    evaluator = make_evaluator("by_call", fails_on_one_call, scope="tool_call")
    with opened(tmp_path) as store:
        store.ledger.enrol([evaluator])
        store.add_runs(1)
        store.evaluate(evaluator)
        assert store.active_scores("target_id, status") == [(otlp.run_id(1), "error")]
        store.arrive([agent_spans.tool(9, "book", parent=1, at_s=7)])
        store.revise(1)
        store.evaluate(evaluator)
        assert store.active_scores("target_id, status") == [
            (f"{otlp.run_id(1)}#0", "scored"),
            (f"{otlp.run_id(1)}#1", "scored"),
        ]


def test_evaluator_that_is_mended_leaves_no_error_active_beside_its_scores_on_calls(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([EACH_CALL])
        store.add_runs(1)
        store.evaluate(make_evaluator("by_call", lambda _: True, scope="tool_call"))
        assert store.active_scores("target_id, status") == [(otlp.run_id(1), "error")]
        store.ledger.backfill(EACH_CALL, since=store.now() - timedelta(days=9999))
        store.evaluate(EACH_CALL)
        assert store.active_scores("target_id, status") == [(f"{otlp.run_id(1)}#0", "scored")]


def test_scores_on_the_calls_of_one_revision_stand_beside_each_other_when_they_come_one_by_one(
    tmp_path: Path,
) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([EACH_CALL])
        store.arrive([*agent_spans.trip(), agent_spans.tool(9, "book", parent=1, at_s=7)])
        store.revise(1)
        evaluation_pass, evaluators, claimed, evaluated = begin_pass(store, EACH_CALL)
        for score in evaluated.scores:
            store.ledger.record(evaluation_pass, evaluators, claimed, Evaluated([score]))
        assert len(store.active_scores("target_id, evaluator, revision")) == 2


def test_every_new_score_is_queued_for_sending_in_order(tmp_path: Path) -> None:
    with opened(tmp_path, has_outbox=True) as store:
        store.ledger.enrol([ERRORS])
        for trace in (1, 2, 3):
            store.add_runs(trace)
            store.evaluate(ERRORS)
        queued = "select outbox.position, scores.trace_id from outbox join scores using (score_id) order by 1"
        assert store.rows(queued) == [(number, otlp.trace_id(number)) for number in (1, 2, 3)]


def test_nothing_is_queued_where_nothing_is_sent(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(1)
        store.evaluate(ERRORS)
        assert store.one("select count(*) from outbox") == 0


def test_run_that_is_deferred_is_due_at_its_time_and_no_sooner(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(1)
        store.defer(ERRORS, until=clock.now + timedelta(hours=1), reason="budget spent")
        assert due(store) == []
        store.add_runs(2)
        clock.pass_by(hours=1)
        assert due(store) == [otlp.run_id(1), otlp.run_id(2)]
        store.evaluate(ERRORS)
        assert due(store) == []
        assert store.one("select count(*) from deferrals") == 0


@pytest.mark.parametrize("has_reference", [False, True], ids=["no-reference", "reference"])
def test_evaluator_that_wants_a_reference_is_through_with_runs_that_have_none(
    tmp_path: Path,
    has_reference: bool,  # noqa: FBT001
) -> None:
    evaluator = configure("tool_correctness", only_with_reference=not has_reference)
    with opened(tmp_path) as store:
        store.ledger.enrol([evaluator])
        store.add_runs(1)
        assert store.evaluate(evaluator).scores == (1 if has_reference else 0)
        assert due(store, evaluator) == []


def of_tools(config_hash: str = "0") -> Configured:
    """An evaluator of tool definitions."""
    return make_evaluator(
        "by_call", lambda tool: Score(value=float(len(tool.name) > 3)), scope="tool", config_hash=config_hash
    )


def offer(store: Store, trace: int, *names: str) -> None:
    """Brings a run that offers tools of these names."""
    definitions = json.dumps([{"name": name, "parameters": {"type": "object"}} for name in names])
    called = agent_spans.chat(2, trace=trace, parent=1, at_s=1, attributes={"gen_ai.tool.definitions": definitions})
    store.arrive([agent_spans.agent(1, trace=trace), called])
    store.revise(trace)


def test_tool_is_judged_once_however_many_runs_offer_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([of_tools()])
        offer(store, 1, "search", "buy")
        offer(store, 2, "search")
        assert store.evaluate(of_tools()) == Summary(targets=2, scores=2)
        offer(store, 3, "search", "cancel")
        assert store.evaluate(of_tools()) == Summary(targets=1, scores=1)
        assert store.active_scores("scope, agent_trace_id, span_id, value") == [
            ("tool", None, None, 0.0),
            ("tool", None, None, 1.0),
            ("tool", None, None, 1.0),
        ]


def test_tools_and_runs_are_judged_side_by_side(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS, of_tools(), EFFICIENCY])
        offer(store, 1, "search")
        assert store.evaluate(ERRORS, of_tools(), EFFICIENCY) == Summary(targets=2, scores=3)


def test_as_many_tools_as_a_pass_takes_up_are_judged_and_the_rest_in_the_next(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([of_tools()])
        offer(store, 1, "search", "buy", "cancel")
        assert [store.evaluate(of_tools(), limit=2).scores for _ in range(3)] == [2, 1, 0]


def test_evaluator_of_tools_that_is_new_judges_those_that_are_known(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        offer(store, 1, "search")
        store.ledger.enrol([of_tools()])
        assert store.evaluate(of_tools()).scores == 1


def test_changed_evaluator_of_tools_takes_its_older_scores_not_active(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([of_tools("old"), of_tools("new")])
        offer(store, 1, "search", "buy")
        store.evaluate(of_tools("old"))
        store.evaluate(of_tools("new"))
        assert store.active_scores("distinct config_hash") == [("new",)]
        assert store.one("select count(*) from scores") == 4


def test_tool_that_was_deferred_is_due_again(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([of_tools()])
        offer(store, 1, "search")
        store.defer(of_tools(), until=clock.now + timedelta(hours=1), reason="budget spent")
        assert store.evaluate(of_tools()) == Summary()
        clock.pass_by(hours=1)
        assert store.evaluate(of_tools()) == Summary(targets=1, scores=1)
        assert store.evaluate(of_tools()) == Summary()


def test_score_on_a_tool_is_no_event_of_a_span(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([of_tools()])
        offer(store, 1, "search")
        store.evaluate(of_tools())
        assert store.one("select count(*) from span_events where origin = 'evaluation'") == 0
