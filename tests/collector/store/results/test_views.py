"""The views on a store with recorded runs of many frameworks, with their scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from tests.support.outcomes import find_outdated_outcomes
from tests.support.recordings import RECORDINGS
from tests.support.store import Store, opened

from tracegrade.collector.clock import utc_now
from tracegrade.collector.config.evaluator_set import build_evaluators
from tracegrade.collector.otlp.decode import decode_logs, decode_spans
from tracegrade.collector.store.results.annotations import Annotations
from tracegrade.queries.catalog import objects
from tracegrade.queries.cookbook.library import read_library
from tracegrade.queries.cookbook.parameters import fill
from tracegrade.queries.cookbook.report import Report
from tracegrade.queries.ports import Annotation
from tracegrade.queries.sql_file import SqlFile

VIEWS = objects("view")
REPORTS = [*read_library().reports.values()]
NOT_IDENTIFIED = {"span_events"}
"""The views whose rows nothing identifies."""

FORMER_SESSIONS = """
with failures as (
    select agent_trace_id from tool_calls where error is not null and child_agent_trace_id is null and not is_foreign
    union all
    select agent_trace_id from llm_calls where error is not null
)
select runs.session_id, runs.service_name, count(*)
from failures join agent_traces as runs using (agent_trace_id)
where runs.session_id is not null
group by all
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with opened(tmp_path_factory.mktemp("views")) as store:
        evaluators = build_evaluators(None)
        store.ledger.enrol(evaluators)
        traces: set[str] = set()
        for recording in RECORDINGS[::5]:
            spans, logs = decode_spans(recording.traces_body).rows, decode_logs(recording.logs_body).rows
            store.arrivals.write(spans, logs)
            traces |= {row[0] for row in spans}
        store.revise(*sorted(traces))
        store.evaluate(*evaluators, limit=10_000)
        passed, called = store.rows("""
            select agent_trace_id from runs join tool_calls using (agent_trace_id)
            where outcome = 'passed' and position = 0 and child_agent_trace_id is null order by all limit 2
        """)
        annotate(store, {"agent_trace_id": passed[0]})
        annotate(store, {"agent_trace_id": called[0], "position": 0})
        yield store


def annotate(store: Store, target: Mapping[str, Any]) -> None:
    about: dict[str, Any] = {"target": target, "name": "polite", "author": "ada", "passed": False}
    Annotations(store.results).write([Annotation.model_validate(about)])


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_view_has_a_row_for_each_value_of_its_grain(store: Store, view: SqlFile) -> None:
    if view.name in NOT_IDENTIFIED:
        return
    grain = view.header["grain"]
    external = " where evaluator_kind <> 'external'" if view.name == "latest_scores" else ""
    rows = f"select {grain} from {view.name}{external}"
    assert store.rows(f"select {grain}, count(*) from ({rows}) group by all having count(*) > 1") == []


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_report_has_a_row_for_each_value_of_its_grain(store: Store, report: Report) -> None:
    values = fill(report, {"since": "2020-01-01", "until": "2100-01-01"}, now=utc_now()).values
    sql = f"select {report.grain}, count(*) from ({report.sql.rstrip().rstrip(';')}) group by all having count(*) > 1"
    assert store.rows(sql, **values) == []


def test_outcomes_of_recorded_runs_are_those_of_their_definition(store: Store) -> None:
    assert find_outdated_outcomes(store) == []
    assert {outcome for (outcome,) in store.rows("select distinct outcome from runs")} >= {"passed", "failing", "error"}


def test_every_outermost_run_of_production_is_in_runs_with_an_outcome(store: Store) -> None:
    assert store.one("select count(*) from runs") == store.one(
        "select count(*) from agent_traces where parent_agent_trace_id is null"
    )
    assert store.one("select count(*) from runs where outcome is null or failing is null or score_count is null") == 0


