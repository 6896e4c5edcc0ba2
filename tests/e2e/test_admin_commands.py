"""Orders to the passes of a running server, and what one slow evaluator may do to the others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from unittest import mock

import httpx
import pytest
from tests.support import agent_spans
from tests.support.command import inside, tracegrade
from tests.support.otlp import trace_id
from tests.support.polling import until
from tests.support.server import HURRIED, Server, new_trace, running

from tracegrade.collector.evaluation.lane import Lane


def order(server: Server, path: str, **body: object) -> httpx.Response:
    return httpx.post(f"{server.web}/api/v1/{path}", json=body, timeout=30, trust_env=False)


def count_scores(server: Server, evaluator: str, trace: int) -> int:
    told = f"select count(*) from latest_scores where evaluator = '{evaluator}' and trace_id = '{trace_id(trace)}'"
    count: int = server.one(told)
    return count


def with_evaluators(*entries: Mapping[str, object]) -> dict[str, str]:
    return {**HURRIED, "TRACEGRADE_EVALUATORS": json.dumps([{"use": "defaults"}, *entries])}


def test_paused_evaluator_judges_again_once_it_is_resumed(tmp_path: Path) -> None:
    with running(tmp_path / "s.duckdb", variables=with_evaluators()) as server:
        answer = order(server, "evaluators/tool_error/pause")
        assert (answer.status_code, answer.json()) == (200, {"evaluator": "tool_error", "is_paused": True})
        trace = new_trace()
        server.export(agent_spans.trip(trace))
        until(lambda: count_scores(server, "tool_efficiency", trace), bool)
        assert count_scores(server, "tool_error", trace) == 0
        assert order(server, "evaluators/tool_error/resume").json() == {"evaluator": "tool_error", "is_paused": False}
        until(lambda: count_scores(server, "tool_error", trace), bool)


def test_evaluator_is_paused_and_resumed_from_the_command_line_with_and_without_a_server(tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    paused = "select count(*) from paused_evaluators"
    with running(store, variables=with_evaluators()) as server:
        assert inside("evaluators", "tool_error", "--pause", "--store", store, at=tmp_path).code == 0
        assert server.one(paused) == 1
    assert inside("evaluators", "tool_error", "--resume", "--store", store, at=tmp_path).code == 0
    assert "0" in inside("sql", paused, "--format", "csv", "--store", store, at=tmp_path).text.splitlines()
    wrong = inside("evaluators", "tool_eror", "--pause", "--store", store, at=tmp_path)
    assert wrong.code == 2
    assert "'tool_error'" in wrong.err


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        pytest.param("evaluators/tool_eror/pause", {}, 404, "'tool_error'", id="no such evaluator"),
        pytest.param("backfill", {"evaluators": ["tool_error"]}, 400, "since", id="backfill since when"),
        pytest.param(
            "backfill",
            {"since": "2026-01-01", "evaluator": ["x"]},
            400,
            "did you mean 'evaluators'?",
            id="no such field",
        ),
        pytest.param("backfill", {"since": "2026-01-01T00:00", "where": "x = 1"}, 400, "`where`", id="no such column"),
    ],
)
def test_order_that_cannot_be_carried_out_is_refused(
    server: Server, path: str, body: dict[str, object], status: int, said: str
) -> None:
    answer = order(server, path, **body)
    assert answer.status_code == status
    assert answer.json()["kind"] == ("not_found" if status == 404 else "malformed")
    assert said in answer.json()["detail"]


def test_backfill_through_the_server_returns_when_everything_is_judged(tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request(agent_spans.trip(1)))
    assert inside("import", "--store", store, "--no-evaluate", "trip.pb", at=tmp_path).code == 0
    # enrolled after the runs of the past, so that nothing of them is new to it
    late = {"use": "tool_error", "name": "late"}
    with running(store, variables=with_evaluators(late)) as server:
        assert count_scores(server, "late", 1) == 0
        done = tracegrade("backfill", "--since", "2000-01-01", "--evaluator", "late", "--store", store, at=tmp_path)
        assert (done.code, done.err) == (0, "")
        assert "late: 1 score requested" in done.text
        assert count_scores(server, "late", 1) == 1


def test_backfill_without_a_server_judges_in_the_command_itself(tmp_path: Path) -> None:
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request(agent_spans.trip(1)))
    assert inside("import", "--store", "s.duckdb", "--no-evaluate", "trip.pb", at=tmp_path).code == 0
    told = '[{"use": "tool_error", "name": "late"}]'
    done = inside("backfill", "--since", "2000-01-01", "--store", "s.duckdb", at=tmp_path, TRACEGRADE_EVALUATORS=told)
    assert done.code == 0, done.err
    assert "late: 1 score requested" in done.text
    again = inside("backfill", "--since", "2000-01-01", "--store", "s.duckdb", at=tmp_path, TRACEGRADE_EVALUATORS=told)
    assert "these runs have their scores" in again.text


def test_backfill_without_a_server_says_that_nobody_works_on_what_waits(tmp_path: Path) -> None:
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request(agent_spans.trip(1)))
    (tmp_path / "tracegrade.yaml").write_text(
        "judges: {default: {api_key_env: NO_SUCH_KEY}}\nevaluators: [{use: goal_achievement}]\n", encoding="utf-8"
    )
    assert inside("import", "--no-evaluate", "trip.pb", at=tmp_path).code == 0
    done = inside("backfill", "--since", "2000-01-01", at=tmp_path, TRACEGRADE_ASSEMBLY__JUDGE_SETTLE="0s")
    assert done.code == 0, done.err
    told, nobody = filter(None, done.text.splitlines())
    assert told.startswith("goal_achievement: 1 score requested; 1 deferred: ")
    assert "NO_SUCH_KEY" in told
    assert nobody == "no server is running; `tracegrade serve` continues with these"


def test_backfill_that_means_no_run_says_so_and_ends_with_3(tmp_path: Path) -> None:
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request(agent_spans.trip(1)))
    assert inside("import", "--store", "s.duckdb", "trip.pb", at=tmp_path).code == 0
    done = inside("backfill", "--since", "2199-01-01", "--store", "s.duckdb", at=tmp_path)
    assert (done.code, done.text.strip()) == (3, "nothing to evaluate: no matching run began in that time")
    wrong = inside("backfill", "--since", "1d", "--until", "2d", "--store", "s.duckdb", at=tmp_path)
    assert (wrong.code, "is not before `until`" in wrong.err) == (2, True)


def test_backfill_that_was_broken_off_says_how_it_goes_on_and_is_watched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request(agent_spans.trip(1)))
    assert inside("import", "--store", "s.duckdb", "--no-evaluate", "trip.pb", at=tmp_path).code == 0
    order = ("backfill", "--since", "2000-01-01", "--store", "s.duckdb")
    told = '[{"use": "tool_error", "name": "late"}]'
    with monkeypatch.context() as patch:
        patch.setattr(Lane, "evaluate", mock.Mock(side_effect=KeyboardInterrupt))
        broken_off = inside(*order, at=tmp_path, TRACEGRADE_EVALUATORS=told)
    assert broken_off.code == 130
    assert "the same command resumes it" in broken_off.text
    again = inside(*order, at=tmp_path, TRACEGRADE_EVALUATORS=told)
    assert again.code == 0
    assert "1 of 1 scores were requested before" in again.text
    assert "late: 1 score requested" in again.text


@pytest.mark.parametrize(
    "arguments", [("backfill", "--since", "1h"), ("evaluators", "tool_error", "--pause")], ids=["backfill", "pause"]
)
def test_store_that_does_not_exist_is_told_and_not_made(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = inside(*arguments, "--store", "typo.duckdb", at=tmp_path)
    assert (done.code, list(tmp_path.iterdir())) == (4, [])
    assert "there is no such store" in done.err


def test_time_that_is_none_ends_with_2(tmp_path: Path) -> None:
    done = inside("backfill", "--since", "someday", "--store", "s.duckdb", at=tmp_path)
    assert done.code == 2
    assert "'someday' is not a time" in done.err


def test_backfill_waits_for_no_evaluator_that_is_paused_and_says_so(tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    with running(store, variables=with_evaluators()) as server:
        trace = new_trace()
        server.export(agent_spans.trip(trace))
        until(lambda: count_scores(server, "tool_error", trace), bool)
        assert order(server, "evaluators/tool_error/pause").status_code == 200
        again = ("backfill", "--since", "2020-01-01", "--evaluator", "tool_error", "--again", "--store", store)
        told = inside(*again, at=tmp_path)
        assert told.code == 0
        assert "tool_error is paused: its evaluations are queued until" in " ".join(told.text.split())
        assert server.one("select count(*) from deferrals where evaluator = 'tool_error'") == 1
