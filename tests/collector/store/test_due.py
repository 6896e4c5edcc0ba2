"""What a pass selects, puts off, asks for again and leaves alone, on a real store and a clock that is moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support import otlp, tale
from tests.support.store import Clock, Store, opened

from tracegrade.collector.evaluation.lane import Lane
from tracegrade.collector.evaluation.workbench_by_kind import WorkbenchByKind
from tracegrade.collector.records.arrow_batch import Batch
from tracegrade.collector.store.ledger.sql_evaluators import CutOff, SqlWorkbench
from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.dialogue import Asking, Dialogue, Question
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.definition.score_record import Target, score_record
from tracegrade.evaluators.execution.run import InProcessWorkbench
from tracegrade.evaluators.model import AgentTrace, Score
from tracegrade.evaluators.passes.run_pass import Summary, run_pass
from tracegrade.evaluators.passes.sampling import is_in_sample
from tracegrade.evaluators.ports import Deferred, Evaluated, EvaluationPass, OnScores, Workbench

ERRORS = configure("tool_error")


def own(name: str, judge: Any = lambda _: 1.0, **fields: Any) -> Configured:
    return Configured(
        **{
            "name": name,
            "type": name,
            "version": 1,
            "scope": "trace",
            "threshold": 1.0,
            "only_with_reference": False,
            "function": judge,
            "config_hash": name,
            **fields,
        }
    )


def bring(store: Store, *traces: int, name: str = "travel", session: str | None = None) -> None:
    for trace in traces:
        agent, *others = tale.trip(trace, name=name)
        said = {**agent.attributes, **({"gen_ai.conversation.id": session} if session else {})}
        store.arrive([replace(agent, attributes=said), *others])
    store.revise(*traces)


class Polite(Asking):
    def ask(self, given: Any) -> Dialogue:
        [answer] = yield [Question(instructions="Is it polite?", evidence=given.agent_trace_id, read=float)]
        return Score(value=answer.value)


class Spent(InProcessWorkbench):
    """A workbench whose judge answers nobody before a time."""

    def __init__(self, until: datetime) -> None:
        super().__init__()
        self._until = until

    def ask(
        self,
        evaluation_pass: EvaluationPass,
        targets: Sequence[Target],
        evaluators: Sequence[Configured],
        on_scores: OnScores,
    ) -> Evaluated:
        ids = [target.agent_trace_id for target in targets if isinstance(target, AgentTrace)]
        return Evaluated(
            (),
            [
                Deferred(one.name, id_, self._until, "its budget is spent", "budget")
                for one in evaluators
                for id_ in ids
            ],
        )


def judge(store: Store, *evaluators: Configured, limit: int = 500, by: Workbench[Batch[Any]] | None = None) -> Summary:
    now = store.ledger._now
    workbench = by or InProcessWorkbench(now, judge=lambda _: "1")
    by_kind = WorkbenchByKind(SqlWorkbench(store.database, now=now), workbench)
    return run_pass(store.ledger, by_kind, evaluators, now=now, limit=limit)


def judged(store: Store, columns: str = "target_id") -> list[tuple[Any, ...]]:
    return store.rows(f"select {columns} from latest_scores order by all")


def run_id(trace: int) -> str:
    return f"{otlp.trace_id(trace)}-{otlp.span_id(1)}"


def test_when_selects_runs_and_leaves_no_trace_of_the_others(tmp_path: Path) -> None:
    picky = replace(ERRORS, when="agent_name = 'checkout'")
    with opened(tmp_path) as store:
        store.ledger.enrol([picky])
        bring(store, 1)
        bring(store, 2, name="checkout")
        bring(store, 3)
        assert judge(store, picky) == Summary(targets=1, scores=1)
        assert judged(store) == [(run_id(2),)]
        assert judge(store, picky) == Summary()


def test_runs_that_nobody_wants_are_passed_over_however_many(tmp_path: Path) -> None:
    picky = replace(ERRORS, when="agent_name = 'checkout'")
    with opened(tmp_path) as store:
        store.ledger.enrol([picky])
        bring(store, 1, 2, 3, 4, 5)
        bring(store, 6, name="checkout")
        assert judge(store, picky, limit=2).scores == 1


@pytest.mark.parametrize(
    "picky",
    [replace(ERRORS, when="agent_name = 'checkout'"), replace(ERRORS, sample=0.0)],
    ids=["a condition that nothing meets", "a sample of nothing"],
)
def test_pass_says_that_there_may_be_more_behind_runs_that_nobody_wants(tmp_path: Path, picky: Configured) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([picky])
        bring(store, *range(1, 31))
        summaries = [judge(store, picky, limit=1) for _ in range(3)]
        assert summaries == [Summary(is_full=True), Summary(), Summary()]


def test_sampled_backlog_is_worked_off_without_anything_arriving(tmp_path: Path) -> None:
    half = replace(ERRORS, sample=0.5)
    with opened(tmp_path) as store:
        store.ledger.enrol([half])
        bring(store, *range(1, 31))
        while judge(store, half, limit=5).is_full:
            pass
        assert len(judged(store)) == sum(is_in_sample(half, run_id(trace)) for trace in range(1, 31))


def test_session_behind_runs_of_none_is_found_without_anything_arriving(tmp_path: Path) -> None:
    clock = Clock()
    whole = replace(ERRORS, name="whole", scope="session")
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([whole])
        bring(store, 1, 2, 3)
        bring(store, 4, session="s-1")
        clock.pass_by(hours=1)
        while judge(store, whole, limit=1).is_full:
            pass
        assert judged(store) == [("session:s-1",)]


def test_evaluators_that_want_the_same_are_judged_together_and_others_apart(tmp_path: Path) -> None:
    picky = replace(own("picky"), when="agent_name = 'checkout'")
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS, own("all"), picky])
        bring(store, 1)
        bring(store, 2, name="checkout")
        assert judge(store, ERRORS, own("all"), picky) == Summary(targets=3, scores=5)


def test_sample_of_nothing_judges_nothing_and_goes_on(tmp_path: Path) -> None:
    none = replace(ERRORS, sample=0.0)
    with opened(tmp_path) as store:
        store.ledger.enrol([none])
        bring(store, 1)
        assert judge(store, none) == Summary()
        assert store.one("select seq from evaluator_cursors") == 1


def test_condition_that_fails_puts_its_runs_off_with_the_reason(tmp_path: Path) -> None:
    clock = Clock()
    odd = replace(ERRORS, when="input::integer > 1")
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([odd])
        bring(store, 1)
        assert judge(store, odd) == Summary()
        ((target, reason, kind),) = store.rows("select target_id, reason, kind from deferrals")
        assert (target, kind) == (run_id(1), "condition_failed")
        assert "`when` cannot be decided: Conversion Error" in reason
        clock.pass_by(minutes=6)
        mended = replace(odd, when="true")
        assert judge(store, mended) == Summary(targets=1, scores=1)


def test_condition_that_fails_on_one_run_is_told_of_the_others_and_quotes_nobody(tmp_path: Path) -> None:
    numeric = replace(ERRORS, when="agent_name::integer > 1")
    with opened(tmp_path) as store:
        store.ledger.enrol([numeric])
        bring(store, 1, 2, name="7")
        bring(store, 3, name="secret")
        assert judge(store, numeric) == Summary(targets=2, scores=2)
        ((target, reason),) = store.rows("select target_id, reason from deferrals")
        assert target == run_id(3)
        assert "secret" not in reason


def test_judge_that_costs_money_waits_until_a_run_has_settled(tmp_path: Path) -> None:
    clock = Clock()
    costly = own("polite", Polite(), kind="llm", asks="default")
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([costly, ERRORS])
        bring(store, 1)
        assert judge(store, costly, ERRORS) == Summary(targets=1, scores=1)
        clock.pass_by(seconds=29)
        assert judge(store, costly) == Summary()
        clock.pass_by(seconds=2)
        assert judge(store, costly) == Summary(targets=1, scores=1)


@pytest.mark.parametrize("after", [(), ("tool_error",)], ids=["by itself", "after another"])
@pytest.mark.parametrize("back_s", [20, 86_400], ids=["by less than a run takes to settle", "by a day"])
def test_clock_that_was_set_back_loses_no_run_for_a_judge(tmp_path: Path, after: tuple[str, ...], back_s: int) -> None:
    clock = Clock()
    costly = own("polite", Polite(), kind="llm", asks="default", after=after)
    with opened(tmp_path, now=clock, evaluators=[costly, ERRORS]) as store:
        store.ledger.enrol([costly, ERRORS])
        bring(store, 1)
        clock.pass_by(seconds=-back_s)
        bring(store, 2)
        for _ in range(2):
            clock.pass_by(seconds=31)
            judge(store, ERRORS, costly)
        assert store.rows("select target_id from latest_scores where evaluator = 'polite' order by 1") == [
            (run_id(1),),
            (run_id(2),),
        ]


def test_what_its_judge_cannot_be_asked_now_waits_with_the_reason_and_is_judged_at_its_time(tmp_path: Path) -> None:
    clock = Clock()
    costly = own("polite", Polite(), kind="llm", asks="default")
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([costly])
        bring(store, 1, 2)
        clock.pass_by(seconds=31)
        until = clock() + timedelta(hours=1)
        assert judge(store, costly, by=Spent(until)) == Summary(targets=2, scores=0)
        assert set(store.rows("select target_id, not_before, reason, kind from deferrals")) == {
            (run_id(trace), until, "its budget is spent", "budget") for trace in (1, 2)
        }
        assert store.rows("select due, scored, errors, deferred from evaluation_passes") == [(2, 0, 0, 2)]
        assert judge(store, costly) == Summary()
        clock.pass_by(hours=1)
        assert judge(store, costly) == Summary(targets=2, scores=2)
        assert store.one("select count(*) from deferrals") == 0


def test_what_waits_for_a_judge_is_looked_at_once_by_whoever_takes_over_and_waits_on_where_nothing_changed(
    tmp_path: Path,
) -> None:
    clock = Clock()
    costly = own("polite", Polite(), kind="llm", asks="default")
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([costly])
        bring(store, 1)
        clock.pass_by(seconds=31)
        spent = Spent(clock() + timedelta(hours=1))
        judge(store, costly, by=spent)
        still_poor = Lane([costly], store.ledger, spent, now=clock)
        assert [still_poor.evaluate().targets for _ in range(2)] == [1, 0]
        richer = Lane([costly], store.ledger, InProcessWorkbench(clock, judge=lambda _: "1"), now=clock)
        assert richer.evaluate() == Summary(targets=1, scores=1)


def test_what_waits_is_looked_at_again_when_the_clock_has_been_set_back(tmp_path: Path) -> None:
    clock = Clock()
    costly = own("polite", Polite(), kind="llm", asks="default")
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([costly])
        bring(store, 1)
        clock.pass_by(seconds=31)
        lane = Lane([costly], store.ledger, Spent(clock() + timedelta(hours=1)), now=clock)
        assert [lane.evaluate().targets for _ in range(2)] == [1, 0]
        clock.pass_by(hours=-2)
        assert lane.evaluate().targets == 1


def test_paused_evaluator_judges_nothing_until_it_goes_on_and_misses_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.ledger.pause("tool_error")
        bring(store, 1)
        assert judge(store, ERRORS) == Summary()
        store.ledger.resume("tool_error")
        assert judge(store, ERRORS) == Summary(targets=1, scores=1)


def test_evaluator_starts_as_far_back_as_it_says(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        bring(store, 1, 2)
        began = store.one("select max(started_at) from agent_traces")
        clock.now = began + timedelta(days=1)
        recent, older = replace(ERRORS, backfill_s=3600.0), replace(own("older"), backfill_s=7 * 86400.0)
        store.ledger.enrol([recent, older])
        assert judge(store, recent) == Summary()
        assert judge(store, older) == Summary(targets=2, scores=2)


def test_what_is_new_is_judged_before_what_is_asked_for_again(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        bring(store, 1)
        store.ledger.enrol([ERRORS])
        began = store.one("select min(started_at) from agent_traces")
        assert store.ledger.backfill(ERRORS, since=began) == 1
        bring(store, 2)
        judge(store, ERRORS, limit=1)
        assert judged(store) == [(run_id(2),)]
        judge(store, ERRORS, limit=1)
        assert judged(store) == [(run_id(1),), (run_id(2),)]


@pytest.mark.parametrize(("again", "asked"), [(False, 0), (True, 1)])
def test_backfill_asks_again_for_what_was_judged_only_when_told_to(tmp_path: Path, *, again: bool, asked: int) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        bring(store, 1)
        judge(store, ERRORS)
        began = store.one("select min(started_at) from agent_traces")
        assert store.ledger.backfill(ERRORS, since=began, again=again) == asked
        assert store.ledger.backfill(ERRORS, since=began, again=again) == 0
        judge(store, ERRORS)
        assert store.one("select count(*) from scores") == 1


def test_evaluation_that_went_wrong_is_made_again_by_a_backfill(tmp_path: Path) -> None:
    tries = iter((1, 2))

    def unsteady(_: AgentTrace) -> float:
        if next(tries) == 1:
            raise ConnectionError("away")
        return 0.5

    flaky = own("flaky", unsteady)
    with opened(tmp_path) as store:
        store.ledger.enrol([flaky])
        bring(store, 1)
        judge(store, flaky)
        assert judged(store, "status") == [("error",)]
        store.ledger.backfill(flaky, since=store.one("select min(started_at) from agent_traces"))
        judge(store, flaky)
        assert store.rows("select status, value from scores") == [("scored", 0.5)]


def test_evaluation_that_goes_wrong_again_is_kept_as_it_went_last(tmp_path: Path) -> None:
    causes = iter(("away", "still away"))

    def absent(_: AgentTrace) -> float:
        raise ConnectionError(next(causes))

    gone, clock = own("gone", absent), Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([gone])
        bring(store, 1)
        judge(store, gone)
        store.ledger.backfill(gone, since=store.one("select min(started_at) from agent_traces"))
        clock.pass_by(hours=1)
        judge(store, gone)
        [(reason, scored_at)] = store.rows("select reason, scored_at from scores")
    assert "still away" in reason
    assert scored_at == clock.now


def test_score_that_is_given_once_more_is_active_again(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        bring(store, 1)
        began = store.one("select min(started_at) from agent_traces")
        for form, seen in (("a", ["a"]), ("b", ["b"]), ("a", ["a"])):
            evaluator = own("mine", config_hash=form)
            store.ledger.enrol([evaluator])
            store.ledger.backfill(evaluator, since=began, again=True)
            judge(store, evaluator)
            assert [hash_ for (hash_,) in judged(store, "config_hash")] == seen
        assert store.one("select count(*) from scores") == 2


def test_query_judges_every_run_that_is_due_at_once(tmp_path: Path) -> None:
    query = """
        select agent_trace_id, tool_calls / 2 as value, 'calls: ' || tool_calls as explanation, tool_calls as calls
        from (select agent_trace_id, count(*) as tool_calls from due join tool_calls using (agent_trace_id) group by 1)
    """
    slow = own("slow_tools", kind="sql", sql=query, threshold=0.4)
    with opened(tmp_path) as store:
        store.ledger.enrol([slow])
        bring(store, 1, 2)
        assert judge(store, slow) == Summary(targets=2, scores=2)
        told = judged(store, "value, passed, explanation, details ->> 'calls', evaluator_kind, agent_name, trace_id")
        assert told[0] == (0.5, True, "calls: 1", "1", "sql", "travel", otlp.trace_id(1))


@pytest.mark.parametrize(
    ("query", "status", "reason"),
    [
        pytest.param("select agent_trace_id, 0.5 as value from due where false", "skipped", "no row", id="no row"),
        pytest.param("select agent_trace_id, null as value from due", "skipped", "no value", id="null"),
        pytest.param("select agent_trace_id, 2.0 as value from due", "error", "no score", id="beyond 1"),
        pytest.param("select no_such_column from due", "error", "no_such_column", id="broken"),
        pytest.param("select 1 as value from due", "error", "agent_trace_id", id="without ids"),
        pytest.param("from (from due union all from due)", "error", "two rows", id="a run twice"),
        pytest.param("select null as agent_trace_id, 1 as value", "error", "without agent_trace_id", id="unnamed"),
        pytest.param("select agent_trace_id, 'good' as value from due", "error", "in label", id="a word as value"),
        pytest.param("select agent_trace_id, 'nan'::double as value from due", "error", "nan is not", id="no number"),
        pytest.param("select agent_trace_id, 1 as passed from due", "error", "boolean", id="passed is no boolean"),
        pytest.param(
            "select agent_trace_id, null as label, 'no order' as reason from due", "skipped", "no order", id="says why"
        ),
        pytest.param(
            "select agent_trace_id, 'no order' as reason from due",
            "error",
            "neither value, label nor passed",
            id="only why",
        ),
        pytest.param("delete from spans", "error", "refused", id="no SELECT"),
    ],
)
def test_query_that_says_nothing_or_fails_leaves_a_row_with_the_reason(
    tmp_path: Path, query: str, status: str, reason: str
) -> None:
    odd = own("odd", kind="sql", sql=query)
    with opened(tmp_path) as store:
        store.ledger.enrol([odd])
        bring(store, 1)
        judge(store, odd)
        ((found, why),) = judged(store, "status, reason")
        assert found == status
        assert reason in why


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        pytest.param("0.5 as value", (0.5, None, False, 1.0), id="number"),
        pytest.param("1 as value", (1.0, None, True, 1.0), id="integer"),
        pytest.param("0.25::decimal(4, 2) as value", (0.25, None, False, 1.0), id="decimal"),
        pytest.param("true as value", (1.0, None, True, 1.0), id="boolean"),
        pytest.param("'good' as label", (None, "good", None, None), id="label alone"),
        pytest.param("false as passed", (None, None, False, None), id="passed alone"),
        pytest.param("0.5 as value, true as passed", (0.5, None, True, 1.0), id="passed in its own way"),
    ],
)
def test_query_may_answer_with_a_number_a_boolean_or_a_label(
    tmp_path: Path, columns: str, told: tuple[object, ...]
) -> None:
    asking = own("asking", kind="sql", sql=f"select agent_trace_id, {columns} from due", threshold=1.0)
    with opened(tmp_path) as store:
        store.ledger.enrol([asking])
        bring(store, 1)
        judge(store, asking)
        assert judged(store, "value, label, passed, threshold") == [told]


def test_what_else_a_query_tells_becomes_details_that_are_json(tmp_path: Path) -> None:
    columns = "'nan'::double as odd, [1, 2] as numbers, started_at as at, null as nothing"
    asking = own("asking", kind="sql", sql=f"select agent_trace_id, 1 as value, {columns} from due")
    with opened(tmp_path) as store:
        store.ledger.enrol([asking])
        bring(store, 1)
        judge(store, asking)
        ((odd, numbers, at, keys),) = judged(
            store, "details ->> 'odd', details ->> 'numbers', details ->> 'at', json_keys(details)"
        )
        assert (odd, numbers, keys) == ("NaN", "[1,2]", ["odd", "numbers", "at"])
        assert at.endswith("Z")


def test_score_of_a_query_has_the_id_that_it_would_have_from_any_other_evaluator(tmp_path: Path) -> None:
    asking = own("asking", kind="sql", sql="select agent_trace_id, 1 as value from due")
    with opened(tmp_path) as store:
        store.ledger.enrol([asking, own("other")])
        bring(store, 1)
        (trace,) = store.ledger.due(own("other"), 1).targets
        judge(store, asking)
        expected = score_record(asking, trace, Score(value=1.0), scored_at=store.one("select scored_at from scores"))
        assert judged(store, "score_id, target_id, span_id") == [
            (expected.score_id, expected.target_id, expected.span_id)
        ]


def test_query_that_is_cut_off_is_no_score_and_its_runs_stay_due(tmp_path: Path) -> None:
    asking = own("asking", kind="sql", sql="select agent_trace_id, 1 as value from due")
    with opened(tmp_path) as store:
        store.ledger.enrol([asking])
        bring(store, 1)
        queries = SqlWorkbench(store.database)
        queries.kill()
        with pytest.raises(CutOff, match="asking"):
            run_pass(store.ledger, WorkbenchByKind(queries, InProcessWorkbench()), [asking], now=store.ledger._now)
        assert judged(store) == []
        assert judge(store, asking) == Summary(targets=1, scores=1)


def test_queries_share_the_runs_that_are_due_and_evaluators_of_other_kinds_get_them_whole(tmp_path: Path) -> None:
    first, second = (own(name, kind="sql", sql="select agent_trace_id, 1 as value from due") for name in ("a", "b"))
    whole = own("whole")
    with opened(tmp_path) as store:
        store.ledger.enrol([first, second, whole])
        bring(store, 1)
        claims = [store.ledger.due(evaluator, 10).claim for evaluator in (first, second, whole)]
        assert claims[0] == claims[1] != claims[2]
        assert judge(store, first, second, whole) == Summary(targets=2, scores=3)
        assert judged(store, "evaluator") == [("a",), ("b",), ("whole",)]


def test_query_that_joins_nothing_is_asked_for_the_runs_that_are_due_alone(tmp_path: Path) -> None:
    every = own("every", kind="sql", sql="select agent_trace_id, 1 as value from agent_traces")
    with opened(tmp_path) as store:
        bring(store, 1)
        store.ledger.enrol([every])
        bring(store, 2)
        assert judge(store, every) == Summary(targets=1, scores=1)
        assert len(judged(store, "target_id")) == 1


def turns_of(turns: tuple[AgentTrace, ...]) -> Score:
    return Score(value=1.0, details={"turns": len(turns)})


WHOLE = own("whole", turns_of, scope="session")


def test_session_is_judged_when_it_has_been_silent_and_not_before(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([WHOLE])
        bring(store, 1, session="a, b")
        assert judge(store, WHOLE) == Summary()
        assert store.rows("select target_id, reason, kind from deferrals") == [
            ("session:a, b", "the session is not idle", "session_active")
        ]
        clock.pass_by(minutes=3)
        bring(store, 2, session="a, b")
        clock.pass_by(minutes=3)
        assert judge(store, WHOLE) == Summary()
        clock.pass_by(minutes=3)
        assert judge(store, WHOLE) == Summary(targets=1, scores=1)
        assert judged(store, "target_id, session_id, agent_trace_id, details ->> 'turns'") == [
            ("session:a, b", "a, b", None, "2")
        ]
        assert store.one("select count(*) from deferrals") == 0


def test_session_that_goes_on_is_judged_again_and_the_older_score_is_not_active(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([WHOLE])
        bring(store, 1, session="s")
        clock.pass_by(minutes=6)
        judge(store, WHOLE)
        bring(store, 2, session="s")
        clock.pass_by(minutes=6)
        judge(store, WHOLE)
        assert judged(store, "details ->> 'turns'") == [("2",)]
        assert store.one("select count(*) from scores") == 2


def test_runs_of_no_session_are_passed_over(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([WHOLE])
        bring(store, 1)
        assert judge(store, WHOLE) == Summary()
        assert store.one("select seq from evaluator_cursors") == 1


def test_evaluator_of_runs_tells_of_a_session_its_turns_their_mean_and_the_whole(tmp_path: Path) -> None:
    clock = Clock()
    options = {"ignore_retry_after_error": False}
    session = build({"use": "tool_efficiency", "name": "whole", "scope": "session", "options": options})
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([session])
        bring(store, 1, 2, session="s")
        clock.pass_by(minutes=6)
        judge(store, session)
        assert judged(store, "value, details ->> 'mean', json_array_length(details -> 'turns')") == [(0.5, "1.0", 2)]
