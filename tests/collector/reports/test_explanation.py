"""Why there is a score, or none: each reason on a real store and a clock that is moved."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans, otlp
from tests.support.evaluators import make_evaluator
from tests.support.store import Clock, Store, opened

from tracegrade.collector.cli.explain import _format_row
from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.reports.backlog import read_standings
from tracegrade.collector.reports.explanation import Explanation, explain, explain_others
from tracegrade.collector.reports.facts import read_facts
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.model import Score

ERRORS = configure("tool_error")
SETTLE, IDLE = timedelta(seconds=30), timedelta(minutes=5)


def explain_run(store: Store, evaluator: Configured, trace: int = 1) -> list[Explanation]:
    read = LocalSource(store.database, max_rows=1_000, timeout_s=10).read
    facts = read_facts(read, otlp.run_id(trace), judge_settle=SETTLE, session_idle=IDLE, now=store.now())
    (standing,) = read_standings(read, [evaluator])
    return explain(standing, facts)


def reason(store: Store, evaluator: Configured, trace: int = 1) -> tuple[str, str]:
    """State and reason, of which there has to be one."""
    (explanation,) = explain_run(store, evaluator, trace)
    return explanation.state, explanation.because or ""


@pytest.mark.parametrize(
    ("score", "state", "because"),
    [
        pytest.param(Score(value=0.5, explanation="half of it"), "scored", "half of it", id="scored"),
        pytest.param(Score.skip("nothing to see"), "skipped", "nothing to see", id="skipped"),
        pytest.param(Score.failed("it fell over"), "error", "it fell over", id="error"),
    ],
)
def test_score_active_is_the_explanation(tmp_path: Path, score: Score, state: str, because: str) -> None:
    evaluator = make_evaluator("one", lambda _: score)
    with opened(tmp_path) as store:
        store.ledger.enrol([evaluator])
        store.add_runs(1)
        store.evaluate(evaluator)
        (explanation,) = explain_run(store, evaluator)
        assert (explanation.state, explanation.because, explanation.value, explanation.about) == (
            state,
            because,
            score.value,
            "run",
        )
        assert explanation.passed is (None if score.value is None else False)


@pytest.mark.parametrize(("passed", "ending"), [(True, ", passed"), (False, ", failed"), (None, "")])
def test_score_is_shown_with_whether_it_passed(passed: bool | None, ending: str) -> None:  # noqa: FBT001 - a case
    score = Explanation(
        evaluator="polite", target_id="r", about="run", state="scored", value=0.5, label="curt", passed=passed
    )
    assert str(_format_row(asdict(score))[1]) == f"scored 0.50 curt{ending}"


def test_each_call_is_told_that_has_a_score_of_its_own(tmp_path: Path) -> None:
    by_call = make_evaluator("by_call", lambda trace: [1.0 for _ in trace.tool_calls], scope="tool_call")
    with opened(tmp_path) as store:
        store.ledger.enrol([by_call])
        store.add_runs(1)
        assert reason(store, by_call)[0] == "queued"
        store.evaluate(by_call)
        (explanation,) = explain_run(store, by_call)
        assert (explanation.state, explanation.about, explanation.target_id) == (
            "scored",
            "call 0",
            f"{otlp.run_id(1)}#0",
        )


def test_evaluator_that_has_not_run_with_its_configuration_says_so(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1)
        assert reason(store, ERRORS) == ("queued", "it has not run with this configuration yet")


def test_run_that_was_deferred_waits_until_then_for_that_reason(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(1)
        until = clock.now + timedelta(minutes=5)
        store.defer(ERRORS, until=until, reason="the budget is spent")
        (explanation,) = explain_run(store, ERRORS)
        assert (explanation.state, explanation.until) == ("deferred", until)
        assert explanation.because == "deferred until 2026-01-01 12:05:00 UTC: the budget is spent"
        store.ledger.pause("tool_error")
        assert "the evaluator is paused since 2026-01-01 12:00:00 UTC" in reason(store, ERRORS)[1]
        clock.pass_by(minutes=6)
        assert "was deferred (the budget is spent); the next pass looks at it again" in reason(store, ERRORS)[1]


def test_run_that_a_backfill_asks_for_waits_behind_what_is_new(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs(1)
        store.ledger.enrol([ERRORS])
        store.ledger.backfill(ERRORS, since=store.one("select min(started_at) from agent_traces"))
        assert reason(store, ERRORS) == (
            "deferred",
            "requested by a backfill that has 1 left; new targets come first",
        )


def test_run_that_is_older_than_the_evaluator_says_how_to_ask_for_it(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        store.add_runs(1)
        store.ledger.enrol([ERRORS])
        state, because = reason(store, ERRORS)
        assert state == "before_enrolment"
        assert because.startswith(
            "older than the evaluator, which first ran with this configuration on 2026-01-01 12:00:00 UTC"
        )
        assert "tracegrade backfill" in because


@pytest.mark.parametrize("is_judged", [False, True], ids=["before its turn", "after it"])
@pytest.mark.parametrize(
    ("fields", "because"),
    [
        pytest.param({"when": "agent_name = 'checkout'"}, "left out by `when: agent_name = 'checkout'`", id="when"),
        pytest.param({"sample": 0.0}, "left out by `sample: 0`", id="sample"),
    ],
)
def test_what_when_and_sample_leave_out_says_which_of_them(
    tmp_path: Path, fields: dict[str, Any], because: str, *, is_judged: bool
) -> None:
    picky = replace(ERRORS, **fields)
    with opened(tmp_path) as store:
        store.ledger.enrol([picky])
        store.add_runs(1)
        if is_judged:
            store.evaluate(picky)
        assert reason(store, picky) == ("excluded", because)


def test_what_an_earlier_condition_left_out_says_so_and_how_to_ask_for_it(tmp_path: Path) -> None:
    picky = replace(ERRORS, when="agent_name = 'checkout'")
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([picky])
        store.add_runs(1)
        store.evaluate(picky)
        cause = (
            "looked at before the present `when` and `sample`, {}, and left out then; `tracegrade backfill` asks for it"
        )
        assert reason(store, ERRORS) == ("excluded", cause.format("which have not run yet"))
        store.ledger.enrol([ERRORS])
        assert reason(store, ERRORS) == ("excluded", cause.format("active since 2026-01-01 12:00:00 UTC"))
        assert reason(store, picky)[0] == "excluded"


def test_condition_that_fails_is_named_with_its_cause(tmp_path: Path) -> None:
    odd = replace(ERRORS, when="input::integer > 1")
    with opened(tmp_path) as store:
        store.ledger.enrol([odd])
        store.add_runs(1)
        state, because = reason(store, odd)
        assert state == "excluded"
        assert "`when: input::integer > 1` fails on it: " in because
        store.evaluate(odd)
        assert reason(store, odd)[0] == "deferred"


def test_evaluator_that_wants_a_reference_is_silent_where_there_is_none(tmp_path: Path) -> None:
    wanting = configure("tool_correctness", only_with_reference=True)
    with opened(tmp_path) as store:
        store.ledger.enrol([wanting])
        store.add_runs(1)
        store.evaluate(wanting)
        assert reason(store, wanting)[0] == "no_reference"


def test_paused_evaluator_says_since_when(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([ERRORS])
        store.ledger.pause("tool_error")
        store.add_runs(1)
        state, because = reason(store, ERRORS)
        assert state == "queued"
        assert because.startswith("paused since 2026-01-01 12:00:00 UTC; `tracegrade evaluators tool_error --resume`")


def test_schedule_says_when_it_comes(tmp_path: Path) -> None:
    clock = Clock()
    hourly = replace(ERRORS, schedule="0 * * * *")
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([hourly])
        clock.pass_by(minutes=10)
        store.add_runs(1)
        (explanation,) = explain_run(store, hourly)
        assert (explanation.state, explanation.until) == ("queued", clock.now + timedelta(minutes=50))
        assert explanation.because == "its schedule `0 * * * *` runs it by 2026-01-01 13:00:00 UTC"


def test_judge_that_costs_money_lets_a_run_settle(tmp_path: Path) -> None:
    clock = Clock()
    costly = make_evaluator("polite", kind="llm")
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([costly])
        store.add_runs(1)
        (explanation,) = explain_run(store, costly)
        assert (explanation.state, explanation.until) == ("deferred", clock.now + SETTLE)
        assert (
            explanation.because == "the score costs money, so late spans are waited for until 2026-01-01 12:00:30 UTC"
        )
        clock.pass_by(seconds=31)
        assert reason(store, costly) == ("queued", "not looked at yet: the evaluator is 1 behind")


def test_row_that_was_lost_is_told_as_missing(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(1)
        store.evaluate(ERRORS)
        store.rows("delete from scores")
        assert reason(store, ERRORS)[0] == "missing"


def test_new_revision_waits_while_the_score_on_the_old_one_is_active(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(1)
        store.evaluate(ERRORS)
        store.arrive([agent_spans.tool(9, parent=1, at_s=7, args={}, result="late")])
        store.revise(1)
        state, because = reason(store, ERRORS)
        assert state == "queued"
        assert because.endswith("; active is 1.00 on revision 1, by version 3 of 2026-01-01 12:00:00 UTC")


def test_changed_evaluator_tells_of_the_score_of_its_earlier_form(tmp_path: Path) -> None:
    stricter = configure("tool_error", threshold=0.5)
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(1)
        store.evaluate(ERRORS)
        store.ledger.enrol([stricter])
        state, because = reason(store, stricter)
        assert state == "before_enrolment"
        assert "active is 1.00" in because


WHOLE = make_evaluator("whole", lambda _: 1.0, scope="session")


def test_session_is_explained_with_its_runs(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([WHOLE])
        store.add_runs(session="s")
        assert reason(store, WHOLE)[0] == "deferred"
        store.evaluate(WHOLE)
        assert "deferred until 2026-01-01 12:05:00 UTC" in reason(store, WHOLE)[1]
        clock.pass_by(minutes=6)
        store.evaluate(WHOLE)
        (explanation,) = explain_run(store, WHOLE)
        assert (explanation.state, explanation.about, explanation.target_id) == ("scored", "session s", "session:s")


@pytest.mark.parametrize("kind", ["code", "llm"])
def test_session_that_was_not_looked_at_says_until_when_it_has_to_be_silent(tmp_path: Path, kind: str) -> None:
    clock = Clock()
    of_session = make_evaluator("whole", scope="session", kind=kind)
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([of_session])
        store.add_runs(session="s")
        clock.pass_by(minutes=4)
        store.add_runs(2, session="s")
        (explanation,) = explain_run(store, of_session)
        assert (explanation.state, explanation.until) == ("deferred", clock.now + IDLE)
        assert (
            explanation.because
            == "the session counts as over when nothing more of it comes until 2026-01-01 12:09:00 UTC"
        )
        clock.pass_by(minutes=5)
        assert reason(store, of_session) == ("queued", "not looked at yet: the evaluator is 1 behind")
        assert store.ledger.due(of_session, 10).targets


def test_what_was_assembled_by_a_clock_that_was_set_back_since_waits_no_more(tmp_path: Path) -> None:
    clock = Clock()
    costly, of_session = make_evaluator("polite", kind="llm"), WHOLE
    with opened(tmp_path, now=clock) as store:
        store.ledger.enrol([costly, of_session])
        store.add_runs(session="s")
        clock.pass_by(hours=-1)
        assert (reason(store, costly)[0], reason(store, of_session)[0]) == ("queued", "queued")
        assert store.ledger.due(costly, 10).targets
        assert store.ledger.due(of_session, 10).targets


def test_run_of_no_session_says_so_to_evaluators_of_sessions(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([WHOLE])
        store.add_runs(1)
        assert reason(store, WHOLE) == ("excluded", "the run belongs to no session")


OFFERED = '[{"type": "function", "function": {"name": "search", "description": "x", "parameters": {"type": "object"}}}]'


def test_tools_that_a_run_offered_are_explained_one_by_one(tmp_path: Path) -> None:
    names = configure("tool_name_reliability")
    with opened(tmp_path) as store:
        store.ledger.enrol([names])
        offering = agent_spans.chat(2, parent=1, at_s=1, attributes={"gen_ai.tool.definitions": OFFERED})
        store.arrive([agent_spans.agent(1), offering])
        store.revise(1)
        (explanation,) = explain_run(store, names)
        assert (explanation.state, explanation.about) == ("queued", "tool search")
        store.evaluate(names)
        (explanation,) = explain_run(store, names)
        assert (explanation.state, explanation.about) == ("scored", "tool search")


def test_tool_that_a_judge_has_not_looked_at_waits_for_nothing_but_its_turn(tmp_path: Path) -> None:
    costly = make_evaluator("polite", kind="llm", scope="tool")
    with opened(tmp_path) as store:
        store.ledger.enrol([costly])
        offering = agent_spans.chat(2, parent=1, at_s=1, attributes={"gen_ai.tool.definitions": OFFERED})
        store.arrive([agent_spans.agent(1), offering])
        store.revise(1)
        assert reason(store, costly) == ("queued", "not looked at yet: the evaluator is 1 behind")
        assert store.ledger.due(costly, 10).targets


def test_run_that_offered_no_tools_says_so_to_evaluators_of_tools(tmp_path: Path) -> None:
    names = configure("tool_name_reliability")
    with opened(tmp_path) as store:
        store.ledger.enrol([names])
        store.add_runs(1)
        assert reason(store, names) == ("excluded", "the run records no tools that were offered")


def test_scores_of_evaluators_that_are_configured_no_more_are_told_beside(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([ERRORS])
        store.add_runs(1)
        store.evaluate(ERRORS)
        read = LocalSource(store.database, max_rows=1_000, timeout_s=10).read
        facts = read_facts(read, otlp.run_id(1), judge_settle=SETTLE, session_idle=IDLE, now=store.now())
        (explanation,) = explain_others(read_standings(read, [WHOLE]), facts)
        assert (explanation.evaluator, explanation.state, explanation.value) == ("tool_error", "scored", 1.0)
        assert (explanation.because or "").startswith("no longer configured")
        assert explain_others(read_standings(read, [ERRORS]), facts) == []
