"""The history as spans, and in a store with its scores."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support.history import HistoryStore, history_store
from tests.support.outcomes import find_outdated_outcomes
from tests.support.store import Store, opened

from tracegrade.collector.demo.history import History
from tracegrade.collector.demo.labels import label_runs
from tracegrade.collector.demo.trials import find_questions, plan_trials
from tracegrade.queries.catalog import objects
from tracegrade.queries.sql_file import SqlFile

pytestmark = pytest.mark.exhaustive  # the history takes several seconds to make

END = datetime(2026, 3, 1, 12)  # noqa: DTZ001 - as the store keeps it
WIDE = [view for view in objects("view") if view.name in {"runs", "failures", "tools", "sessions"}]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> HistoryStore:
    return history_store(tmp_path_factory)


@pytest.fixture(scope="module")
def store(made: HistoryStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("history")
    made.copy_to(folder)
    with opened(folder) as store:
        yield store


def read_first_day(end: datetime) -> list[tuple[bytes, bytes, str, int, str]]:
    """Reads the spans of the first runs: ids, name, start in relation to the end, and attributes."""
    request = ExportTraceServiceRequest.FromString(next(History(7, 1, end).requests()))
    return [
        (span.trace_id, span.span_id, span.name, span.start_time_unix_nano - _ns(end), str(span.attributes))
        for of_resource in request.resource_spans
        for of_scope in of_resource.scope_spans
        for span in of_scope.spans
    ]


def _ns(time: datetime) -> int:
    return int((time - datetime(1970, 1, 1)).total_seconds()) * 10**9  # noqa: DTZ001 - likewise


def test_content_and_ids_are_the_same_at_another_time_and_times_move_with_it() -> None:
    assert read_first_day(END) == read_first_day(END + timedelta(days=30))


def test_history_ends_at_the_full_hour() -> None:
    assert History.until(END + timedelta(minutes=59, seconds=59), days=7, seed=1).end == END


def test_labels_are_the_same_at_another_time() -> None:
    labels, later = (label_runs(History(28, 1, end)) for end in (END, END + timedelta(days=30)))
    assert [label.target for label in labels] == [label.target for label in later]
    assert {label.author for label in labels} == {"ana", "ben"}


def test_every_planned_run_is_an_outermost_run_of_its_agent_in_the_store(made: HistoryStore, store: Store) -> None:
    planned = [
        (made.history.trace_id(number), run.agent.name, run.version, run.environment)
        for number, run in enumerate(made.history.runs)
    ]
    columns = "trace_id, agent_name, agent_version, environment"
    assert store.rows(f"select {columns} from runs order by all") == sorted(planned)


def test_nothing_ends_before_it_begins_or_lies_outside_the_period(made: HistoryStore, store: Store) -> None:
    history = made.history
    begin = history.end - timedelta(days=history.days)
    assert store.rows("select span_id from spans where end_ns < start_ns") == []
    assert (
        store.rows(
            "select trace_id from runs where started_at < $begin or ended_at > $end", begin=begin, end=history.end
        )
        == []
    )


def test_fault_of_the_new_version_is_found_from_the_hour_in_which_it_began(made: HistoryStore, store: Store) -> None:
    found = (
        "select agent_version, min(started_at) from runs where fault_tool = 'get_weather' and fault_class = 'HTTP 429'"
    )
    ((version, first),) = store.rows(f"{found} and agent_version = '1.4.0' group by all")
    assert version == "1.4.0"
    assert first > made.history.fault_at
    assert store.one("select sum(errors) from tools where tool = 'get_weather' and agent_version = '1.4.0'") >= 3
    assert store.one("select sum(errors) from tools where tool = 'get_weather' and agent_version <> '1.4.0'") == 0


def test_failing_runs_are_few_and_of_several_kinds(store: Store) -> None:
    assert 0.05 < store.one("select avg(failing::int) from runs") < 0.35
    assert {"error", "failing", "passed", "not_scored"} == {
        row for (row,) in store.rows("select distinct outcome from runs")
    }
    assert store.one("select count(distinct pattern_id) from failures") >= 6
    assert find_outdated_outcomes(store) == []


def test_judge_has_a_cost_on_every_day_and_agrees_with_people_on_most_runs(store: Store) -> None:
    assert store.one("select count(distinct day) from judge_spend where cost_usd > 0") >= 7
    n, agreement = store.rows("select compared, agreement from calibration")[0]
    assert n >= 10
    assert 0.6 < agreement < 1


def test_users_repeat_in_some_conversations_and_correct_in_others(store: Store) -> None:
    assert store.one("select count(*) from runs where input like 'No, I meant%'") > 0
    repeated = "select session_id from runs where session_id is not null group by session_id, input having count(*) > 1"
    assert len(store.rows(repeated)) > 0
    assert store.one("select count(*) from (select session_id from runs group by 1 having count(*) = 1)") > 0


def test_costs_streams_sub_agents_and_content_are_recorded_for_some_runs(store: Store) -> None:
    assert store.one("select count(*) from runs where cost_usd is null") == 0
    assert 0 < store.one("select count(time_to_first_token_ms) from runs") < store.one("select count(*) from runs") / 2
    assert store.one("select count(*) from agent_traces where parent_agent_trace_id is not null") > 0
    assert store.one("select count(*) from runs where gaps::varchar like '%content_not_captured%'") > 0
    assert store.one("select count(distinct hour(started_at)) from runs") > 16


@pytest.mark.parametrize("view", WIDE, ids=lambda view: view.name)
def test_wide_view_has_a_row_for_each_value_of_its_grain(store: Store, view: SqlFile) -> None:
    grain = view.header["grain"]
    assert store.rows(f"select {grain}, count(*) from {view.name} group by all having count(*) > 1") == []


def test_two_versions_are_compared_on_questions_of_the_history(made: HistoryStore, store: Store) -> None:
    about = (
        "select name, dataset, items, ended_at - started_at > interval 0 minute from experiments order by started_at"
    )
    assert store.rows(about) == [
        ("travel_agent 1.3.0", "travel-questions", 16, True),
        ("travel_agent 1.4.0", "travel-questions", 16, True),
    ]
    sources = [made.history.trace_id(number) for number in find_questions(made.history)]
    assert store.rows("select left(source_agent_trace_id, 32) from dataset_items order by position") == [
        (trace_id,) for trace_id in sources
    ]
    failed = """
        select experiments.name, list(runs.position order by runs.position)
        from experiment_runs as runs
        inner join experiments using (experiment_id)
        inner join scores using (experiment_id, agent_trace_id)
        inner join agent_traces as traces using (experiment_id, agent_trace_id)
        where scores.evaluator = 'tool_error' and not scores.passed and traces.agent_version = split_part(name, ' ', 2)
        group by all
        order by all
    """
    assert store.rows(failed) == [("travel_agent 1.3.0", [1]), ("travel_agent 1.4.0", [0, 2, 5])]


def test_experiments_are_the_same_at_another_time() -> None:
    trials, later = (plan_trials(History(7, 1, end)) for end in (END, END + timedelta(days=30)))
    assert [trial.trace_id(0) for trial in trials] == [trial.trace_id(0) for trial in later]
    assert {other.began - trial.began for trial, other in zip(trials, later, strict=True)} == {timedelta(days=30)}
