"""Evaluators that look at a run after others: on a real store, in one lane and in two, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support import agent_spans, otlp
from tests.support.evaluators import make_evaluator
from tests.support.store import Clock, Store, opened

from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.config.configuration_file import BadConfiguration
from tracegrade.collector.config.dependencies import uses_scores
from tracegrade.collector.config.evaluator_set import build_evaluators
from tracegrade.collector.config.settings import load
from tracegrade.collector.references.rules import References
from tracegrade.collector.reports.audit import audit
from tracegrade.collector.reports.backlog import read_standings
from tracegrade.collector.reports.explanation import explain
from tracegrade.collector.reports.facts import read_facts
from tracegrade.collector.store.ledger.due import DueTargets
from tracegrade.collector.store.ledger.ledger import StoreLedger
from tracegrade.collector.store.ledger.references import ReferenceLookup
from tracegrade.evaluators.definition.function_path import import_function
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.execution.run import InProcessWorkbench
from tracegrade.evaluators.model import AgentTrace, Score
from tracegrade.evaluators.passes.run_pass import Summary, run_pass
from tracegrade.evaluators.passes.sampling import is_in_else_sample

POOR = "scores['first'] < 1"


def by_name(trace: AgentTrace) -> float:
    """0.5 of an agent called poor."""
    return 0.5 if trace.agent_name == "poor" else 1.0


FIRST = make_evaluator("first", by_name)
NEXT = make_evaluator("next", after=("first",))
PICKY = replace(NEXT, when=POOR)


def list_scored_traces(store: Store, evaluator: str = "next") -> list[int]:
    """The numbers of the traces on which an evaluator's score is active."""
    rows = store.rows(f"select trace_id from latest_scores where evaluator = '{evaluator}' order by all")
    return [int(trace_id, 16) for (trace_id,) in rows]


def make_lane(store: Store, *evaluators: Configured) -> StoreLedger:
    now = store.now
    due_targets = DueTargets(
        store.database, ReferenceLookup(store.database, References()), evaluators=evaluators, now=now
    )
    return StoreLedger(store.database, store.results, due_targets, has_outbox=False, now=now)


def defer(store: Store, evaluator: Configured, **time: float) -> None:
    until = store.now() + timedelta(**time)
    store.defer(evaluator, until=until, reason="the budget is spent")


def reason(store: Store, evaluator: Configured, *earlier: Configured, trace: int = 1) -> tuple[str, str]:
    """State and reason of the score, or of its absence."""
    read = LocalSource(store.database, max_rows=1_000, timeout_s=10).read
    settle, idle = timedelta(seconds=30), timedelta(minutes=5)
    facts = read_facts(read, otlp.run_id(trace), judge_settle=settle, session_idle=idle, now=store.now())
    standing, *_ = read_standings(read, [evaluator, *earlier])
    (explanation,) = explain(standing, facts)
    return explanation.state, explanation.because or ""


def faults(store: Store, *evaluators: Configured) -> dict[str, int | None]:
    findings = audit(LocalSource(store.database, max_rows=1_000, timeout_s=30).read, evaluators).findings
    return {f"{finding.evaluator} {finding.fault}": finding.targets for finding in findings}


def test_run_is_looked_at_in_the_same_pass_and_after_the_others(tmp_path: Path) -> None:
    last = make_evaluator("last", after=("next",))
    every = (last, NEXT, FIRST)
    with opened(tmp_path, evaluators=every) as store:
        store.ledger.enrol(every)
        store.add_runs(1, 2)
        assert store.evaluate(*every) == Summary(targets=6, scores=6)
        order = store.rows("select evaluator from evaluation_passes order by ended_at, started_at")
        assert [name for (name,) in order] == ["first", "next", "last"]


@pytest.mark.parametrize("scope", ["trace", "tool_call"])
def test_condition_uses_the_scores_of_those_before(tmp_path: Path, scope: str) -> None:
    first = make_evaluator("first", (lambda run: [by_name(run), 1.0][: len(run.tool_calls)]), scope=scope)
    first = FIRST if scope == "trace" else first
    with opened(tmp_path, evaluators=[first, PICKY]) as store:
        store.ledger.enrol([first, PICKY])
        store.add_runs(1, 3)
        store.add_runs(2, name="poor")
        store.evaluate(first, PICKY)
        assert list_scored_traces(store) == [2]
        assert faults(store, first, PICKY) == {}


