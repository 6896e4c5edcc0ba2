"""Experiments that a running server keeps."""

from __future__ import annotations

from pathlib import Path

from tests.support.experiments import make_recorded_run, make_start
from tests.support.server import Server, running

from tracegrade.collector.client.experiments import read_experiment, recording
from tracegrade.collector.client.source import RemoteSource
from tracegrade.queries.ports import ExperimentProgress, ExperimentRuns, RecordedRun


def source_of(server: Server) -> RemoteSource:
    return RemoteSource(server.web, max_rows=10_000, timeout_s=30.0, token=None)


def record(server: Server, *runs: RecordedRun, is_last: bool = False) -> ExperimentProgress:
    """Begins or continues the experiment, and records these runs."""
    with recording(source_of(server)) as recorder:
        progress = recorder.begin(make_start())
        recorder.record(ExperimentRuns(experiment_id=progress.experiment_id, runs=runs, is_last=is_last))
    return progress


def test_experiment_outlives_a_kill_of_its_server(tmp_path: Path) -> None:
    with running(tmp_path / "store.duckdb") as server:
        first = record(server, make_recorded_run(0, 1.0))
        server.kill()
    with running(tmp_path / "store.duckdb") as server:
        second = record(server, make_recorded_run(0, 1.0), make_recorded_run(1, cause="KeyError"), is_last=True)
        assert (second.experiment_id, second.is_continued) == (first.experiment_id, True)
        assert [(key.item_id, key.repeat) for key in second.done] == [("0", 0)]
        result = read_experiment(source_of(server).read, first.experiment_id[:8])
        assert [(run.item.id, run.status, len(run.scores)) for run in result.runs] == [
            ("0", "completed", 1),
            ("1", "error", 0),
        ]
        assert result.ended_at is not None
        assert server.one("select count(*) from experiment_scores") == 1
