"""Scores over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from tests.support.api import read_error
from tests.support.api_answers import Recorded, get
from tests.support.filtered_runs import BEGAN, add_run
from tests.support.score_rows import insert_scores, make_judge_score, make_person_score
from tests.support.store import Store, opened

SCORES = "/api/v1/scores"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with opened(tmp_path_factory.mktemp("store")) as store:
        with store.database.cursor() as connection:
            add_run(connection, "a", agent_name="x")
            add_run(connection, "b", agent_name="y")
            add_run(connection, "inner", parent_agent_trace_id="a", root_agent_trace_id="a")
            rows = [
                make_judge_score("a", score_id="1", agent_trace_id="a", passed=False),
                make_judge_score("b", score_id="2", agent_trace_id="b", passed=True),
                make_person_score("b", score_id="3", agent_trace_id="b", passed=True),
                make_judge_score("inner#0", score_id="4", agent_trace_id="inner", status="skipped"),
                make_judge_score("a", score_id="5", agent_trace_id="a", superseded_at=BEGAN),
                make_judge_score("tool:x", score_id="6", evaluator="clear", scope="tool", target_time=None),
            ]
            for number, row in enumerate(rows):
                insert_scores(connection, {**row, "scored_at": BEGAN + timedelta(minutes=number // 2)})
        yield store


@pytest.mark.parametrize(
    ("parameters", "ids"),
    [
        ({}, ["6", "4", "3", "2", "1"]),
        ({"evaluator": "clear"}, ["6"]),
        ({"evaluator_kind": "human"}, ["3"]),
        ({"status": "skipped"}, ["4"]),
        ({"passed": "false"}, ["1"]),
        ({"target": "inner"}, ["4"]),
        ({"q": "agent:x"}, ["4", "1"]),
        ({"q": "agent:y", "evaluator_kind": "llm"}, ["2"]),
        ({"q": ""}, ["4", "3", "2", "1"]),
        ({"since": "2026-01-01T12:01Z", "until": "2026-01-01T12:02Z"}, ["4", "3"]),
    ],
)
def test_active_scores_are_listed_newest_first(store: Store, parameters: dict[str, Any], ids: list[str]) -> None:
    assert [score["score_id"] for score in get(store, SCORES, **parameters).json()["scores"]] == ids


def test_pages_have_each_score_once(store: Store) -> None:
    first = get(store, SCORES, limit=3).json()
    second = get(store, SCORES, limit=3, cursor=first["next"]).json()
    assert [score["score_id"] for page in (first, second) for score in page["scores"]] == ["6", "4", "3", "2", "1"]
    assert second["next"] is None


def test_sql_in_the_filter_of_scores_is_only_read_behind_the_fence(store: Store) -> None:
    fenced = Recorded(store)
    answer = get(store, SCORES, q="sql:agent_name = 'x'", reader=fenced).json()
    assert [score["score_id"] for score in answer["scores"]] == ["4", "1"]
    assert len(fenced.statements) == 1


def test_wrong_filter_of_scores_selects_nothing(store: Store) -> None:
    status, kind, text = read_error(get(store, SCORES, q="is:falling"))
    assert (status, kind) == (400, "malformed")
    assert "did you mean 'failing'?" in text
