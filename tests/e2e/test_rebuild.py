"""`tracegrade rebuild` with a server and without one, interrupted, and refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import httpx
import pytest
from tests.support import agent_spans
from tests.support.command import inside, tracegrade
from tests.support.polling import until
from tests.support.server import Server, running

from tracegrade.collector.assembling.rebuild import StoredTraces

REVISIONS = "select agent_trace_id, revision, assembled_seq, fingerprint from agent_traces order by 1"
SCORES = "select score_id, superseded_at from scores order by 1"
DONE = "select done from rebuilds order by rebuild_id desc limit 1"


def import_traces(folder: Path, traces: int = 2) -> Path:
    """A store with so many traces, assembled and evaluated."""
    spans = [span for trace in range(1, traces + 1) for span in agent_spans.trip(trace)]
    (folder / "trips.pb").write_bytes(agent_spans.export_request(spans))
    done = inside("import", "--store", "s.duckdb", "trips.pb", at=folder)
    assert done.code == 0, done.err
    return folder / "s.duckdb"


def state(store: Path) -> list[Any]:
    """The revisions and scores in a store that nobody holds."""
    with duckdb.connect(str(store), read_only=True) as connection:
        return [connection.execute(sql).fetchall() for sql in (REVISIONS, SCORES)]


def begin(server: Server, **body: object) -> httpx.Response:
    return httpx.post(f"{server.web}/api/v1/rebuild", json=body, timeout=30, trust_env=False)


@pytest.mark.nightly
def test_rebuild_without_a_server_keeps_revisions_and_scores_and_tells_what_it_did(tmp_path: Path) -> None:
    store = import_traces(tmp_path)
    before = state(store)
    done = tracegrade("rebuild", "--store", store, at=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.text.startswith("rebuilt 2 traces (")
    assert done.text.endswith("runs/s): 2 runs the same, 0 changed, 0 new, 0 vanished\n")
    assert state(store) == before


@pytest.mark.nightly
def test_outcome_is_told_as_json(tmp_path: Path) -> None:
    store = import_traces(tmp_path)
    done = inside("rebuild", "--since", "2199-01-01", "--json", "--store", store, at=tmp_path)
    outcome = json.loads(done.out)
    assert outcome.pop("seconds") >= 0
    assert outcome.pop("runs_per_s") >= 0
    nothing = {"same": 0, "changed": 0, "new": 0, "vanished": 0}
    assert outcome == {
        "traces": 0,
        "runs": nothing,
        "traces_arriving": 0,
        "traces_deferred": 0,
        "traces_failed": 0,
    }


def test_rebuild_through_the_server_writes_rows_again_and_keeps_revisions_and_scores(tmp_path: Path) -> None:
    store = import_traces(tmp_path)
    with duckdb.connect(str(store)) as connection:
        costs = connection.execute("select distinct cost_usd from agent_traces").fetchall()
        connection.execute("update agent_traces set cost_usd = 9")
    before = state(store)
    with running(store) as server:
        done = tracegrade("rebuild", "--store", store, at=tmp_path)
        assert (done.code, done.err) == (0, "")
        assert "2 runs the same, 0 changed, 0 new, 0 vanished" in done.text
        assert server.rows("select distinct cost_usd from agent_traces") == [[*cost] for cost in costs]
    assert state(store) == before


@pytest.mark.nightly
def test_changed_run_is_evaluated_again_by_the_server(tmp_path: Path) -> None:
    store = import_traces(tmp_path)
    with duckdb.connect(str(store)) as connection:
        connection.execute("update tool_calls set result = 'XX1' where trace_id like '%1'")
        connection.execute("update agent_traces set fingerprint = 'of an older version'")
    with running(store) as server:
        done = tracegrade("rebuild", "--json", "--server", server.web, at=tmp_path)
        assert json.loads(done.out)["runs"] == {"same": 1, "changed": 1, "new": 0, "vanished": 0}
        active = "select revision from latest_scores where evaluator = 'tool_error' order by trace_id"
        until(lambda: server.rows(active), lambda rows: rows == [[2], [1]])


@pytest.mark.nightly
def test_run_changed_without_a_server_is_evaluated_by_an_evaluator_with_a_new_version(tmp_path: Path) -> None:
    store = import_traces(tmp_path)
    with duckdb.connect(str(store)) as connection:
        connection.execute("update tool_calls set result = 'XX1' where trace_id like '%1'")
        connection.execute("update agent_traces set fingerprint = 'of an older version'")
        connection.execute("update evaluator_cursors set evaluator_version = 0")
        connection.execute("update scores set evaluator_version = 0")
    done = tracegrade("rebuild", "--json", "--store", store, at=tmp_path)
    assert json.loads(done.out)["runs"] == {"same": 1, "changed": 1, "new": 0, "vanished": 0}
    with running(store) as server:
        active = """select revision, evaluator_version > 0 from latest_scores
                    where evaluator = 'run_completion' order by trace_id"""
        until(lambda: server.rows(active), lambda rows: rows == [[2, True], [1, False]])


@pytest.mark.nightly
def test_spans_that_come_during_a_rebuild_are_assembled_and_scored(tmp_path: Path) -> None:
    store = import_traces(tmp_path, traces=450)
    with running(store) as server:
        assert begin(server).json()["traces"] == 450
        server.export(agent_spans.trip(1001))
        assert server.scores(f"{1001:032x}")
        until(lambda: server.one("select count(*) from rebuilds where ended_at is null"), lambda left: left == 0)
        assert server.rows("select done, same_runs from rebuilds") == [[450, 450]]


@pytest.mark.nightly
def test_server_that_was_killed_goes_on_with_the_rebuild_after_its_start(tmp_path: Path) -> None:
    store = import_traces(tmp_path, traces=1_000)
    before = state(store)
    with running(store) as server:
        assert begin(server).status_code == 200
        until(lambda: server.one(DONE), lambda done: done > 0)
        server.kill()
    with running(store) as server:
        until(lambda: server.one("select count(*) from rebuilds where ended_at is null"), lambda left: left == 0)
        assert server.rows("select done, same_runs, changed_runs, new_runs from rebuilds") == [[1000, 1000, 0, 0]]
    assert state(store) == before


@pytest.mark.nightly
def test_interrupted_command_says_how_it_goes_on_and_the_same_one_resumes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = import_traces(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(StoredTraces, "step", mock.Mock(side_effect=KeyboardInterrupt))
        interrupted = inside("rebuild", "--store", store, at=tmp_path)
    assert interrupted.code == 130
    assert "interrupted after 0 of 2 traces; the same command resumes it" in interrupted.text
    resumed = inside("rebuild", "--store", store, at=tmp_path)
    assert resumed.code == 0
    assert resumed.text.startswith("a rebuild is in progress: 0 of 2 traces are done\nrebuilt 2 traces (")


@pytest.mark.parametrize(
    ("since", "code", "message"),
    [
        pytest.param((), 2, "does not reach as far back", id="reaches farther"),
        pytest.param(("--since", "someday"), 2, "'someday' is not a time", id="no time"),
        pytest.param(("--server", "http://127.0.0.1:9"), 4, "does not answer", id="no server"),
    ],
)
@pytest.mark.nightly
def test_rebuild_that_cannot_begin_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, since: tuple[str, ...], code: int, message: str
) -> None:
    store = import_traces(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(StoredTraces, "step", mock.Mock(side_effect=KeyboardInterrupt))
        assert inside("rebuild", "--since", "2199-01-01", "--store", store, at=tmp_path).code == 130
    refused = inside("rebuild", *since, "--store", store, at=tmp_path)
    assert refused.code == code
    assert message in refused.err


@pytest.mark.nightly
def test_rebuild_of_a_store_that_is_not_there_ends_with_4_and_makes_none(tmp_path: Path) -> None:
    refused = inside("rebuild", "--store", tmp_path / "typo.duckdb", at=tmp_path)
    assert (refused.code, list(tmp_path.iterdir())) == (4, [])
    assert "there is no such store" in refused.err
