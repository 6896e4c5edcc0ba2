"""What the audit of the ledger names: nothing after passes of every kind, and everything that is broken by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans, otlp
from tests.support.evaluators import make_evaluator
from tests.support.hours import count_again
from tests.support.store import Clock, Store, opened

from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.errors import Fault, SqlRefused
from tracegrade.collector.reports.audit import Audit, FaultKind, Finding, audit
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.passes.sampling import is_in_sample

pytestmark = pytest.mark.exhaustive  # audits of whole stores

ERRORS, EFFICIENCY = configure("tool_error"), configure("tool_efficiency")
WANTING = configure("tool_correctness", only_with_reference=True)
NAMES = configure("tool_name_reliability")
OFFERED = '[{"type": "function", "function": {"name": "search", "description": "x", "parameters": {"type": "object"}}}]'


BY_CALL = make_evaluator("by_call", lambda trace: [1.0 for _ in trace.tool_calls], scope="tool_call")
WHOLE = make_evaluator("whole", lambda _: 1.0, scope="session")
EVERY = (ERRORS, EFFICIENCY, WANTING, NAMES, BY_CALL, WHOLE)


def add_sessions(store: Store, *traces: int) -> None:
    """Runs that offer a tool, each in a session of its own."""
    for trace in traces:
        store.arrive(agent_spans.trip(trace, session=f"session {trace}", offers=agent_spans.SEARCH_TOOL))
    store.revise(*traces)


def audited(store: Store, *evaluators: Configured) -> Audit:
    return audit(LocalSource(store.database, max_rows=1_000, timeout_s=30).read, evaluators)


def faults(store: Store, *evaluators: Configured) -> list[Finding]:
    """All but what is computed of runs, which whatever is broken by hand makes outdated."""
    computed = {"outdated_outcomes", "wrong_hours"}
    return [finding for finding in audited(store, *evaluators).findings if finding.fault not in computed]


@contextmanager
def opened_with_scores(folder: Path, *evaluators: Configured) -> Iterator[Store]:
    """A store with three runs, each in a session of its own and evaluated by all."""
    clock = Clock()
    with opened(folder, now=clock) as store:
        store.ledger.enrol(evaluators)
        add_sessions(store, 1, 2, 3)
        store.evaluate(*evaluators)
        clock.pass_by(minutes=6)
        store.evaluate(*evaluators)
        yield store


def test_nothing_is_found_after_passes_of_every_scope(tmp_path: Path) -> None:
    with opened_with_scores(tmp_path, *EVERY) as store:
        done = audited(store, *EVERY, make_evaluator("newcomer", None, scope="trace"))
        assert done.findings == ()
        assert done.audited == tuple(one.name for one in EVERY)
        assert (done.only_with_reference, done.absent) == (("tool_correctness",), ("newcomer",))


@pytest.mark.parametrize(
    ("evaluator", "target_id"),
    [
        pytest.param(ERRORS, otlp.run_id(2), id="run"),
        pytest.param(BY_CALL, f"{otlp.run_id(2)}#0", id="call"),
        pytest.param(WHOLE, "session:session 2", id="session"),
    ],
)
@pytest.mark.parametrize(
    ("deed", "fault"),
    [
        pytest.param("delete from scores where {}", "missing", id="deleted"),
        pytest.param("update scores set revision = 7 where {}", "missing", id="of another revision"),
        pytest.param("update scores set config_hash = 'other' where {}", "missing", id="of another form"),
        pytest.param("update scores set superseded_at = scored_at where {}", "not_active", id="withdrawn"),
    ],
)
def test_score_that_is_gone_is_named(
    tmp_path: Path, evaluator: Configured, target_id: str, deed: str, fault: FaultKind
) -> None:
    with opened_with_scores(tmp_path, *EVERY) as store:
        store.rows(deed.format(f"evaluator = '{evaluator.name}' and target_id = '{target_id}'"))
        found = [Finding(evaluator=evaluator.name, fault=fault, targets=1, target_ids=(target_id,))]
        assert faults(store, *EVERY) == found


def test_score_on_a_tool_that_is_gone_is_named(tmp_path: Path) -> None:
    with opened_with_scores(tmp_path, *EVERY) as store:
        tool = store.one("select target_id from scores where scope = 'tool'")
        store.rows("delete from scores where scope = 'tool'")
        assert faults(store, *EVERY) == [
            Finding(evaluator=NAMES.name, fault="missing", targets=1, target_ids=(tool,)),
        ]


def test_evaluator_that_wants_a_reference_may_be_silent_but_not_withdraw(tmp_path: Path) -> None:
    with opened_with_scores(tmp_path, ERRORS, WANTING) as store:
        store.rows("delete from scores where evaluator = 'tool_correctness'")
        assert faults(store, ERRORS, WANTING) == []
        store.rows(
            """
            insert into scores by name
            select * replace (
                'tool_correctness' as evaluator, $config_hash as config_hash, $version as evaluator_version,
                md5(score_id) as score_id, scored_at as superseded_at
            )
            from scores
            """,
            config_hash=WANTING.config_hash,
            version=WANTING.version,
        )
        (found,) = faults(store, ERRORS, WANTING)
        assert (found.evaluator, found.fault, found.targets) == ("tool_correctness", "not_active", 3)


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        pytest.param("md5(score_id) as score_id", "double", id="two active"),
        pytest.param("scored_at as superseded_at", "repeated", id="one id twice"),
    ],
)
def test_score_that_stands_twice_is_named(tmp_path: Path, values: str, fault: FaultKind) -> None:
    with opened_with_scores(tmp_path, ERRORS) as store:
        store.rows(
            f"insert into scores by name select * replace ({values}) from scores where target_id = '{otlp.run_id(2)}'"
        )
        assert faults(store, ERRORS) == [
            Finding(evaluator="tool_error", fault=fault, targets=1, target_ids=(otlp.run_id(2),)),
        ]


def test_people_and_machines_and_spans_may_disagree_about_one_thing(tmp_path: Path) -> None:
    with opened_with_scores(tmp_path, ERRORS) as store:
        for author, span in (("ann", "a"), ("ann", "b"), ("bob", "a")):
            store.rows(
                "insert into scores by name select * replace (md5(score_id || $author || $span) as score_id,"
                " 'human' as evaluator_kind, $author as author, $span as span_id) from scores where target_id = $run"
                " and evaluator_kind = 'code'",
                author=author,
                span=span,
                run=otlp.run_id(1),
            )
        assert faults(store, ERRORS) == []


def test_newer_revision_that_was_not_looked_at_is_no_fault(tmp_path: Path) -> None:
    with opened_with_scores(tmp_path, ERRORS, BY_CALL, WHOLE) as store:
        store.arrive([agent_spans.tool(9, parent=1, trace=2, at_s=7, args={}, result="late")])
        store.revise(2)
        assert faults(store, ERRORS, BY_CALL, WHOLE) == []
        store.evaluate(ERRORS, BY_CALL, WHOLE)
        assert faults(store, ERRORS, BY_CALL, WHOLE) == []


def test_what_is_deferred_is_no_fault(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock()) as store:
        store.ledger.enrol([ERRORS, BY_CALL])
        add_sessions(store, 1)
        for one in (ERRORS, BY_CALL):
            store.defer(one, until=store.now() + timedelta(hours=1), reason="broken")
        assert faults(store, ERRORS, BY_CALL) == []
        store.rows("delete from deferrals")
        assert [one.fault for one in faults(store, ERRORS, BY_CALL)] == ["missing", "missing"]


def test_what_was_there_before_the_evaluator_is_no_fault(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        add_sessions(store, 1)
        store.ledger.enrol([ERRORS, BY_CALL, WHOLE])
        assert faults(store, ERRORS, BY_CALL, WHOLE) == []


@pytest.mark.parametrize("evaluator", [ERRORS, BY_CALL], ids=["runs", "calls"])
def test_what_when_and_sample_leave_out_is_no_fault(tmp_path: Path, evaluator: Configured) -> None:
    picky = replace(evaluator, when=f"trace_id = '{otlp.trace_id(1)}'")
    half = replace(evaluator, name="half", config_hash="half", sample=0.5)
    with opened(tmp_path) as store:
        store.ledger.enrol([picky, half])
        add_sessions(store, *range(1, 9))
        store.evaluate(picky, half)
        assert faults(store, picky, half) == []
        taken = [otlp.run_id(trace) for trace in range(1, 9) if is_in_sample(half, otlp.run_id(trace))]
        store.rows("delete from scores")
        found = {one.evaluator: one.targets for one in faults(store, picky, half)}
        assert found == {picky.name: 1, "half": len(taken)}


@pytest.mark.parametrize("is_served", [False, True], ids=["in the file alone", "served"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({"when": "agent_name = 'boss'"}, {"when": "true"}, id="when"),
        pytest.param({"sample": 0.0}, {}, id="sample"),
    ],
)
@pytest.mark.parametrize("evaluator", [ERRORS, BY_CALL], ids=["runs", "calls"])
def test_what_an_earlier_selection_left_out_is_no_fault_and_what_a_later_one_loses_is(
    tmp_path: Path, evaluator: Configured, before: dict[str, Any], after: dict[str, Any], *, is_served: bool
) -> None:
    earlier, now = replace(evaluator, **before), replace(evaluator, **after)
    with opened(tmp_path) as store:
        store.ledger.enrol([earlier])
        add_sessions(store, 1)
        store.evaluate(earlier)
        if is_served:
            store.ledger.enrol([now])
        assert faults(store, now) == []
        store.ledger.enrol([now])
        add_sessions(store, 2)
        store.evaluate(now)
        assert faults(store, now) == []
        store.rows("delete from scores")
        assert [(one.fault, one.targets) for one in faults(store, now)] == [("missing", 1)]


def test_score_on_what_an_earlier_selection_took_in_has_to_stay_active(tmp_path: Path) -> None:
    with opened_with_scores(tmp_path, ERRORS) as store:
        anew = replace(ERRORS, when="true")
        store.ledger.enrol([anew])
        store.rows(f"update scores set superseded_at = scored_at where target_id = '{otlp.run_id(2)}'")
        assert [one.fault for one in faults(store, anew)] == ["not_active"]


def test_session_and_tool_that_an_earlier_sample_left_out_are_no_fault(tmp_path: Path) -> None:
    with opened_with_scores(tmp_path, replace(WHOLE, sample=0.0), replace(NAMES, sample=0.0)) as store:
        assert faults(store, WHOLE, NAMES) == []
        store.ledger.enrol([WHOLE, NAMES])
        assert faults(store, WHOLE, NAMES) == []


def test_condition_that_fails_on_some_runs_tells_of_the_others(tmp_path: Path) -> None:
    odd = replace(ERRORS, when="case when agent_name = 'travel' then true else agent_name::integer > 1 end")
    with opened_with_scores(tmp_path, odd) as store:
        agent, *others = agent_spans.trip(4, name="nameless")
        store.arrive([agent, *others])
        store.revise(4)
        store.evaluate(odd)
        store.rows(f"delete from scores where target_id = '{otlp.run_id(1)}'")
        assert faults(store, odd) == [
            Finding(evaluator="tool_error", fault="missing", targets=1, target_ids=(otlp.run_id(1),)),
        ]


def test_condition_that_cannot_be_told_at_all_is_named_with_its_cause(tmp_path: Path) -> None:
    with opened_with_scores(tmp_path, ERRORS) as store:
        (found,) = faults(store, replace(ERRORS, when="no_such_column > 1"))
        assert (found.fault, found.evaluator, found.targets) == ("undecided", "tool_error", None)
        assert "no_such_column" in (found.cause or "")


@pytest.mark.parametrize("when", [None, "true"], ids=["all", "when"])
@pytest.mark.parametrize("evaluator", [ERRORS, BY_CALL, WHOLE], ids=["runs", "calls", "sessions"])
def test_audit_whose_answer_is_cut_says_so_and_blames_no_condition(
    tmp_path: Path, evaluator: Configured, when: str | None
) -> None:
    asked = replace(evaluator, when=when if evaluator.scope != "session" else None)
    with opened_with_scores(tmp_path, asked) as store:
        store.rows(f"delete from scores where target_id like '{otlp.run_id(1)}%' or target_id = 'session:session 1'")
        store.rows("update scores set superseded_at = scored_at")
        assert [one.fault for one in faults(store, asked)] == ["missing", "not_active"]
        with pytest.raises(Fault, match="more than 1 rows") as cut:
            audit(LocalSource(store.database, max_rows=1, timeout_s=30).read, [asked])
        assert not isinstance(cut.value, SqlRefused)


def test_scores_that_stand_twice_in_more_ways_than_one_answer_holds_are_not_told_in_part(tmp_path: Path) -> None:
    with opened_with_scores(tmp_path, ERRORS) as store:
        store.rows("insert into scores by name select * replace (md5(score_id) as score_id) from scores")
        store.rows("insert into scores by name select * replace (scored_at as superseded_at) from scores")
        assert {one.fault for one in faults(store, ERRORS)} == {"double", "repeated"}
        with pytest.raises(Fault, match="more than 1 rows"):
            audit(LocalSource(store.database, max_rows=1, timeout_s=30).read, [ERRORS])


def test_more_evaluators_than_bits_are_audited_in_parts(tmp_path: Path) -> None:
    many = [make_evaluator(f"evaluator_{number}", lambda _: 1.0, scope="trace") for number in range(70)]
    with opened(tmp_path) as store:
        store.ledger.enrol(many)
        add_sessions(store, 1)
        store.evaluate(*many)
        assert faults(store, *many) == []
        store.rows("delete from scores where evaluator in ('evaluator_0', 'evaluator_69')")
        assert {one.evaluator for one in faults(store, *many)} == {"evaluator_0", "evaluator_69"}


def test_outcome_that_is_not_what_the_scores_say_is_named(tmp_path: Path) -> None:
    with opened_with_scores(tmp_path, ERRORS) as store:
        assert audited(store, ERRORS).findings == ()
        with store.results.transaction() as connection:
            connection.execute("update agent_traces set outcome = 'failing' where trace_id = $1", [otlp.trace_id(2)])
        (finding,) = audited(store, ERRORS).findings
        assert (finding.evaluator, finding.fault, finding.targets) == (None, "outdated_outcomes", 1)
        assert finding.target_ids == (otlp.run_id(2),)


def test_hour_whose_stored_counts_are_wrong_is_named(tmp_path: Path) -> None:
    with opened_with_scores(tmp_path, ERRORS) as store:
        count_again(store)
        assert audited(store, ERRORS).findings == ()
        with store.results.transaction() as connection:
            connection.execute("update score_hours set passed = 7")
            connection.execute("insert into tool_hours by name select * replace ('2020-01-01' as hour) from tool_hours")
        (finding,) = audited(store, ERRORS).findings
        assert (finding.evaluator, finding.fault, finding.targets) == (None, "wrong_hours", 2)
        assert finding.target_ids == ("2020-01-01T00:00:00", "2026-01-01T00:00:00")
