"""Lists of runs, and one run with everything in it, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.api import read_error
from tests.support.api_answers import Recorded, get
from tests.support.evaluators import make_evaluator
from tests.support.filtered_runs import BEGAN, add_run
from tests.support.store import Clock, Store, opened

from tracegrade.queries.answers.run import RunDetail
from tracegrade.queries.read.run_keys import SORTS
from tracegrade.queries.read.run_parts import PARTS

RUNS = "/api/v1/runs"
OWN = make_evaluator("own")
IDS = [f"run-{number}" for number in range(7)]
PERIOD = {"since": "2025-12-31", "until": "2026-01-02"}


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Seven runs: two began at the same time, and some have neither cost nor score."""
    with opened(tmp_path_factory.mktemp("store")) as store:
        with store.database.cursor() as connection:
            for number, id_ in enumerate(IDS):
                add_run(
                    connection,
                    id_,
                    started_at=BEGAN + timedelta(minutes=number // 2),
                    agent_name="even" if number % 2 == 0 else "odd",
                    input="x" * 2_000,
                    cost_usd=None if number < 2 else 0.1 * (number % 3),
                    duration_ms=float(number % 4),
                    input_tokens=number or None,
                    tool_call_count=number,
                    worst_value=None if number < 3 else number / 10,
                )
        yield store


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Two runs of one session, with a score each; the first is superseded."""
    with opened(tmp_path_factory.mktemp("store"), now=Clock()) as store:
        store.ledger.enrol([OWN])
        store.add_runs(1, 2, session="s", offers=agent_spans.SEARCH_TOOL)
        store.evaluate(OWN)
        store.arrive([agent_spans.tool(9, trace=1, parent=1, at_s=4)])
        store.revise(1)
        store.evaluate(OWN)
        store.arrive([agent_spans.chat(2, trace=7)])
        yield store


def read_ids(store: Store, **parameters: Any) -> list[str]:
    answer = get(store, RUNS, **PERIOD, **parameters)
    assert answer.status_code == 200, answer.text
    return [run["agent_trace_id"] for run in answer.json()["runs"]]


def test_runs_are_listed_newest_first_with_the_beginnings_of_long_texts(listed: Store) -> None:
    answer = get(listed, RUNS, **PERIOD, count=True).json()
    assert [run["agent_trace_id"] for run in answer["runs"]] == IDS[::-1]
    assert answer["runs"][0]["input"] == "x" * 1_000
    assert answer["runs"][0]["started_at"] == "2026-01-01T12:03:00Z"
    assert (answer["next"], answer["count"]) == (None, 7)
    assert (answer["since"], answer["until"]) == ("2025-12-31T00:00:00Z", "2026-01-02T00:00:00Z")


def test_filter_selects_runs_and_their_count(listed: Store) -> None:
    answer = get(listed, RUNS, **PERIOD, q="agent:odd calls>1", count=True).json()
    assert [run["agent_trace_id"] for run in answer["runs"]] == ["run-5", "run-3"]
    assert answer["count"] == 2


def test_runs_outside_of_the_period_are_not_listed(listed: Store) -> None:
    assert get(listed, RUNS, since="1h").json()["runs"] == []
    assert read_ids(listed) == IDS[::-1]
    later = get(listed, RUNS, since="2026-01-01T12:02Z", until="2026-01-01T12:03Z").json()["runs"]
    assert [run["agent_trace_id"] for run in later] == ["run-5", "run-4"]


@pytest.mark.parametrize("sort", SORTS)
def test_pages_have_each_run_once_in_the_order_of_the_whole_list(listed: Store, sort: str) -> None:
    whole = read_ids(listed, sort=sort)
    pages: list[str] = []
    cursor: str | None = None
    while True:
        place = {} if cursor is None else {"cursor": cursor}
        answer = get(listed, RUNS, **PERIOD, sort=sort, limit=3, **place).json()
        pages += [run["agent_trace_id"] for run in answer["runs"]]
        if (cursor := answer["next"]) is None:
            break
    assert pages == whole
    assert sorted(pages) == IDS


@pytest.mark.parametrize(
    ("sort", "first", "last"),
    [
        ("-duration", "run-3", "run-0"),
        ("-cost", "run-5", "run-0"),
        ("worst", "run-3", "run-0"),
        ("started_at", "run-1", "run-6"),
        ("-tokens", "run-6", "run-0"),
        ("calls", "run-0", "run-6"),
    ],
)
def test_runs_without_the_number_come_last(listed: Store, sort: str, first: str, last: str) -> None:
    ids = read_ids(listed, sort=sort)
    assert (ids[0], ids[-1]) == (first, last)


def test_period_until_now_stays_that_of_the_first_page(listed: Store) -> None:
    first = get(listed, RUNS, limit=2).json()
    second = get(listed, RUNS, limit=2, cursor=first["next"]).json()
    assert second["until"] == first["until"]
    assert (first["since"], second["since"]) == (None, None)


@pytest.mark.parametrize(
    ("parameters", "detail"),
    [
        pytest.param({"q": "agent:even"}, "the cursor belongs to another list", id="another filter"),
        pytest.param({"sort": "worst"}, "the cursor belongs to another list", id="another order"),
        pytest.param({"cursor": "x"}, "this is not a cursor", id="no cursor"),
        pytest.param({"cursor": "é"}, "this is not a cursor", id="no base64"),
        pytest.param({"cursor": "W10"}, "this is not a cursor", id="an empty list"),
    ],
)
def test_cursor_belongs_to_its_list(listed: Store, parameters: dict[str, str], detail: str) -> None:
    cursor = get(listed, RUNS, limit=2, **PERIOD).json()["next"]
    answer = get(listed, RUNS, **PERIOD, **{"limit": 2, "cursor": cursor, **parameters})
    status, kind, text = read_error(answer)
    assert (status, kind) == (400, "malformed")
    assert detail in text
    assert answer.json()["errors"][0]["parameter"] == "cursor"


@pytest.mark.parametrize(
    ("parameters", "detail"),
    [
        ({"since": "yesteryear"}, "since: 'yesteryear' is not a time"),
        ({"since": "2026-01-02", "until": "2026-01-01"}, "since: the period ends at 2026-01-01"),
        ({"limit": "1001"}, "limit: "),
        ({"sort": "oldest"}, "sort: "),
        ({"filter": "x"}, "filter: there is no such query parameter"),
    ],
)
def test_wrong_parameter_is_named(listed: Store, parameters: dict[str, str], detail: str) -> None:
    status, kind, text = read_error(get(listed, RUNS, **parameters))
    assert (status, kind) == (400, "malformed")
    assert detail in text


def test_wrong_filter_selects_nothing_and_says_where_it_is_wrong(listed: Store) -> None:
    answer = get(listed, RUNS, q="calls>1 agnet:even")
    status, kind, text = read_error(answer)
    assert (status, kind) == (400, "malformed")
    assert text.startswith("q, at character 8: there is no field 'agnet'; did you mean 'agent'?")
    assert (answer.json()["position"], answer.json()["near"]) == (8, "agent")


def test_sql_in_a_filter_is_only_read_behind_the_fence(listed: Store) -> None:
    fenced = Recorded(listed)
    answer = get(listed, RUNS, **PERIOD, q="agent:odd sql:tool_call_count in (1, 3)", reader=fenced)
    assert [run["agent_trace_id"] for run in answer.json()["runs"]] == ["run-3", "run-1"]
    assert all("tool_call_count in (1, 3)" in sql for sql in fenced.statements)
    assert fenced.statements


@pytest.mark.parametrize(
    ("q", "kind", "detail", "position"),
    [
        pytest.param(
            *("agent:odd sql:  tool_cal_count > 3", "failed", "tool_cal_count", 16),
            marks=pytest.mark.any_duckdb,  # 2.0.0 does not say where, if a comment comes first
        ),
        pytest.param("sql:nam", "failed", "nam", 4, marks=pytest.mark.any_duckdb),  # likewise
        ("sql:1 = 1) or (true", "malformed", "this parenthesis closes none of the condition", 9),
        ("sql:true; drop table runs", "failed", "syntax error", 8),
        ("sql:getenv('HOME') is null", "failed", "", None),
    ],
)
def test_wrong_sql_in_a_filter_is_explained_with_its_place(
    listed: Store, q: str, kind: str, detail: str, position: int | None
) -> None:
    answer = get(listed, RUNS, q=q)
    assert read_error(answer)[:2] == (400, kind)
    assert detail in answer.json()["detail"]
    assert answer.json().get("position") == position or position is None


def test_run_is_shown_with_everything_in_it(evaluated: Store) -> None:
    (id_,) = evaluated.rows("select agent_trace_id from runs where starts_with(trace_id, $t)", t=f"{1:032x}")[0]
    run = get(evaluated, f"{RUNS}/{id_}").json()
    assert RunDetail.model_validate(run).agent_trace_id == id_
    assert (run["agent_name"], run["session_id"], run["input"]) == ("travel", "s", "Find a flight to Paris")
    assert [call["name"] for call in run["tool_calls"]] == ["search", "search"]
    assert run["tool_calls"][0]["args"] == {"to": "Paris"}
    assert len(run["llm_calls"]) == 2
    assert [message["role"] for message in run["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert run["tool_definitions"][0]["name"] == "search"
    assert len(run["spans"]) == 5
    assert [(score["evaluator"], score["revision"]) for score in run["scores"]] == [("own", 2)]
    assert [(score["evaluator"], score["revision"]) for score in run["superseded"]] == [("own", 1)]
    assert run["neighbours"]["previous_of_agent"] is None
    assert (run["sub_runs"], run["truncated"]) == ([], [])


def test_run_is_found_by_the_beginning_of_its_id_and_only_the_included_parts_are_read(evaluated: Store) -> None:
    run = get(evaluated, f"{RUNS}/{2:032X}", include="scores, tool_calls").json()
    assert run["trace_id"] == f"{2:032x}"
    assert len(run["scores"]) == 1
    assert [part for part in PARTS if run[part] is not None] == ["tool_calls", "scores"]


def test_run_is_found_within_a_day_of_the_given_time_only(evaluated: Store) -> None:
    began = evaluated.one("select min(started_at) from runs")
    path = f"{RUNS}/{2:032x}"
    assert get(evaluated, path, at=f"{began:%Y-%m-%dT%H:%M}").status_code == 200
    elsewhere = read_error(get(evaluated, path, at="2020-01-01T00:00"))
    assert elsewhere[0] == 404
    assert "no run that began within a day of `at`" in elsewhere[2]


@pytest.mark.parametrize("apart", [timedelta(minutes=1), timedelta(0)], ids=["apart", "at the same moment"])
@pytest.mark.parametrize(
    "who", [{"agent_name": "x"}, {"agent_name": None, "service_name": "x"}], ids=["agent", "service"]
)
def test_sub_runs_and_neighbours_of_a_run_are_named(tmp_path: Path, apart: timedelta, who: dict[str, Any]) -> None:
    with opened(tmp_path) as store:
        with store.database.cursor() as connection:
            for number, id_ in enumerate(("a", "b", "c")):
                add_run(connection, id_, started_at=BEGAN + number * apart, session_id="s", **who)
            add_run(connection, "d", parent_agent_trace_id="b", root_agent_trace_id="b")
        run = get(store, f"{RUNS}/b").json()
        inner = get(store, f"{RUNS}/d").json()
    assert [sub_run["agent_trace_id"] for sub_run in run["sub_runs"]] == ["d"]
    assert {name: link["agent_trace_id"] for name, link in run["neighbours"].items()} == {
        "previous_in_session": "a",
        "next_in_session": "c",
        "previous_of_agent": "a",
        "next_of_agent": "c",
    }
    assert (inner["parent_agent_trace_id"], inner["outcome"]) == ("b", None)


def test_id_of_several_runs_is_refused_with_their_ids(evaluated: Store) -> None:
    status, kind, text = read_error(get(evaluated, f"{RUNS}/000"))
    assert (status, kind) == (409, "conflict")
    assert f"several runs begin with '000'; write one of these ids: {1:032x}-" in text


@pytest.mark.parametrize(
    ("id_", "detail"),
    [
        pytest.param("f00d", "searched 2 runs and the trace ids of 10 spans; the newest arrived at", id="unknown"),
        pytest.param("%00", "searched 2 runs", id="no text"),
        pytest.param("-x", "searched 2 runs and the trace ids of", id="no trace"),
        pytest.param(f"{7:032x}", "1 spans of trace", id="not assembled"),
        pytest.param(f"{1:032x}-ff", "have arrived", id="trace without this run"),
    ],
)
def test_unknown_run_says_what_was_searched(evaluated: Store, id_: str, detail: str) -> None:
    status, kind, text = read_error(get(evaluated, f"{RUNS}/{id_}"))
    assert (status, kind) == (404, "not_found")
    assert detail in text


def test_part_that_does_not_exist_is_refused(evaluated: Store) -> None:
    text = read_error(get(evaluated, f"{RUNS}/000", include="score"))[2]
    assert text == "include: there is no part 'score' (did you mean 'scores'?)"
