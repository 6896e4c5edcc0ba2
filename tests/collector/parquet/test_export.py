"""An export has what the store has after each increment, and tells what was deleted."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import orjson
import pytest
from hypothesis import settings
from hypothesis.stateful import initialize
from tests.collector.store.results import test_links as linked
from tests.collector.store.results.test_outcomes import ANSWERS, FAILS, PASSES, AnyCourse, annotate, evaluate
from tests.support import agent_spans, otlp
from tests.support.parquet_exports import find_differences, list_deleted, run_export
from tests.support.store import Clock, Store, opened

from tracegrade.collector.errors import Fault
from tracegrade.collector.parquet import export as export_module
from tracegrade.collector.parquet.folder import STATE, ExportFolder
from tracegrade.collector.spans.span import Span

DAY_S = 86_400


def files(folder: Path) -> set[str]:
    """The Parquet files of an export, without their folder."""
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*.parquet")}


def written(paths: Iterable[Path]) -> set[str]:
    """The relations of written files."""
    return {path.parents[1].name for path in paths}


def move(spans: Iterable[Span], *, days: int) -> list[Span]:
    """These spans so many days later."""
    ns = days * DAY_S * 10**9
    return [Span(**{**vars(each), "start_ns": each.start_ns + ns, "end_ns": each.end_ns + ns}) for each in spans]


def test_first_export_has_every_row_by_day(tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    with opened(tmp_path) as store:
        store.arrive([*agent_spans.trip(1), *move(agent_spans.trip(2), days=1)])
        store.revise(1, 2)
        evaluate(store, PASSES)
        exported = run_export(store, folder)
        assert find_differences(store, folder) == {}
        days = sorted({day for (day,) in store.rows("select started_at::date::varchar from runs")})
    assert {f"runs/day={day}/runs.parquet" for day in days} <= files(folder)
    assert (len(days), len(exported.written), exported.unchanged, exported.deleted) == (2, 14, 0, {})


def test_next_export_writes_only_days_that_have_changed(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive([*agent_spans.trip(1), *move(agent_spans.trip(2), days=1)])
        store.revise(1, 2)
        run_export(store, tmp_path / "lake")
        assert run_export(store, tmp_path / "lake").written == ()
        evaluate(store, PASSES)
        with store.results.transaction() as connection:
            connection.execute("delete from scores where agent_trace_id like '%2-%'")
        store.arrive(move([agent_spans.tool(9, parent=1, trace=2, at_s=6)], days=1))
        exported = run_export(store, tmp_path / "lake")
        assert find_differences(store, tmp_path / "lake") == {}
        assert written(exported.written) == {"runs", "agent_traces", "scores", "spans"}
        assert run_export(store, tmp_path / "lake", rewrites_all=True).unchanged == 0
        assert find_differences(store, tmp_path / "lake") == {}


def test_superseded_restored_and_moved_scores_are_exported_as_they_are_now(tmp_path: Path) -> None:
    *early, answer = agent_spans.trip()
    with opened(tmp_path, now=(clock := Clock())) as store:
        store.ledger.enrol([ANSWERS])
        store.arrive(early)
        store.revise(1)
        store.evaluate(ANSWERS)
        run_export(store, tmp_path / "lake")
        clock.pass_by(seconds=-60)  # a clock that was set back hides nothing
        store.arrive([answer])
        store.revise(1)
        store.evaluate(ANSWERS)
        annotate(store, passed=True)
        assert written(run_export(store, tmp_path / "lake").written) >= {"scores", "runs", "messages"}
        assert find_differences(store, tmp_path / "lake") == {}
        evaluate(store, FAILS)
        annotate(store, passed=False)
        run_export(store, tmp_path / "lake")
        assert find_differences(store, tmp_path / "lake") == {}
        with store.results.transaction() as connection:
            connection.execute("update scores set superseded_at = null, superseded_reason = null")
        assert written(run_export(store, tmp_path / "lake").written) == {"scores"}
        assert find_differences(store, tmp_path / "lake") == {}


def test_call_whose_result_a_run_of_a_later_day_brings_is_exported_again(tmp_path: Path) -> None:
    later = replace(linked.LAST_REQUEST, days=2)
    with opened(tmp_path) as store:
        linked.keep(store, linked.FIRST_REQUEST)
        run_export(store, tmp_path / "lake")
        linked.keep(store, later)
        assert linked.calls(store) == [("search", "ok", "AF007", None)]
        run_export(store, tmp_path / "lake")
        assert find_differences(store, tmp_path / "lake") == {}
        linked.keep(store, replace(later, history=(linked.ASKED,)))
        assert linked.calls(store) == [("search", None, None, None)]
        run_export(store, tmp_path / "lake")
        assert find_differences(store, tmp_path / "lake") == {}


def test_vanished_run_is_listed_as_deleted_and_its_files_are_gone(tmp_path: Path) -> None:
    lone, agent = otlp.run_id(1, 2), otlp.run_id(1)
    with opened(tmp_path) as store:
        store.arrive([agent_spans.chat(2, parent=7, at_s=20)])
        store.revise(1)
        run_export(store, tmp_path / "lake")
        store.arrive([agent_spans.agent(1, for_s=60)])
        store.revise(1)
        exported = run_export(store, tmp_path / "lake")
        assert exported.deleted == {"agent_traces": 1, "runs": 1}
        assert list_deleted(tmp_path / "lake") == [(2, "agent_traces", lone), (2, "runs", lone)]
        store.arrive([agent_spans.span(7, at_s=20)])
        store.revise(1)
        assert run_export(store, tmp_path / "lake").deleted == {}
        assert find_differences(store, tmp_path / "lake") == {}
        assert store.rows("select agent_trace_id from runs order by 1") == [(agent,), (lone,)]


def test_run_that_moves_to_another_day_is_not_deleted(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip())
        store.revise(1)
        run_export(store, tmp_path / "lake")
        first = files(tmp_path / "lake")
        with store.results.transaction() as connection:
            connection.execute("update agent_traces set started_at = started_at + interval 2 days")
        exported = run_export(store, tmp_path / "lake")
        assert find_differences(store, tmp_path / "lake") == {}
    assert exported.deleted == {}
    assert {file for file in first if "/day=" in file} & files(tmp_path / "lake") == {
        file for file in first if file.startswith("spans/")
    }


@pytest.mark.parametrize("moves", [0, 1, 2, 5])
def test_crash_in_the_midst_leaves_whole_files_and_the_next_export_finishes(
    tmp_path: Path, moves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stops after so many files were moved to their places."""
    lone = otlp.run_id(1, 2)
    folder = tmp_path / "lake"
    with opened(tmp_path) as store:
        store.arrive([agent_spans.chat(2, parent=7, at_s=20)])
        store.revise(1)
        run_export(store, folder)
        store.arrive([agent_spans.agent(1, for_s=60)])
        store.revise(1)
        store.add_runs(3)
        with monkeypatch.context() as patch:
            patch.setattr(ExportFolder, "publish", _stop_after(moves))
            with pytest.raises(KeyboardInterrupt):
                run_export(store, folder)
        for file in files(folder):
            with duckdb.connect() as connection:
                connection.execute(f"from '{folder / file}'").fetchall()
        assert orjson.loads((folder / STATE).read_bytes())["exports"] == 1
        run_export(store, folder)
        assert find_differences(store, folder) == {}
        assert list_deleted(folder) == [(2, "agent_traces", lone), (2, "runs", lone)]
        assert list(folder.rglob("*.part")) == []


