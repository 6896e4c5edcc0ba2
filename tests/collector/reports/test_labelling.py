"""Which runs are worth a label by a person, in which order, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import duckdb
import pytest
from tests.support.filtered_runs import add_run
from tests.support.score_rows import BEGAN, insert_scores, make_judge_score, make_person_score

from tracegrade.queries import catalog

LATER = BEGAN + timedelta(days=2)


@pytest.fixture(scope="module")
def migrated() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    catalog.migrate(connection)
    return connection


@pytest.fixture
def connection(migrated: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    yield migrated
    migrated.execute("delete from scores; delete from score_hours")


def judge(target: str = "run", evaluator: str = "polite", *, passed: bool = True, **fields: Any) -> dict[str, Any]:
    """A score of a judge that is sure."""
    usual = {"passed": passed, "value": float(passed), "agent_name": "travel", "agent_trace_id": target}
    return make_judge_score(target, evaluator=evaluator, **{**usual, **fields})


def check(target: str, evaluator: str, *, passed: bool = True, **fields: Any) -> dict[str, Any]:
    """A score of an evaluator in code."""
    return judge(target, evaluator, passed=passed, **{"evaluator_kind": "code", "judge_model": None, **fields})


def queue(
    connection: duckdb.DuckDBPyConnection, *rows: Mapping[str, Any], columns: str = "target_id, evaluator", **given: Any
) -> list[tuple[Any, ...]]:
    """The queue over these scores, without those that are there at random."""
    insert_scores(connection, *rows)
    usual = {"since": None, "agent": None, "service": None, "evaluator": None, "limit": 20}
    sql = f"""select {columns}
              from labelling_queue(
                  $since::timestamp, null, $agent::varchar, null, null, $service::varchar, $evaluator::varchar, $limit
              )
              where reason not like '%random' order by place"""
    return connection.execute(sql, {**usual, **given}).fetchall()


def test_queue_begins_with_disagreements_and_then_has_the_unsure(connection: duckdb.DuckDBPyConnection) -> None:
    rows = [
        check("lone", "loops", passed=False),
        check("lone", "errors"),
        judge("close", value=0.6, threshold=0.7, passed=False),
        judge("closest", value=0.7, threshold=0.7),
        judge("judges", "right", passed=False),
        judge("judges", "polite"),
        judge("person"),
        make_person_score("person", evaluator="overall", passed=False),
        judge("sure", value=0.95),
    ]
    assert queue(connection, *rows, columns="target_id, evaluator, reason") == [
        ("person", "polite", "ada says bad under overall, and polite says good"),
        ("judges", "right", "judges disagree: right failed, polite passed"),
        ("closest", "polite", "polite is unsure: 0.7, and 0.7 passes"),
        ("close", "polite", "polite is unsure: 0.6, and 0.7 passes"),
        ("lone", "loops", "only loops failed, 1 passed"),
    ]


@pytest.mark.parametrize(
    ("label", "is_listed"),
    [
        ({"passed": False}, False),
        ({"value": 0.5}, False),
        ({"label": "rude"}, False),
        ({"explanation": "look at this"}, True),
        ({"passed": False, "superseded_at": BEGAN, "superseded_reason": "withdrawn"}, True),
        ({"passed": False, "evaluator": "overall"}, True),
    ],
    ids=["bad", "score", "label", "a comment alone", "removed", "another name"],
)
def test_target_is_listed_until_a_person_has_labelled_it_under_the_name_of_the_evaluator(
    connection: duckdb.DuckDBPyConnection, label: dict[str, Any], *, is_listed: bool
) -> None:
    rows = [judge(value=0.55), make_person_score(**label)]
    assert queue(connection, *rows) == ([("run", "polite")] if is_listed else [])


@pytest.mark.parametrize("value", [0.0, 1.0], ids=str)
def test_judge_is_not_unsure_where_its_value_is_the_lowest_or_highest_of_all(
    connection: duckdb.DuckDBPyConnection, value: float
) -> None:
    assert queue(connection, judge(value=value, threshold=value)) == []


def test_check_that_passes_what_a_person_calls_bad_does_not_disagree_and_one_that_fails_what_is_good_does(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    rows = [
        check("bad", "loops"),
        make_person_score("bad", evaluator="overall", passed=False),
        check("good", "loops", passed=False),
        make_person_score("good", evaluator="overall", value=0.8),
    ]
    assert queue(connection, *rows, columns="target_id, reason") == [
        ("good", "ada says good under overall, and loops says bad")
    ]


def test_scores_of_other_systems_and_of_experiments_and_superseded_ones_are_left_out(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    rows = [
        judge("external", value=0.5, evaluator_kind="external"),
        judge("experiment", value=0.5, experiment_id="e"),
        judge("superseded", value=0.5, superseded_at=BEGAN),
        judge("skipped", value=None, status="skipped"),
    ]
    assert queue(connection, *rows) == []


def test_run_is_listed_once_by_the_best_of_its_reasons(connection: duckdb.DuckDBPyConnection) -> None:
    rows = [judge("run", "right", passed=False), judge("run", "polite"), judge("run", "brief", value=0.5)]
    assert queue(connection, *rows) == [("run", "right")]


def test_queue_of_one_evaluator_has_only_its_scores(connection: duckdb.DuckDBPyConnection) -> None:
    rows = [judge("a", "right", value=0.5), judge("b", "polite", value=0.5), judge("b", "right", passed=False)]
    assert queue(connection, *rows, evaluator="polite", columns="target_id, evaluator, reason") == [
        ("b", "polite", "judges disagree: right failed, polite passed")
    ]


def test_sessions_and_calls_are_listed_by_their_target_id(connection: duckdb.DuckDBPyConnection) -> None:
    rows = [
        judge("session:s1", value=0.5, scope="session", agent_trace_id=None, session_id="s1"),
        judge("run#2", value=0.5, scope="tool_call", agent_trace_id="run", tool_call_position=2),
    ]
    assert {target for target, _ in queue(connection, *rows)} == {"session:s1", "run#2"}


def test_queue_of_an_agent_has_its_sessions_and_runs_that_only_their_service_names(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    add_run(connection, "nameless", service_name="hotels")
    rows = [
        judge("session:s1", value=0.5, scope="session", agent_trace_id=None, session_id="s1", agent_name="hotels"),
        judge("nameless", value=0.5, agent_name=None),
        judge("other", value=0.5),
    ]
    assert {target for target, _ in queue(connection, *rows, agent="hotels")} == {"session:s1", "nameless"}
    connection.execute("delete from agent_traces")


def test_queue_of_a_service_has_its_runs_alone(connection: duckdb.DuckDBPyConnection) -> None:
    for service in ("shop", "desk"):
        add_run(connection, f"run of {service}", service_name=service)
    rows = [judge(f"run of {service}", value=0.5, passed=True) for service in ("shop", "desk")]
    assert queue(connection, *rows, service="shop") == [("run of shop", "polite")]


def test_long_period_is_searched_where_it_is_newest_and_where_people_have_labelled(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    counted = dict.fromkeys(("passed", "failed", "failed_runs", "skipped", "errors", "valued", "priced"), 0)
    names = dict.fromkeys(("agent_name", "agent_version", "environment", "service_name"), "")
    hour = {**names, **counted, "hour": LATER, "evaluator": "polite", "evaluator_kind": "llm", "scored": 250_000}
    insert_hour = f"insert into score_hours by name select {', '.join(f'${name} as {name}' for name in hour)}"
    connection.execute(insert_hour, hour)
    rows = [
        judge("old", value=0.5),
        judge("labelled"),
        make_person_score("labelled", evaluator="overall", passed=False),
        judge("new", value=0.5, target_time=LATER),
    ]
    assert queue(connection, *rows, columns="target_id") == [("labelled",), ("new",)]


def test_period_is_that_of_the_targets(connection: duckdb.DuckDBPyConnection) -> None:
    rows = [judge("old", value=0.5), judge("new", value=0.5, target_time=LATER)]
    assert queue(connection, *rows, since=LATER) == [("new", "polite")]


def test_agent_with_many_disagreements_leaves_room_for_the_others(connection: duckdb.DuckDBPyConnection) -> None:
    rows = [
        row
        for number in range(20)
        for row in (judge(f"a{number}", "right", passed=False), judge(f"a{number}", "polite"))
    ]
    rows += [judge(f"b{number}", value=0.5, agent_name="hotels") for number in range(3)]
    agents = queue(connection, *rows, limit=6, columns="agent_name")
    assert Counter(agents) == {("travel",): 3, ("hotels",): 3}
    assert agents[:3] == [("travel",)] * 3
    assert len(queue(connection, limit=10)) == 10


def test_a_tenth_of_what_judges_are_sure_of_is_at_the_end(connection: duckdb.DuckDBPyConnection) -> None:
    insert_scores(connection, judge("close", value=0.5), *(judge(f"{number}") for number in range(300)))
    rows = connection.execute("""
        select reason from labelling_queue(null, null, null, null, null, null, null, 1000) order by place
    """).fetchall()
    assert rows[0] == ("polite is unsure: 0.5, and 0.5 passes",)
    assert Counter(rows[1:]).keys() == {("one in ten of polite at random",)}
    assert 10 < len(rows) < 60