def test_score_that_is_not_there_is_null_and_meets_no_comparison(tmp_path: Path) -> None:
    silent = make_evaluator("first", lambda _: Score.skip("nothing to see"))
    lenient = replace(NEXT, name="lenient", when="scores['first'] is null and cardinality(scores) = 1")
    with opened(tmp_path, evaluators=[silent, PICKY, lenient]) as store:
        store.ledger.enrol([silent, PICKY, lenient])
        store.add_runs(1)
        store.evaluate(silent, PICKY, lenient)
        assert list_scored_traces(store) == []
        assert list_scored_traces(store, "lenient") == [1]


def test_people_and_scores_that_are_superseded_do_not_count(tmp_path: Path) -> None:
    with opened(tmp_path, evaluators=[FIRST, PICKY]) as store:
        store.ledger.enrol([FIRST, PICKY])
        store.add_runs(1)
        store.evaluate(FIRST)
        for column in ("'human' as evaluator_kind", "scored_at as superseded_at", "0 as revision"):
            store.rows(f"insert into scores by name select * replace (0.0 as value, {column}) from scores limit 1")
        store.evaluate(PICKY)
        assert list_scored_traces(store) == []


def test_nothing_is_looked_at_before_the_other_lane_has(tmp_path: Path) -> None:
    with opened(tmp_path, evaluators=[FIRST, NEXT]) as store:
        store.ledger.enrol([FIRST, NEXT])
        lane = make_lane(store, FIRST, NEXT)
        store.add_runs(1, 2, 3)
        assert store.evaluate(NEXT) == Summary()
        run_pass(lane, InProcessWorkbench(store.now), [FIRST], now=store.now, limit=2)
        assert store.evaluate(NEXT) == Summary(targets=2, scores=2)
        assert store.evaluate(NEXT) == Summary()
        run_pass(lane, InProcessWorkbench(store.now), [FIRST], now=store.now, limit=2)
        assert store.evaluate(NEXT) == Summary(targets=1, scores=1)
        assert list_scored_traces(store) == [1, 2, 3]


def test_of_several_the_slowest_counts(tmp_path: Path) -> None:
    second = make_evaluator("second")
    both = replace(NEXT, after=("first", "second"))
    with opened(tmp_path, evaluators=[FIRST, second, both]) as store:
        store.ledger.enrol([FIRST, second, both])
        store.add_runs(1)
        store.evaluate(FIRST, both)
        assert list_scored_traces(store) == []
        store.evaluate(second, both)
        assert list_scored_traces(store) == [1]


def test_runs_that_the_others_left_out_are_looked_at(tmp_path: Path) -> None:
    none = replace(FIRST, sample=0.0)
    with opened(tmp_path, evaluators=[none, NEXT]) as store:
        store.ledger.enrol([none, NEXT])
        store.add_runs(1)
        store.evaluate(none, NEXT)
        assert (list_scored_traces(store, "first"), list_scored_traces(store)) == ([], [1])


def test_run_that_another_deferred_waits_and_holds_up_nobody(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock, evaluators=[FIRST, NEXT]) as store:
        store.ledger.enrol([FIRST, NEXT])
        store.add_runs(1)
        defer(store, FIRST, hours=1)
        store.add_runs(2)
        store.evaluate(FIRST, NEXT)
        assert list_scored_traces(store) == [2]
        assert store.rows("select target_id, reason, kind from deferrals where evaluator = 'next'") == [
            (otlp.run_id(1), "waits for first", "earlier_evaluator")
        ]
        assert faults(store, FIRST, NEXT) == {}
        clock.pass_by(minutes=61)
        defer(store, FIRST, hours=1)
        assert store.evaluate(NEXT) == Summary()
        clock.pass_by(minutes=61)
        store.evaluate(FIRST, NEXT)
        assert list_scored_traces(store) == [1, 2]
        assert store.rows("from deferrals") == []


def test_many_that_wait_hide_none_that_does_not(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock(), evaluators=[FIRST, NEXT]) as store:
        store.ledger.enrol([FIRST, NEXT])
        store.add_runs(1, 2, 3, 4, 5)
        defer(store, FIRST, hours=1)
        store.add_runs(6)
        store.evaluate(FIRST)
        store.evaluate(NEXT, limit=2)
        assert list_scored_traces(store) == [6]