def _stop_after(moves: int) -> object:
    def publish(folder: ExportFolder, paths: Iterable[Path], *_: object) -> None:
        for file in [*paths][:moves]:
            file.with_name(f"{file.name}.part").replace(file)
        raise KeyboardInterrupt

    return publish


def test_file_that_someone_deleted_is_written_again(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.add_runs()
        run_export(store, tmp_path / "lake")
        (file,) = (tmp_path / "lake").glob("messages/*/*.parquet")
        file.unlink()
        assert run_export(store, tmp_path / "lake").written == (file,)
        assert find_differences(store, tmp_path / "lake") == {}


def test_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/notes.txt").write_text("x")
    with opened(tmp_path) as store, pytest.raises(Fault, match="not the folder of an export"):
        run_export(store, tmp_path / "mine")
    (tmp_path / "mine" / STATE).write_text("x")
    with opened(tmp_path) as store, pytest.raises(Fault, match="is damaged"):
        run_export(store, tmp_path / "mine")


def test_two_exports_to_one_folder_do_not_mix(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        run_export(store, tmp_path / "lake")
        descriptor = os.open(tmp_path / "lake", os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            with pytest.raises(Fault, match="another process exports"):
                run_export(store, tmp_path / "lake")
        finally:
            os.close(descriptor)


def test_answer_that_breaks_off_publishes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path) as store:
        store.add_runs()
        monkeypatch.setattr(export_module, "stream_answer", _broken)
        with pytest.raises(Fault, match="interrupted"):
            run_export(store, tmp_path / "lake")
    assert files(tmp_path / "lake") == set()


def _broken(*_: object, **__: object) -> object:
    raise Fault("the server interrupted its answer")


class AnyCourseExported(AnyCourse):
    """Whatever happens in the store, an export of the changed days has what the store has."""

    @initialize()
    def begin(self) -> None:
        super().begin()
        self.lake = TemporaryDirectory()

    def teardown(self) -> None:
        super().teardown()
        if hasattr(self, "lake"):
            self.lake.cleanup()

    def _check(self) -> None:
        store: Store = self.simulation.store
        run_export(store, Path(self.lake.name))
        assert find_differences(store, Path(self.lake.name)) == {}


AnyCourseExported.TestCase.settings = settings(max_examples=6, stateful_step_count=10, deadline=None)
test_export_equals_the_store_at_any_moment = pytest.mark.exhaustive(AnyCourseExported.TestCase)
