"""What a pass selects, defers, requests again and leaves alone, on a real store and a clock that is moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support import otlp
from tests.support.evaluators import make_evaluator
from tests.support.store import Clock, opened

from tracegrade.collector.evaluation.lane import Lane
from tracegrade.collector.evaluation.workbench_by_kind import WorkbenchByKind
from tracegrade.collector.store.ledger import due
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
from tracegrade.evaluators.ports import Deferred, Evaluated, EvaluationPass, OnScores
from tracegrade.queries.catalog import statement

ERRORS = configure("tool_error")


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


def test_when_selects_runs_and_leaves_no_trace_of_the_others(tmp_path: Path) -> None:
    picky = replace(ERRORS, when="agent_name = 'checkout'")
    with opened(tmp_path) as store:
        store.ledger.enrol([picky])
        store.add_runs(1)
        store.add_runs(2, name="checkout")
        store.add_runs(3)
        assert store.evaluate(picky) == Summary(targets=1, scores=1)
        assert store.active_scores("target_id") == [(otlp.run_id(2),)]
        assert store.evaluate(picky) == Summary()


def test_runs_that_nobody_wants_are_passed_over_however_many(tmp_path: Path) -> None:
    picky = replace(ERRORS, when="agent_name = 'checkout'")
    with opened(tmp_path) as store:
        store.ledger.enrol([picky])
        store.add_runs(1, 2, 3, 4, 5)
        store.add_runs(6, name="checkout")
        assert store.evaluate(picky, limit=2).scores == 1


@pytest.mark.parametrize(
    "picky",
    [replace(ERRORS, when="agent_name = 'checkout'"), replace(ERRORS, sample=0.0)],
    ids=["a condition that nothing meets", "a sample of nothing"],
)
def test_pass_says_that_there_may_be_more_behind_runs_that_nobody_wants(tmp_path: Path, picky: Configured) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([picky])
        store.add_runs(*range(1, 31))
        summaries = [store.evaluate(picky, limit=1) for _ in range(3)]
        assert summaries == [Summary(is_full=True), Summary(), Summary()]


def test_sampled_backlog_is_worked_off_without_anything_arriving(tmp_path: Path) -> None:
    half = replace(ERRORS, sample=0.5)
    with opened(tmp_path) as store:
        store.ledger.enrol([half])
        store.add_runs(*range(1, 31))
        while store.evaluate(half, limit=5).is_full:
            pass
        assert len(store.active_scores("target_id")) == sum(
            is_in_sample(half, otlp.run_id(trace)) for trace in range(1, 31)
        )


def test_session_behind_runs_of_none_is_found_without_anything_arriving(tmp_path: Path) -> None:
    clock = Clock()
    whole = replace(ERRORS, name="whole", scope="session")
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([whole])
        store.add_runs(1, 2, 3)
        store.add_runs(4, session="s-1")
        clock.pass_by(hours=1)
        while store.evaluate(whole, limit=1).is_full:
            pass
        assert store.active_scores("target_id") == [("session:s-1",)]


def test_evaluators_that_want_the_same_are_judged_together_and_others_apart(tmp_path: Path) -> None:
    picky = replace(make_evaluator("picky"), when="agent_name = 'checkout'")
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS, make_evaluator("all"), picky])
        store.add_runs(1)
        store.add_runs(2, name="checkout")
        assert store.evaluate(ERRORS, make_evaluator("all"), picky) == Summary(targets=3, scores=5)


def test_sample_of_nothing_judges_nothing_and_goes_on(tmp_path: Path) -> None:
    none = replace(ERRORS, sample=0.0)
    with opened(tmp_path) as store:
        store.ledger.enrol([none])
        store.add_runs(1)
        assert store.evaluate(none) == Summary()
        assert store.one("select seq from evaluator_cursors") == 1


def test_condition_that_fails_puts_its_runs_off_with_the_reason(tmp_path: Path) -> None:
    clock = Clock()
    odd = replace(ERRORS, when="input::integer > 1")
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([odd])
        store.add_runs(1)
        assert store.evaluate(odd) == Summary()
        ((target, reason, kind),) = store.rows("select target_id, reason, kind from deferrals")
        assert (target, kind) == (otlp.run_id(1), "condition_failed")
        assert "`when` cannot be decided: Conversion Error" in reason
        clock.pass_by(minutes=6)
        mended = replace(odd, when="true")
        assert store.evaluate(mended) == Summary(targets=1, scores=1)


def test_condition_that_fails_on_one_run_is_told_of_the_others_and_quotes_nobody(tmp_path: Path) -> None:
    numeric = replace(ERRORS, when="agent_name::integer > 1")
    with opened(tmp_path) as store:
        store.ledger.enrol([numeric])
        store.add_runs(1, 2, name="7")
        store.add_runs(3, name="secret")
        assert store.evaluate(numeric) == Summary(targets=2, scores=2)
        ((target, reason),) = store.rows("select target_id, reason from deferrals")
        assert target == otlp.run_id(3)
        assert "secret" not in reason


def test_judge_that_costs_money_waits_until_a_run_has_settled(tmp_path: Path) -> None:
    clock = Clock()
    costly = make_evaluator("polite", Polite(), kind="llm", asks="default")
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([costly, ERRORS])
        store.add_runs(1)
        assert store.evaluate(costly, ERRORS) == Summary(targets=1, scores=1)
        clock.pass_by(seconds=29)
        assert store.evaluate(costly) == Summary()
        clock.pass_by(seconds=2)
        assert store.evaluate(costly) == Summary(targets=1, scores=1)


@pytest.mark.parametrize("after", [(), ("tool_error",)], ids=["by itself", "after another"])
@pytest.mark.parametrize("back_s", [20, 86_400], ids=["by less than a run takes to settle", "by a day"])
def test_clock_that_was_set_back_loses_no_run_for_a_judge(tmp_path: Path, after: tuple[str, ...], back_s: int) -> None:
    clock = Clock()
    costly = make_evaluator("polite", Polite(), kind="llm", asks="default", after=after)
    with opened(tmp_path, now=clock, evaluators=[costly, ERRORS]) as store:
        store.ledger.enrol([costly, ERRORS])
        store.add_runs(1)
        clock.pass_by(seconds=-back_s)
        store.add_runs(2)
        for _ in range(2):
            clock.pass_by(seconds=31)
            store.evaluate(ERRORS, costly)
        assert store.rows("select target_id from latest_scores where evaluator = 'polite' order by 1") == [
            (otlp.run_id(1),),
            (otlp.run_id(2),),
        ]


def test_what_its_judge_cannot_be_asked_now_waits_with_the_reason_and_is_judged_at_its_time(tmp_path: Path) -> None:
    clock = Clock()
    costly = make_evaluator("polite", Polite(), kind="llm", asks="default")
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([costly])
        store.add_runs(1, 2)
        clock.pass_by(seconds=31)
        until = clock() + timedelta(hours=1)
        assert store.evaluate(costly, workbench=Spent(until)) == Summary(targets=2, scores=0)
        assert set(store.rows("select target_id, not_before, reason, kind from deferrals")) == {
            (otlp.run_id(trace), until, "its budget is spent", "budget") for trace in (1, 2)
        }
        assert store.rows("select due, scored, errors, deferred from evaluation_passes") == [(2, 0, 0, 2)]
        assert store.evaluate(costly) == Summary()
        clock.pass_by(hours=1)
        assert store.evaluate(costly) == Summary(targets=2, scores=2)
        assert store.one("select count(*) from deferrals") == 0


def test_what_waits_for_a_judge_is_looked_at_once_by_whoever_takes_over_and_waits_on_where_nothing_changed(
    tmp_path: Path,
) -> None:
    clock = Clock()
    costly = make_evaluator("polite", Polite(), kind="llm", asks="default")
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([costly])
        store.add_runs(1)
        clock.pass_by(seconds=31)
        spent = Spent(clock() + timedelta(hours=1))
        store.evaluate(costly, workbench=spent)
        still_poor = Lane([costly], store.ledger, spent, now=clock)
        assert [still_poor.evaluate().targets for _ in range(2)] == [1, 0]
        richer = Lane([costly], store.ledger, InProcessWorkbench(clock, judge=lambda _: "1"), now=clock)
        assert richer.evaluate() == Summary(targets=1, scores=1)


def test_what_waits_is_looked_at_again_when_the_clock_has_been_set_back(tmp_path: Path) -> None:
    clock = Clock()
    costly = make_evaluator("polite", Polite(), kind="llm", asks="default")
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([costly])
        store.add_runs(1)
        clock.pass_by(seconds=31)
        lane = Lane([costly], store.ledger, Spent(clock() + timedelta(hours=1)), now=clock)
        assert [lane.evaluate().targets for _ in range(2)] == [1, 0]
        clock.pass_by(hours=-2)
        assert lane.evaluate().targets == 1


def test_paused_evaluator_judges_nothing_until_it_goes_on_and_misses_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.ledger.pause("tool_error")
        store.add_runs(1)
        assert store.evaluate(ERRORS) == Summary()
        store.ledger.resume("tool_error")
        assert store.evaluate(ERRORS) == Summary(targets=1, scores=1)


def test_evaluator_starts_as_far_back_as_it_says(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.add_runs(1, 2)
        began = store.one("select max(started_at) from agent_traces")
        clock.now = began + timedelta(days=1)
        recent, older = replace(ERRORS, backfill_s=3600.0), replace(make_evaluator("older"), backfill_s=7 * 86400.0)
        store.ledger.enrol([recent, older])
        assert store.evaluate(recent) == Summary()
        assert store.evaluate(older) == Summary(targets=2, scores=2)


def test_what_is_new_is_judged_before_what_is_asked_for_again(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1)
        store.ledger.enrol([ERRORS])
        began = store.one("select min(started_at) from agent_traces")
        assert store.ledger.backfill(ERRORS, since=began) == 1
        store.add_runs(2)
        store.evaluate(ERRORS, limit=1)
        assert store.active_scores("target_id") == [(otlp.run_id(2),)]
        store.evaluate(ERRORS, limit=1)
        assert store.active_scores("target_id") == [(otlp.run_id(1),), (otlp.run_id(2),)]


@pytest.mark.parametrize(("again", "asked"), [(False, 0), (True, 1)])
def test_backfill_asks_again_for_what_was_judged_only_when_told_to(tmp_path: Path, *, again: bool, asked: int) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(1)
        store.evaluate(ERRORS)
        began = store.one("select min(started_at) from agent_traces")
        assert store.ledger.backfill(ERRORS, since=began, again=again) == asked
        assert store.ledger.backfill(ERRORS, since=began, again=again) == 0
        store.evaluate(ERRORS)
        assert store.one("select count(*) from scores") == 1


def test_evaluation_that_went_wrong_is_made_again_by_a_backfill(tmp_path: Path) -> None:
    tries = iter((1, 2))

    def unsteady(_: AgentTrace) -> float:
        if next(tries) == 1:
            raise ConnectionError("away")
        return 0.5

    flaky = make_evaluator("flaky", unsteady)
    with opened(tmp_path) as store:
        store.ledger.enrol([flaky])
        store.add_runs(1)
        store.evaluate(flaky)
        assert store.active_scores("status") == [("error",)]
        store.ledger.backfill(flaky, since=store.one("select min(started_at) from agent_traces"))
        store.evaluate(flaky)
        assert store.rows("select status, value from scores") == [("scored", 0.5)]


def test_evaluation_that_goes_wrong_again_is_kept_as_it_went_last(tmp_path: Path) -> None:
    causes = iter(("away", "still away"))

    def absent(_: AgentTrace) -> float:
        raise ConnectionError(next(causes))

    gone, clock = make_evaluator("gone", absent), Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([gone])
        store.add_runs(1)
        store.evaluate(gone)
        store.ledger.backfill(gone, since=store.one("select min(started_at) from agent_traces"))
        clock.pass_by(hours=1)
        store.evaluate(gone)
        [(reason, scored_at)] = store.rows("select reason, scored_at from scores")
    assert "still away" in reason
    assert scored_at == clock.now


def test_score_that_is_given_once_more_is_active_again(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1)
        began = store.one("select min(started_at) from agent_traces")
        for form, seen in (("a", ["a"]), ("b", ["b"]), ("a", ["a"])):
            evaluator = make_evaluator("mine", config_hash=form)
            store.ledger.enrol([evaluator])
            store.ledger.backfill(evaluator, since=began, again=True)
            store.evaluate(evaluator)
            assert [hash_ for (hash_,) in store.active_scores("config_hash")] == seen
        assert store.one("select count(*) from scores") == 2


def test_query_judges_every_run_that_is_due_at_once(tmp_path: Path) -> None:
    query = """
        select agent_trace_id, tool_calls / 2 as value, 'calls: ' || tool_calls as explanation, tool_calls as calls
        from (select agent_trace_id, count(*) as tool_calls from due join tool_calls using (agent_trace_id) group by 1)
    """
    slow = make_evaluator("slow_tools", kind="sql", sql=query, threshold=0.4)
    with opened(tmp_path) as store:
        store.ledger.enrol([slow])
        store.add_runs(1, 2)
        assert store.evaluate(slow) == Summary(targets=2, scores=2)
        told = store.active_scores(
            "value, passed, explanation, details ->> 'calls', evaluator_kind, agent_name, trace_id"
        )
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
    odd = make_evaluator("odd", kind="sql", sql=query)
    with opened(tmp_path) as store:
        store.ledger.enrol([odd])
        store.add_runs(1)
        store.evaluate(odd)
        ((found, why),) = store.active_scores("status, reason")
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
    asking = make_evaluator("asking", kind="sql", sql=f"select agent_trace_id, {columns} from due", threshold=1.0)
    with opened(tmp_path) as store:
        store.ledger.enrol([asking])
        store.add_runs(1)
        store.evaluate(asking)
        assert store.active_scores("value, label, passed, threshold") == [told]


def test_what_else_a_query_tells_becomes_details_that_are_json(tmp_path: Path) -> None:
    columns = "'nan'::double as odd, [1, 2] as numbers, started_at as at, null as nothing"
    asking = make_evaluator("asking", kind="sql", sql=f"select agent_trace_id, 1 as value, {columns} from due")
    with opened(tmp_path) as store:
        store.ledger.enrol([asking])
        store.add_runs(1)
        store.evaluate(asking)
        ((odd, numbers, at, keys),) = store.active_scores(
            "details ->> 'odd', details ->> 'numbers', details ->> 'at', json_keys(details)"
        )
        assert (odd, numbers, keys) == ("NaN", "[1,2]", ["odd", "numbers", "at"])
        assert at.endswith("Z")


def test_score_of_a_query_has_the_id_that_it_would_have_from_any_other_evaluator(tmp_path: Path) -> None:
    asking = make_evaluator("asking", kind="sql", sql="select agent_trace_id, 1 as value from due")
    with opened(tmp_path) as store:
        store.ledger.enrol([asking, make_evaluator("other")])
        store.add_runs(1)
        (trace,) = store.ledger.due(make_evaluator("other"), 1).targets
        store.evaluate(asking)
        expected = score_record(asking, trace, Score(value=1.0), scored_at=store.one("select scored_at from scores"))
        assert store.active_scores("score_id, target_id, span_id") == [
            (expected.score_id, expected.target_id, expected.span_id)
        ]


def test_query_that_is_cut_off_is_no_score_and_its_runs_stay_due(tmp_path: Path) -> None:
    asking = make_evaluator("asking", kind="sql", sql="select agent_trace_id, 1 as value from due")
    with opened(tmp_path) as store:
        store.ledger.enrol([asking])
        store.add_runs(1)
        queries = SqlWorkbench(store.database)
        queries.kill()
        with pytest.raises(CutOff, match="asking"):
            run_pass(store.ledger, WorkbenchByKind(queries, InProcessWorkbench()), [asking], now=store.now)
        assert store.active_scores("target_id") == []
        assert store.evaluate(asking) == Summary(targets=1, scores=1)


def test_queries_share_the_runs_that_are_due_and_evaluators_of_other_kinds_get_them_whole(tmp_path: Path) -> None:
    first, second = (
        make_evaluator(name, kind="sql", sql="select agent_trace_id, 1 as value from due") for name in ("a", "b")
    )
    whole = make_evaluator("whole")
    with opened(tmp_path) as store:
        store.ledger.enrol([first, second, whole])
        store.add_runs(1)
        claims = [store.ledger.due(evaluator, 10).claim for evaluator in (first, second, whole)]
        assert claims[0] == claims[1] != claims[2]
        assert store.evaluate(first, second, whole) == Summary(targets=2, scores=3)
        assert store.active_scores("evaluator") == [("a",), ("b",), ("whole",)]


def test_query_that_joins_nothing_is_asked_for_the_runs_that_are_due_alone(tmp_path: Path) -> None:
    every = make_evaluator("every", kind="sql", sql="select agent_trace_id, 1 as value from agent_traces")
    with opened(tmp_path) as store:
        store.add_runs(1)
        store.ledger.enrol([every])
        store.add_runs(2)
        assert store.evaluate(every) == Summary(targets=1, scores=1)
        assert len(store.active_scores("target_id")) == 1


def turns_of(turns: tuple[AgentTrace, ...]) -> Score:
    return Score(value=1.0, details={"turns": len(turns)})


WHOLE = make_evaluator("whole", turns_of, scope="session")


def test_session_is_judged_when_it_has_been_silent_and_not_before(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([WHOLE])
        store.add_runs(1, session="a, b")
        assert store.evaluate(WHOLE) == Summary()
        assert store.rows("select target_id, reason, kind from deferrals") == [
            ("session:a, b", "the session is not idle", "session_active")
        ]
        clock.pass_by(minutes=3)
        store.add_runs(2, session="a, b")
        clock.pass_by(minutes=3)
        assert store.evaluate(WHOLE) == Summary()
        clock.pass_by(minutes=3)
        assert store.evaluate(WHOLE) == Summary(targets=1, scores=1)
        assert store.active_scores("target_id, session_id, agent_trace_id, details ->> 'turns'") == [
            ("session:a, b", "a, b", None, "2")
        ]
        assert store.one("select count(*) from deferrals") == 0


def test_session_that_goes_on_is_judged_again_and_the_older_score_is_not_active(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([WHOLE])
        store.add_runs(1, session="s")
        clock.pass_by(minutes=6)
        store.evaluate(WHOLE)
        store.add_runs(2, session="s")
        clock.pass_by(minutes=6)
        store.evaluate(WHOLE)
        assert store.active_scores("details ->> 'turns'") == [("2",)]
        assert store.one("select count(*) from scores") == 2


def test_runs_of_no_session_are_passed_over(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([WHOLE])
        store.add_runs(1)
        assert store.evaluate(WHOLE) == Summary()
        assert store.one("select seq from evaluator_cursors") == 1


def test_evaluator_of_runs_tells_of_a_session_its_turns_their_mean_and_the_whole(tmp_path: Path) -> None:
    clock = Clock()
    options = {"ignore_retry_after_error": False}
    session = build({"use": "tool_efficiency", "name": "whole", "scope": "session", "options": options})
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([session])
        store.add_runs(1, 2, session="s")
        clock.pass_by(minutes=6)
        store.evaluate(session)
        assert store.active_scores("value, details ->> 'mean', json_array_length(details -> 'turns')") == [
            (0.5, "1.0", 2)
        ]


def test_run_that_a_predecessor_defers_while_the_due_ones_are_read_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = replace(make_evaluator("second"), after=(ERRORS.name,))
    with opened(tmp_path, evaluators=[ERRORS, second]) as store:
        store.ledger.enrol([ERRORS, second])
        store.add_runs(1)
        tomorrow = store.now() + timedelta(days=1)
        names: list[str] = []

        def read(name: str) -> str:
            names.append(name)
            if names == ["reach_of_predecessors", "due_runs"]:
                store.defer(ERRORS, until=tomorrow, reason="the budget is spent")
            return statement(name)

        monkeypatch.setattr(due, "statement", read)
        assert store.evaluate(second) == Summary()
        assert names[:2] == ["reach_of_predecessors", "due_runs"]
        assert store.evaluate(second) == Summary()
        assert store.rows("select evaluator, not_before from deferrals order by all") == [
            ("second", tomorrow),
            (ERRORS.name, tomorrow),
        ]