def test_evaluator_that_is_paused_lets_others_go_on_and_loses_nothing(tmp_path: Path) -> None:
    free = make_evaluator("free")
    with opened(tmp_path, evaluators=[FIRST, NEXT, free]) as store:
        store.ledger.enrol([FIRST, NEXT, free])
        store.ledger.pause("first")
        store.add_runs(1)
        store.evaluate(FIRST, NEXT, free)
        assert (list_scored_traces(store), list_scored_traces(store, "free")) == ([], [1])
        store.ledger.resume("first")
        store.evaluate(FIRST, NEXT, free)
        assert list_scored_traces(store) == [1]


def test_evaluator_that_never_came_is_waited_for(tmp_path: Path) -> None:
    changed = replace(FIRST, config_hash="changed")
    with opened(tmp_path, evaluators=[changed, NEXT]) as store:
        store.ledger.enrol([FIRST, NEXT])
        store.add_runs(1)
        store.evaluate(FIRST, NEXT)
        assert list_scored_traces(store) == []
        assert reason(store, NEXT, changed) == (
            "deferred",
            "waits for first: it has not run with this configuration yet",
        )
        store.ledger.enrol([changed])
        store.evaluate(NEXT)
        assert list_scored_traces(store) == [1]


def test_new_revision_is_judged_again_in_the_same_order(tmp_path: Path) -> None:
    with opened(tmp_path, evaluators=[FIRST, PICKY]) as store:
        store.ledger.enrol([FIRST, PICKY])
        store.add_runs(1, name="poor")
        store.evaluate(FIRST, PICKY)
        store.arrive([agent_spans.tool(9, parent=1, at_s=7, args={}, result="late")])
        store.revise(1)
        assert store.evaluate(PICKY) == Summary()
        store.evaluate(FIRST, PICKY)
        assert store.rows("select evaluator, revision from latest_scores order by all") == [("first", 2), ("next", 2)]


def test_new_revision_of_a_run_that_waits_takes_its_place(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock(), evaluators=[FIRST, NEXT]) as store:
        store.ledger.enrol([FIRST, NEXT])
        store.add_runs(1)
        defer(store, FIRST, hours=1)
        store.evaluate(NEXT)
        store.arrive([agent_spans.tool(9, parent=1, at_s=7, args={}, result="late")])
        store.revise(1)
        store.evaluate(FIRST, NEXT)
        assert store.rows("select evaluator, revision from latest_scores order by all") == [("first", 2), ("next", 2)]
        assert store.rows("from deferrals") == []


def test_backfill_of_all_keeps_the_order(tmp_path: Path) -> None:
    with opened(tmp_path, evaluators=[FIRST, PICKY]) as store:
        store.add_runs(1)
        store.add_runs(2, name="poor")
        store.ledger.enrol([FIRST, PICKY])
        began = store.one("select min(started_at) from agent_traces")
        for evaluator in (PICKY, FIRST):
            store.ledger.backfill(evaluator, since=began)
        assert store.evaluate(PICKY) == Summary()
        assert reason(store, PICKY, FIRST)[1].startswith("waits for first: requested by a backfill")
        store.evaluate(FIRST, PICKY)
        assert list_scored_traces(store) == [2]
        assert store.rows("from deferrals") == []


def test_backfill_over_runs_that_the_others_never_saw_finds_no_scores(tmp_path: Path) -> None:
    unseen = replace(NEXT, when="scores['first'] is null")
    with opened(tmp_path, evaluators=[FIRST, unseen]) as store:
        store.add_runs(1, name="poor")
        store.ledger.enrol([FIRST, unseen])
        store.ledger.backfill(unseen, since=store.one("select min(started_at) from agent_traces"))
        store.evaluate(unseen)
        assert list_scored_traces(store) == [1]


def test_share_of_what_the_condition_leaves_out_is_judged_too(tmp_path: Path) -> None:
    runs = range(1, 25)
    some = replace(PICKY, sample=1.0, else_sample=0.3)
    taken = [trace for trace in runs if is_in_else_sample(some, otlp.run_id(trace))]
    assert 0 < len(taken) < len(runs)
    with opened(tmp_path, evaluators=[FIRST, some]) as store:
        store.ledger.enrol([FIRST, some])
        store.add_runs(*runs)
        store.add_runs(99, name="poor")
        store.evaluate(FIRST, some)
        assert list_scored_traces(store) == [*taken, 99]
        assert faults(store, FIRST, some) == {}
        left_out = next(trace for trace in runs if trace not in taken)
        cause = f"left out by `when: {POOR}` and `else_sample: 0.3`"
        assert reason(store, some, FIRST, trace=left_out) == ("excluded", cause)
        store.rows("delete from scores where evaluator = 'next'")
        deleted = len(taken) + 1
        assert faults(store, FIRST, some) == {"next missing": deleted, "None outdated_outcomes": deleted}


