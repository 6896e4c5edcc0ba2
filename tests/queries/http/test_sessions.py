"""Sessions over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from tests.support.api import read_error
from tests.support.api_answers import get
from tests.support.filtered_runs import BEGAN, add_run
from tests.support.score_rows import insert_scores, make_judge_score
from tests.support.store import Store, opened

SESSIONS = "/api/v1/sessions"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Sessions a to d, of which a and b have two turns each; d is used by two services."""
    with opened(tmp_path_factory.mktemp("store")) as store:
        with store.database.cursor() as connection:
            turns = [("a", "x", True), ("b", "x", False), ("c", "x", True), ("a", "x", False), ("b", "x", False)]
            for number, (session, service, failing) in enumerate([*turns, ("d/e", "x", False), ("d/e", "y", True)]):
                add_run(
                    connection,
                    f"run-{number}",
                    started_at=BEGAN + timedelta(minutes=number),
                    session_id=session,
                    service_name=service,
                    failing=failing,
                    score_count=1,
                )
            add_run(connection, "alone")
            insert_scores(
                connection,
                make_judge_score("session:a", scope="session", session_id="a", value=0.5),
                make_judge_score("session:a", scope="session", session_id="a", value=0.1, superseded_at=BEGAN),
            )
        yield store


def test_sessions_with_the_newest_turns_are_listed_first(store: Store) -> None:
    answer = get(store, SESSIONS).json()
    names = [(session["session_id"], session["service_name"]) for session in answer["sessions"]]
    assert names == [("d/e", "y"), ("d/e", "x"), ("b", "x"), ("a", "x"), ("c", "x")]
    assert [session["turns"] for session in answer["sessions"]] == [1, 1, 2, 2, 1]
    assert answer["next"] is None


def test_filter_selects_sessions_with_a_run_that_matches_and_shows_all_of_their_turns(store: Store) -> None:
    (first, second, third) = get(store, SESSIONS, q="is:failing").json()["sessions"]
    assert [first["session_id"], second["session_id"], third["session_id"]] == ["d/e", "c", "a"]
    assert (third["turns"], third["failing_turns"]) == (2, 1)


def test_pages_have_each_session_once(store: Store) -> None:
    sessions = []
    cursor: dict[str, str] = {}
    while True:
        answer = get(store, SESSIONS, limit=2, **cursor).json()
        sessions += [(session["session_id"], session["service_name"]) for session in answer["sessions"]]
        if answer["next"] is None:
            break
        cursor = {"cursor": answer["next"]}
    assert sessions == [("d/e", "y"), ("d/e", "x"), ("b", "x"), ("a", "x"), ("c", "x")]


def test_cursor_of_a_list_of_runs_is_none_of_sessions(store: Store) -> None:
    cursor = get(store, "/api/v1/runs", limit=1).json()["next"]
    assert read_error(get(store, SESSIONS, cursor=cursor))[0] == 400


def test_session_is_shown_with_its_turns_oldest_first_and_its_active_scores(store: Store) -> None:
    answer = get(store, f"{SESSIONS}/a").json()
    assert [run["agent_trace_id"] for run in answer["runs"]] == ["run-0", "run-3"]
    assert [session["turns"] for session in answer["sessions"]] == [2]
    assert [score["value"] for score in answer["scores"]] == [0.5]


def test_session_of_two_services_with_a_slash_in_its_id_has_a_row_for_each(store: Store) -> None:
    answer = get(store, f"{SESSIONS}/d/e").json()
    assert sorted(session["service_name"] for session in answer["sessions"]) == ["x", "y"]


def test_unknown_session_is_not_found(store: Store) -> None:
    assert read_error(get(store, f"{SESSIONS}/nobody")) == (
        404,
        "not_found",
        "no run has the session id 'nobody'; its runs may not have arrived yet",
    )