def test_root_of_a_sub_agent_has_no_parent(store: Store) -> None:
    assert store.one("select count(*) from agent_traces where parent_agent_trace_id is not null") > 0
    wrong = """
    select runs.agent_trace_id
    from agent_traces as runs
    left join agent_traces as roots on runs.root_agent_trace_id = roots.agent_trace_id
    where roots.agent_trace_id is null or roots.parent_agent_trace_id is not null or roots.trace_id <> runs.trace_id
    """
    assert store.rows(wrong) == []


def test_every_first_fault_is_among_the_failures_of_its_run_under_the_same_pattern(store: Store) -> None:
    assert store.one("select count(*) from runs where fault = 'call'") > 0
    missing = (
        "select agent_trace_id, fault, first_fault from runs where failing and (agent_trace_id, pattern_id) not in"
    )
    assert store.rows(f"{missing} (select (agent_trace_id, pattern_id) from failures)") == []


def test_tools_count_each_call_once(store: Store) -> None:
    own = "child_agent_trace_id is null and not is_foreign and status <> 'not_executed'"
    assert store.one("select sum(calls) from tools") == store.one(f"select count(*) from tool_calls where {own}")
    assert store.one("select sum(first_faults) from tools") == store.one("select count(fault_tool) from runs")


def test_sessions_count_failures_of_all_their_runs_once(store: Store) -> None:
    counted = "select session_id, service_name, error_count from sessions where error_count > 0 order by all"
    assert store.rows(counted) == store.rows(f"{FORMER_SESSIONS} order by all")
    assert store.one("select sum(failing_turns) from sessions") == store.one(
        "select count(*) from runs where failing and session_id is not null"
    )


def test_selected_runs_are_those_of_the_period_and_the_agent(store: Store) -> None:
    assert store.one("select count(*) from selected_runs(null, null, null, null, null)") == store.one(
        "select count(*) from runs"
    )
    agent, first = store.rows("select agent_name, min(started_at) from runs group by 1 order by count(*) desc limit 1")[
        0
    ]
    selected = "select count(*) from selected_runs($first::timestamp, null, $agent, null, null)"
    assert store.one(selected, first=first, agent=agent) == store.one(
        "select count(*) from runs where agent_name = $agent", agent=agent
    )
    assert store.one("select count(*) from selected_runs(null, timestamp '1990-01-01', null, null, null)") == 0


def test_calls_of_all_runs_are_those_of_tools_and_fail_by_status_or_by_their_result(store: Store) -> None:
    everything = "run_calls(null, null, null, null, null)"
    assert store.one(f"select count(*) from {everything}") == store.one("select sum(calls) from tools")
    by_status = store.one("select sum(errors) from tools")
    by_result = store.one(
        """
        select count(*)
        from (
            select
                agent_trace_id,
                unnest(from_json(details -> 'calls', '[{"position": "BIGINT", "status": "VARCHAR"}]')) as call
            from latest_scores
            where evaluator_type = 'tool_error'
        ) as listed
        inner join tool_calls on
            listed.agent_trace_id = tool_calls.agent_trace_id and (call)['position'] = tool_calls.position
        where
            (call)['status'] in ('error', 'recovered')
            and tool_calls.status not in ('error', 'not_executed')
            and child_agent_trace_id is null
        """
    )
    assert by_result > 0
    assert store.one(f"select count(*) from {everything} where failed") == by_status + by_result
    agent = store.one("select service_name from runs where agent_name is null and tool_call_count > 0 limit 1")
    assert store.one("select count(*) from run_calls(null, null, $agent, null, null)", agent=agent) > 0


def test_scores_of_all_runs_are_the_active_ones_without_external_ones(store: Store) -> None:
    active = "scope in ('trace', 'tool_call') and evaluator_kind <> 'external'"
    assert store.one("select count(*) from run_scores(null, null, null, null, null)") == store.one(
        f"select count(*) from latest_scores where {active}"
    )