def test_share_of_the_rest_has_nothing_to_do_with_that_of_the_selected(tmp_path: Path) -> None:
    rest = replace(PICKY, sample=0.0, else_sample=1.0)
    with opened(tmp_path, evaluators=[FIRST, rest]) as store:
        store.ledger.enrol([FIRST, rest])
        store.add_runs(1)
        store.add_runs(2, name="poor")
        store.evaluate(FIRST, rest)
        assert list_scored_traces(store) == [1]
        assert reason(store, rest, FIRST, trace=2) == ("excluded", "left out by `sample: 0`")
        assert faults(store, FIRST, rest) == {}


def test_restart_between_the_two_changes_nothing(tmp_path: Path) -> None:
    clock = Clock()
    for deed in ("bring", "first", "next"):
        with opened(tmp_path, now=clock, evaluators=[FIRST, PICKY]) as store:
            store.ledger.enrol([FIRST, PICKY])
            if deed == "bring":
                store.add_runs(1, 2, name="poor")
                defer(store, FIRST, minutes=5)
                store.evaluate(PICKY)
            store.evaluate(FIRST if deed == "first" else PICKY)
            assert list_scored_traces(store) == ([1, 2] if deed == "next" else [])
        clock.pass_by(minutes=6)


def test_explanation_names_who_is_waited_for_and_why(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock, evaluators=[FIRST, PICKY]) as store:
        store.ledger.enrol([FIRST, PICKY])
        store.add_runs(1)
        behind = "waits for first: not looked at yet: the evaluator is 1 behind"
        assert reason(store, PICKY, FIRST) == ("deferred", behind)
        store.ledger.pause("first")
        assert reason(store, PICKY, FIRST)[1].startswith("waits for first: paused since 2026-01-01 12:00:00 UTC; `")
        store.ledger.resume("first")
        defer(store, FIRST, minutes=5)
        later = "waits for first: deferred until 2026-01-01 12:05:00 UTC: the budget is spent"
        assert reason(store, PICKY, FIRST) == ("deferred", later)
        store.evaluate(PICKY)
        assert reason(store, PICKY, FIRST) == ("deferred", later)
        clock.pass_by(minutes=6)
        store.evaluate(FIRST)
        store.evaluate(PICKY)
        assert reason(store, PICKY, FIRST) == ("excluded", f"left out by `when: {POOR}`")


def test_backlog_counts_what_waits_with_its_reason(tmp_path: Path) -> None:
    with opened(tmp_path, now=Clock(), evaluators=[FIRST, NEXT]) as store:
        store.ledger.enrol([FIRST, NEXT])
        store.add_runs(1)
        defer(store, FIRST, minutes=5)
        store.add_runs(2)
        store.evaluate(NEXT)
        read = LocalSource(store.database, max_rows=1_000, timeout_s=10).read
        standing, *_ = read_standings(read, [NEXT, FIRST])
        assert (standing.new, standing.deferred, standing.deferred_reason) == (1, 1, "waits for first")


def test_score_that_a_condition_selects_only_since_another_judged_again_is_missed_by_the_audit(
    tmp_path: Path,
) -> None:
    with opened(tmp_path, evaluators=[FIRST, PICKY]) as store:
        store.ledger.enrol([FIRST, PICKY])
        store.add_runs(1)
        store.evaluate(FIRST, PICKY)
        store.rows("update scores set value = 0.5")
        assert faults(store, FIRST, PICKY) == {"next missing": 1, "None outdated_outcomes": 1}


ENTRY = "evaluators:\n  - {use: tool_error, name: a}\n  - name: b\n    use: tool_error\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(f"{ENTRY}    after: [aa]\n", ["line 5", "no other entry is called 'aa'", "'a'"], id="unknown"),
        pytest.param(f"{ENTRY}    after: a\n", ["line 5", "write it as a list: [a]"], id="no list"),
        pytest.param(f"{ENTRY}    after: [b]\n", ["line 5", "'b' cannot come after itself"], id="itself"),
        pytest.param(
            f"{ENTRY}    after: [c]\n  - {{use: tool_error, name: c, after: [b]}}\n",
            ["line 5", "b after c after b"],
            id="in a circle",
        ),
        pytest.param(
            f"{ENTRY}    after: [c]\n  - {{use: tool_name_reliability, name: c}}\n",
            ["line 5", "'c' has the scope tool"],
            id="after one of tools",
        ),
        pytest.param(
            "evaluators:\n  - {use: tool_error}\n  - use: tool_name_reliability\n    after: [tool_error]\n",
            ["line 4", "'tool_name_reliability' has the scope tool"],
            id="one of tools after another",
        ),
        pytest.param(
            f"{ENTRY}    when: scores['a'] < 1\n",
            ["line 5", "scores['a']", "add `after: [a]`"],
            id="scores without after",
        ),
        pytest.param(
            f"{ENTRY}    after: [a]\n    when: scores['c'] < 1\n  - {{use: tool_error, name: c}}\n",
            ["line 6", "add `after: [a, c]`"],
            id="not named",
        ),
        pytest.param(
            f"{ENTRY}    after: [a]\n    when: scores['aa'] < 1\n",
            ["line 6", "scores['aa'], and no other entry is called 'aa' (did you mean 'a'?)"],
            id="scores of nobody",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    after: [nope]\n",
            ["line 3", "no other entry is called 'nope', and there are no others"],
            id="the only one",
        ),
        pytest.param(
            f"{ENTRY}    after: [cc]\n  - {{use: tool_name_reliability, name: ccc}}\n",
            ["line 5", "no other entry is called 'cc' (known here: a)"],
            id="near one of tools",
        ),
        pytest.param(
            f"{ENTRY}    when: scores['c'] < 1\n  - {{use: tool_name_reliability, name: c}}\n",
            ["line 5", "scores['c'], and 'c' has the scope tool"],
            id="scores of tools",
        ),
        pytest.param(
            f"{ENTRY}    when: scores[agent_name] < 1\n",
            ["line 5", "name these evaluators in `after`"],
            id="any scores",
        ),
        pytest.param(f"{ENTRY}    when: scores['b'] < 1\n", ["line 5", "its own score"], id="its own scores"),
        pytest.param(
            f"{ENTRY}    else_sample: 0.1\n", ["line 5", "'b' has `else_sample` without a `when`"], id="rest of nothing"
        ),
        pytest.param(f"{ENTRY}    else_sample: 2\n", ["line 5", "else_sample"], id="more than all"),
    ],
)
def test_entry_that_cannot_come_after_another_is_refused_with_its_line(
    tmp_path: Path, text: str, words: list[str]
) -> None:
    with pytest.raises(BadConfiguration) as refusal:
        _configured(tmp_path, text)
    assert all(word in str(refusal.value) for word in ("tracegrade.yaml", *words)), str(refusal.value)


def test_entry_says_after_whom_and_which_share_of_the_rest(tmp_path: Path) -> None:
    more = "    after: [a]\n    when: \"scores['a'] < 1 and agent_name <> 'scores[''c'']'\"\n    else_sample: 0.05\n"
    _, plain = _configured(tmp_path, ENTRY)
    _, evaluator = _configured(tmp_path, ENTRY + more)
    assert (evaluator.after, evaluator.else_sample, plain.after, plain.else_sample) == (("a",), 0.05, (), 0.0)
    assert evaluator.config_hash == plain.config_hash


def test_name_that_is_repeated_in_after_counts_once(tmp_path: Path) -> None:
    _, evaluator = _configured(tmp_path, f"{ENTRY}    after: [a, a]\n")
    assert evaluator.after == ("a",)


@pytest.mark.parametrize(
    ("condition", "used"),
    [
        ("scores['a'] < 1", True),
        ("SCORES [ 'a' ] < 1", True),
        ("map_contains(scores, 'a')", True),
        ("agent_name = 'scores'", False),
        ("true -- scores['a']", False),
        ("true /* scores['a'] */", False),
        ("latest_scores > 1", False),
    ],
)
def test_word_scores_counts_outside_of_texts_and_comments(condition: str, *, used: bool) -> None:
    assert uses_scores(condition) is used


def _configured(folder: Path, text: str) -> list[Configured]:
    path = folder / "tracegrade.yaml"
    path.write_text(text, encoding="utf-8")
    return build_evaluators(load(path).evaluators, resolve=import_function)
