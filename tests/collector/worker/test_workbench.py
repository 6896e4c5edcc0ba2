from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.support import agent_spans, judges
from tests.support.misbehaving_evaluators import Deed, does, pid_of
from tests.support.otlp import trace_id
from tests.support.recordings import RECORDINGS
from tests.support.run_batches import make_batch
from tests.support.store import Store, opened

from tracegrade.collector.assembly import assemble
from tracegrade.collector.otlp.decode import decode_logs, decode_spans
from tracegrade.collector.records.arrow_batch import Batch
from tracegrade.collector.store.arrivals import assembly_source
from tracegrade.collector.worker import client as workbenches
from tracegrade.collector.worker.client import AskedJudge, Workbench
from tracegrade.collector.worker.pool import Pool
from tracegrade.collector.worker.process import WorkbenchClosed, WorkerLost, WorkerProcess
from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.function_path import import_function
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.execution.run import InProcessWorkbench
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.model import AgentTrace
from tracegrade.evaluators.ports import EvaluationPass, JudgeCall, Spent
from tracegrade.evaluators.pricing.prices import Prices

pytestmark = pytest.mark.exhaustive  # workers that are killed and waited for take a minute and a half

pytestmark = pytest.mark.any_duckdb  # what becomes of workers; a store is only where their work comes from

ERRORS = configure("tool_error")
ROOT = Path(__file__).parents[3]


@contextmanager
def working(
    folder: Path, *, memory_bytes: int = 2**31, asked: AskedJudge | None = None
) -> Iterator[tuple[Store, Workbench]]:
    """A store and a workbench whose worker can import the evaluators of these tests."""
    with pytest.MonkeyPatch.context() as patch, opened(folder) as store:
        found_in = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *(str(Path(one).absolute()) for one in found_in)]))
        workbench = Workbench(store.results.schemas, memory_bytes=memory_bytes, asked=asked)
        try:
            yield store, workbench
        finally:
            workbench.close()


def test_trace_that_is_too_large_is_told_as_far_as_it_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(assembly_source.LARGEST_TRACE, "most_spans", 3)
    with working(tmp_path) as (store, workbench):
        store.arrive([*agent_spans.trip(1), *agent_spans.trip(2)[:3]])
        assembled = workbench.assemble(*assembly_source.sources(store.database, [trace_id(1), trace_id(2)]))
    rows = assembled.tables["agent_traces"].to_pylist()
    assert {row["trace_id"]: (row["llm_call_count"], "too_large" in row["gaps"]) for row in rows} == {
        trace_id(1): (1, True),
        trace_id(2): (1, False),
    }


def test_log_records_are_a_run_though_no_span_of_their_trace_came(tmp_path: Path) -> None:
    recording = next(one for one in RECORDINGS if str(one) == "codex-0.120-s2_tool_error")
    with working(tmp_path) as (store, workbench):
        store.arrivals.write([], decode_logs(recording.logs_body).rows)
        assembled = workbench.assemble(*assembly_source.sources(store.database, list(recording.spans)))
    (run,) = assembled.tables["agent_traces"].to_pylist()
    assert (run["completeness"], run["model"]) == ("partial", "gpt-4.1-mini")
    assert assembled.tables["tool_calls"].num_rows == 3


def test_spans_of_a_trace_are_read_up_to_a_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(assembly_source.LARGEST_TRACE, "most_bytes", 3_000)
    with opened(tmp_path) as store:
        store.arrive(
            [agent_spans.agent(1), *(agent_spans.tool(n, parent=1, result="x" * 1000, at_s=n) for n in range(2, 9))]
        )
        spans, _ = assembly_source.sources(store.database, [trace_id(1)])
    assert (spans.num_rows, spans.column("spans_in_trace").to_pylist()[0]) == (3, 8)


def runs(*names: str) -> Batch[AgentTrace]:
    return make_batch(
        run for trace, name in enumerate(names, 1) for run in assemble(agent_spans.trip(trace, name=name))
    )


def nobody(_: Sequence[ScoreRecord]) -> None:
    """Keeps no score before its pass ends."""


def summarize(scores: Any) -> list[tuple[str | None, str, str]]:
    return sorted((one.agent_name, one.evaluator, one.status) for one in scores)


def reasons(scores: Any) -> set[str]:
    return {one.reason for one in scores if one.status == "error"}


def worker_pid(workbench: Workbench) -> int:
    [score] = workbench.evaluate(runs("travel"), [does(Deed.TELL_PID, name="pid")])
    return pid_of(score.label)


def without_time(score: ScoreRecord) -> dict[str, Any]:
    measured = {"scored_at", "duration_ms"}
    return {name: getattr(score, name) for name in ScoreRecord.__dataclass_fields__ if name not in measured}


def test_worker_assembles_what_the_store_holds_as_it_would_be_assembled_here(tmp_path: Path) -> None:
    recording = next(one for one in RECORDINGS if str(one) == "util-genai-s5_conversation")
    with working(tmp_path) as (store, workbench):
        store.arrivals.write(decode_spans(recording.traces_body).rows, [])
        assembled = workbench.assemble(*assembly_source.sources(store.database, list(recording.spans)))
    tables = {name: table.to_pylist() for name, table in assembled.tables.items()}
    here = [run for of_trace in recording.spans.values() for run in assemble(of_trace)]
    assert {run["fingerprint"] for run in tables["agent_traces"]} == {run.fingerprint for run in here}
    assert [call["name"] for call in tables["tool_calls"]] == ["search_flights", "book_hotel"]
    assert assembled.failed == {}


def test_worker_prices_what_it_assembles_by_the_prices_that_are_active(tmp_path: Path) -> None:
    prices = Prices(input_usd_per_million=10_000, output_usd_per_million=0)
    with working(tmp_path) as (store, workbench):
        store.arrive(agent_spans.trip())
        sources = assembly_source.sources(store.database, [agent_spans.trip()[0].trace_id])
        listed = workbench.assemble(*sources).tables["agent_traces"].to_pylist()
        workbench.change_prices({"gpt-4.1*": prices})
        priced = workbench.assemble(*sources).tables["agent_traces"].to_pylist()
    assert [run["cost_usd"] for run in priced] == [2.0]
    assert listed[0]["cost_usd"] == pytest.approx(200 * 0.4e-6 + 20 * 1.6e-6)
    assert listed[0]["fingerprint"] == priced[0]["fingerprint"]


def test_worker_judges_as_one_would_judge_here(tmp_path: Path) -> None:
    traces, evaluators = runs("travel", "clerk"), [ERRORS, configure("tool_efficiency")]
    with working(tmp_path) as (_, workbench):
        there = workbench.evaluate(traces, evaluators)
    here = InProcessWorkbench().evaluate(traces, evaluators)
    assert list(map(without_time, there)) == list(map(without_time, here))


def test_worker_is_another_process_that_gives_way_to_the_server(tmp_path: Path) -> None:
    with working(tmp_path) as (_, workbench):
        pid = worker_pid(workbench)
        assert pid != os.getpid()
        assert psutil.Process(pid).nice() == 10
        assert worker_pid(workbench) == pid


def test_worker_is_started_by_the_first_job_and_ends_with_the_workbench(tmp_path: Path) -> None:
    with working(tmp_path) as (_, workbench):
        assert workbench.pid is None
        pid = worker_pid(workbench)
        workbench.close()
        assert not psutil.pid_exists(pid)
        with pytest.raises(WorkbenchClosed):
            workbench.evaluate(runs("travel"), [ERRORS])


def test_evaluator_that_ends_the_worker_gets_an_error_and_everything_else_its_score(tmp_path: Path) -> None:
    with working(tmp_path) as (_, workbench):
        pid = worker_pid(workbench)
        scores = workbench.evaluate(runs("a", "b", "culprit", "c", "d"), [ERRORS, does(Deed.EXIT, to="culprit")])
        assert summarize(scores) == sorted(
            (name, evaluator, "error" if (name, evaluator) == ("culprit", "deed") else "scored")
            for name in ("a", "b", "culprit", "c", "d")
            for evaluator in ("tool_error", "deed")
        )
        [error] = [one for one in scores if one.status == "error"]
        assert error.reason == "the evaluation was stopped: it ended the worker process (exit status 3)"
        assert worker_pid(workbench) != pid


def deaths(folder: Path, times: int) -> Batch[AgentTrace]:
    """A run over which workers are killed so many times."""
    folder.mkdir()
    for number in range(times):
        (folder / str(number)).touch()
    [run] = runs("travel")
    return make_batch([run.model_copy(update={"input": str(folder)})])


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("is_pooled", [False, True], ids=["in a worker of its own", "in a pool"])
def test_evaluator_alone_on_one_run_is_asked_again_when_its_worker_was_killed(
    tmp_path: Path, times: int, *, is_pooled: bool
) -> None:
    with working(tmp_path) as (_, workbench):
        bench = Pool([workbench]) if is_pooled else workbench
        scores = bench.evaluate(deaths(tmp_path / "deaths", times), [does(Deed.DIE)])
        assert summarize(scores) == [("travel", "deed", "scored")]


def test_run_over_which_every_worker_is_killed_gets_an_error_that_says_so(tmp_path: Path) -> None:
    with working(tmp_path) as (_, workbench):
        scores = workbench.evaluate(deaths(tmp_path / "deaths", 50), [does(Deed.DIE), ERRORS])
        assert summarize(scores) == [("travel", "deed", "error"), ("travel", "tool_error", "scored")]
        assert reasons(scores) == {
            "the evaluation was stopped: the worker process was killed (SIGKILL), perhaps because memory ran out"
        }


def test_judge_is_asked_again_when_its_worker_was_killed_over_one_run(tmp_path: Path) -> None:
    book, this = FullDisk(), EvaluationPass("the pass", datetime(2026, 1, 1))  # noqa: DTZ001 - as the store keeps it
    book.is_full = False
    judge = Judge(python=f"{judges.__name__}:{judges.mortal.__name__}")
    splendid = build({"use": "geval", "options": {"steps": ["Is it splendid?"], "evidence": ["input"]}})
    with working(tmp_path, asked=AskedJudge("default", judge, book)) as (_, workbench):
        found = workbench.ask(this, deaths(tmp_path / "deaths", 1), [splendid], nobody)
        assert summarize(found.scores) == [("travel", "geval", "scored")]


def test_evaluator_that_never_comes_back_gets_an_error_after_the_time_limit_of_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbenches, "SLACK_S", 1.3)
    with working(tmp_path) as (_, workbench):
        scores = workbench.evaluate(runs("travel"), [does(Deed.HOLD, timeout_s=0.2)])
        assert summarize(scores) == [("travel", "deed", "error")]
        assert reasons(scores) == {"the evaluation was stopped: no answer within 1.5 s"}


def test_evaluator_that_forks_is_heard_once_and_disturbs_nobody(tmp_path: Path) -> None:
    with working(tmp_path) as (_, workbench):
        pid = worker_pid(workbench)
        scores = workbench.evaluate(runs("a", "b"), [does(Deed.FORK), ERRORS])
        assert [(one.evaluator, one.value) for one in scores] == [("deed", 0.1), ("tool_error", 1.0)] * 2
        assert worker_pid(workbench) == pid


def test_what_an_evaluator_has_started_ends_with_the_worker(tmp_path: Path) -> None:
    with working(tmp_path) as (_, workbench):
        [score] = workbench.evaluate(runs("a"), [does(Deed.LEAVE_CHILD)])
        left = psutil.Process(pid_of(score.label))
        workbench.close()
        left.wait(5)


@pytest.mark.parametrize("deed", [Deed.HANG, Deed.CATCH_ALL])
def test_evaluator_that_takes_too_long_gets_an_error_and_the_worker_stays(tmp_path: Path, deed: Deed) -> None:
    with working(tmp_path) as (_, workbench):
        pid = worker_pid(workbench)
        scores = workbench.evaluate(runs("a", "slow", "b"), [does(deed, to="slow", timeout_s=0.2), ERRORS])
        assert summarize(scores) == [
            ("a", "deed", "scored"),
            ("a", "tool_error", "scored"),
            ("b", "deed", "scored"),
            ("b", "tool_error", "scored"),
            ("slow", "deed", "error"),
            ("slow", "tool_error", "scored"),
        ]
        assert reasons(scores) == {"TimeoutError: took longer than 0.2 s"}
        assert worker_pid(workbench) == pid


def test_job_may_take_longer_than_the_time_limit_as_long_as_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbenches, "SLACK_S", 1.5)
    with working(tmp_path) as (_, workbench):
        pid = worker_pid(workbench)
        names = [f"agent {number}" for number in range(6)]
        scores = workbench.evaluate(runs(*names), [does(Deed.HANG, timeout_s=0.5)])
        assert [one.status for one in scores] == ["error"] * 6
        assert worker_pid(workbench) == pid


def test_evaluator_that_eats_memory_gets_an_error_and_the_worker_stays(tmp_path: Path) -> None:
    # NumPy, where it is installed, takes 90 MB with its import
    with working(tmp_path, memory_bytes=600 * 2**20) as (_, workbench):
        pid = worker_pid(workbench)
        scores = workbench.evaluate(runs("a", "hungry", "b"), [does(Deed.EAT, to="hungry"), ERRORS])
        assert [one.status for one in scores].count("scored") == 5
        assert reasons(scores) == {"MemoryError: needed more than the 600 MiB of the worker"}
        assert worker_pid(workbench) == pid


def test_evaluator_that_keeps_the_memory_it_took_gets_an_error_and_the_worker_is_replaced(tmp_path: Path) -> None:
    with working(tmp_path, memory_bytes=400 * 2**20) as (_, workbench):
        pid = worker_pid(workbench)
        scores = workbench.evaluate(runs("a", "hoarder", "b"), [does(Deed.HOARD, to="hoarder"), ERRORS])
        assert [one.status for one in scores].count("scored") == 5
        assert reasons(scores) == {"the evaluation was stopped: memory ran out, and was not given back"}
        assert worker_pid(workbench) != pid


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        (Deed.LEAVE, "RuntimeError: it raised SystemExit: 3"),
        (Deed.GO_OUT, "RuntimeError: it raised _Unexpected: out"),
        (Deed.RAISE, "LookupError: the evaluator's own fault"),
    ],
)
def test_whatever_an_evaluator_raises_is_an_error_of_its_own(tmp_path: Path, deed: Deed, reason: str) -> None:
    with working(tmp_path) as (_, workbench):
        pid = worker_pid(workbench)
        scores = workbench.evaluate(runs("a"), [does(deed), ERRORS])
        assert summarize(scores) == [("a", "deed", "error"), ("a", "tool_error", "scored")]
        assert reasons(scores) == {reason}
        assert worker_pid(workbench) == pid


@pytest.mark.parametrize("deed", [Deed.ALTER, Deed.CLOSE, Deed.PRINT])
def test_what_an_evaluator_does_to_the_process_harms_no_other(tmp_path: Path, deed: Deed) -> None:
    validity = configure("tool_call_validity")
    with working(tmp_path) as (_, workbench):
        pid = worker_pid(workbench)
        scores = workbench.evaluate(runs("a", "b"), [does(deed), ERRORS, validity])
        untouched = InProcessWorkbench().evaluate(runs("a", "b"), [ERRORS, validity])
        others = [one for one in scores if one.evaluator != "deed"]
        assert list(map(without_time, others)) == list(map(without_time, untouched))
        assert [one.value for one in scores if one.evaluator == "deed"] == [1.0, 1.0]
        assert worker_pid(workbench) == pid


def test_evaluator_that_changes_directory_and_environment_changes_them_for_itself(tmp_path: Path) -> None:
    tells = does(Deed.TELL_PLACES, name="tells")
    with working(tmp_path) as (_, workbench):
        [before] = workbench.evaluate(runs("a"), [tells])
        scores = workbench.evaluate(runs("a", "b"), [does(Deed.CHANGE_PLACES), tells])
        assert {one.label for one in scores if one.evaluator == "tells"} == {before.label}
        assert before.label == f"{Path.cwd()} None True"


def test_evaluators_are_asked_though_the_working_directory_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (gone := tmp_path / "gone").mkdir()
    with working(tmp_path) as (_, workbench):
        monkeypatch.chdir(gone)
        pid = worker_pid(workbench)
        monkeypatch.chdir(tmp_path)
        gone.rmdir()
        scores = workbench.evaluate(runs("a", "b"), [does(Deed.PRINT)])
        assert summarize(scores) == [("a", "deed", "scored"), ("b", "deed", "scored")]
        assert worker_pid(workbench) == pid


def test_what_an_evaluator_prints_is_no_part_of_what_a_command_prints(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with working(tmp_path) as (_, workbench):
        workbench.evaluate(runs("a"), [does(Deed.PRINT)])
        workbench.close()
    assert "a deed" not in capfd.readouterr().out


def test_evaluator_that_always_ends_the_worker_is_given_up_for_the_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbenches, "MOST_LOST", 2)
    names = [f"agent {number}" for number in range(8)]
    with working(tmp_path) as (_, workbench):
        scores = workbench.evaluate(runs(*names), [does(Deed.EXIT), ERRORS])
        assert [one.status for one in scores if one.evaluator == "tool_error"] == ["scored"] * 8
        given_up = [one.reason or "" for one in scores if one.evaluator == "deed"]
        assert ["not tried" in reason for reason in given_up] == [False] * 2 + [True] * 6


def test_evaluator_that_is_configured_anew_is_asked_in_its_new_form(tmp_path: Path) -> None:
    strict = build({"use": "tool_efficiency", "name": "mine", "options": {"ignore_retry_after_error": False}})
    with working(tmp_path) as (_, workbench):
        for evaluator in (build({"use": "tool_error", "name": "mine"}), strict):
            [score] = workbench.evaluate(runs("a"), [evaluator])
            assert (score.evaluator_type, score.config_hash) == (evaluator.type, evaluator.config_hash)


def test_programs_and_combinations_are_asked_in_the_worker(tmp_path: Path) -> None:
    spec = {"combine": {"how": "mean", "of": ["errors"], "members": {"errors": {"use": "tool_error"}}}, "name": "all"}
    legacy = build({"command": [sys.executable, "-c", "print(0.5)"], "name": "legacy"}, resolve=import_function)
    with working(tmp_path) as (_, workbench):
        scores = workbench.evaluate(runs("a"), [build(spec, resolve=import_function), legacy])
        assert summarize(scores) == [("a", "all", "scored"), ("a", "legacy", "scored")]


def test_evaluator_that_raises_gets_an_error_and_the_worker_stays(tmp_path: Path) -> None:
    with working(tmp_path) as (_, workbench):
        pid = worker_pid(workbench)
        scores = workbench.evaluate(runs("a", "b"), [does(Deed.RAISE, to="a"), ERRORS])
        assert summarize(scores) == [
            ("a", "deed", "error"),
            ("a", "tool_error", "scored"),
            ("b", "deed", "scored"),
            ("b", "tool_error", "scored"),
        ]
        assert {one.reason for one in scores if one.reason} == {"LookupError: the evaluator's own fault"}
        assert worker_pid(workbench) == pid


def test_interrupt_from_the_keyboard_does_not_end_the_worker(tmp_path: Path) -> None:
    with working(tmp_path) as (_, workbench):
        pid = worker_pid(workbench)
        os.kill(pid, signal.SIGINT)
        assert worker_pid(workbench) == pid


def test_worker_that_is_killed_between_two_jobs_is_replaced(tmp_path: Path) -> None:
    with working(tmp_path) as (_, workbench):
        pid = worker_pid(workbench)
        os.kill(pid, signal.SIGKILL)
        psutil.wait_procs([psutil.Process(pid)], timeout=5)
        assert summarize(workbench.evaluate(runs("travel"), [ERRORS])) == [("travel", "tool_error", "scored")]


def test_trace_is_assembled_though_the_worker_was_killed_over_it(tmp_path: Path) -> None:
    with working(tmp_path) as (store, workbench):
        store.arrive(agent_spans.trip())
        os.kill(worker_pid(workbench), signal.SIGKILL)
        assembled = workbench.assemble(*assembly_source.sources(store.database, [agent_spans.trip()[0].trace_id]))
        assert (assembled.tables["agent_traces"].num_rows, assembled.failed) == (1, {})


def test_trace_that_cannot_be_assembled_is_named_and_the_others_are_assembled(tmp_path: Path) -> None:
    with working(tmp_path) as (store, workbench):
        store.arrive([span for trace in (1, 2, 3) for span in agent_spans.trip(trace)])
        with store.results.transaction() as connection:
            connection.execute("""update spans set attributes = '"no object"' where trace_id like '%2'""")
        trace_ids = [agent_spans.trip(trace)[0].trace_id for trace in (1, 2, 3)]
        assembled = workbench.assemble(*assembly_source.sources(store.database, trace_ids))
        assert assembled.failed.keys() == {trace_ids[1]}
        assert sorted(assembled.tables["agent_traces"].column("trace_id").to_pylist()) == [trace_ids[0], trace_ids[2]]


def test_nothing_to_assemble_needs_no_worker(tmp_path: Path) -> None:
    with working(tmp_path) as (store, workbench):
        assembled = workbench.assemble(*assembly_source.sources(store.database, ["0" * 32]))
        assert assembled.tables["agent_traces"].num_rows == 0
        assert workbench.pid is None


class FullDisk:
    """A book that nobody can write into, until there is room again."""

    def __init__(self) -> None:
        self.is_full = True
        self.calls: list[JudgeCall] = []

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, JudgeCall]:
        return {call.request_hash: call for call in self.calls if call.request_hash in request_hashes}

    def record(self, calls: Sequence[JudgeCall]) -> None:
        if self.is_full:
            raise OSError("no space left on device")
        self.calls += calls

    def spent(self, judge: str, since: datetime) -> Mapping[str, Spent]:
        return {}


def test_answer_that_cannot_be_kept_blames_no_run_and_the_worker_goes_on_once_it_can(tmp_path: Path) -> None:
    book, this = FullDisk(), EvaluationPass("the pass", datetime(2026, 1, 1))  # noqa: DTZ001 - as the store keeps it
    judge = Judge(python=f"{judges.__name__}:{judges.delighted.__name__}")
    splendid = build({"use": "geval", "options": {"steps": ["Is it splendid?"], "evidence": ["input"]}})
    with working(tmp_path, asked=AskedJudge("default", judge, book)) as (_, workbench):
        with pytest.raises(OSError, match="no space left"):
            workbench.ask(this, runs("travel"), [splendid], nobody)
        pid, book.is_full = workbench.pid, False
        [score] = workbench.ask(this, runs("travel"), [splendid], nobody).scores
        assert (score.value, workbench.pid) == (1.0, pid)
    assert [call.from_cache for call in book.calls] == [False, True]


@pytest.mark.parametrize("is_full", [False, True], ids=["which keeps them", "which cannot keep them yet"])
def test_scores_reach_the_server_before_the_last_question_is_answered(tmp_path: Path, *, is_full: bool) -> None:
    kept: list[ScoreRecord] = []
    awaited = tmp_path / "awaited"

    def keep(scores: Sequence[ScoreRecord]) -> None:
        kept.extend(scores)
        awaited.touch()
        if is_full:
            raise OSError("no space left on device")

    book, this = FullDisk(), EvaluationPass("the pass", datetime(2026, 1, 1))  # noqa: DTZ001 - as above
    judge = Judge(python=f"{judges.__name__}:{judges.patient.__name__}")
    splendid = build({"use": "geval", "options": {"steps": ["Is it splendid?"], "evidence": ["input"]}})
    quick, slow = runs("quick", "slow")
    asked = make_batch([quick, slow.model_copy(update={"input": f"wait for {awaited}, please"})])
    book.is_full = False
    with working(tmp_path, asked=AskedJudge("default", judge, book)) as (_, workbench):
        found = workbench.ask(this, asked, [splendid], keep)
    assert summarize(kept) == [("quick", "geval", "scored")]
    assert summarize(found.scores) == [("quick", "geval", "scored"), ("slow", "geval", "scored")]


class OddBook(FullDisk):
    """A book whose answers cannot be sent to a worker."""

    def lookup(self, request_hashes: Collection[str]) -> Mapping[str, Any]:
        return dict.fromkeys(request_hashes, threading.Lock())


def test_job_that_cannot_be_sent_blames_no_run(tmp_path: Path) -> None:
    with working(tmp_path) as (_, workbench):
        with pytest.raises(TypeError, match="pickle"):
            workbench.evaluate(runs("travel"), [replace(ERRORS, spec={"use": threading.Lock()})])
        assert summarize(workbench.evaluate(runs("travel"), [ERRORS])) == [("travel", "tool_error", "scored")]


def test_answer_that_cannot_be_sent_blames_no_run_and_no_worker_waits_for_it(tmp_path: Path) -> None:
    this, judge = EvaluationPass("the pass", datetime(2026, 1, 1)), Judge(python="anybody:answers")  # noqa: DTZ001 - as above
    splendid = build({"use": "geval", "options": {"steps": ["Is it splendid?"], "evidence": ["input"]}})
    with working(tmp_path, asked=AskedJudge("default", judge, OddBook())) as (_, workbench):
        with pytest.raises(TypeError, match="pickle"):
            workbench.ask(this, runs("travel"), [splendid], nobody)
        assert workbench.pid is None


def test_worker_says_that_it_does_not_know_a_verb(tmp_path: Path) -> None:
    with working(tmp_path) as (store, _):
        process = WorkerProcess(store.results.schemas, memory_bytes=2**31)
        with pytest.raises(WorkerLost, match="no verb 'dance'"):
            process.do("dance", {}, (), silence_s=10)
        process.close()


def test_worker_that_is_killed_before_it_is_there_does_no_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen
    with working(tmp_path) as (_, workbench):

        def start_too_late(*command: Any, **how: Any) -> subprocess.Popen[bytes]:
            workbench.kill()
            started.append(start(*command, **how))
            return started[0]

        monkeypatch.setattr(subprocess, "Popen", start_too_late)
        with pytest.raises(WorkbenchClosed):
            workbench.evaluate(runs("travel"), [ERRORS])
        assert [one.returncode for one in started] == [-signal.SIGKILL]


def test_worker_that_is_renewed_while_a_job_begins_is_replaced_before_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    poll = subprocess.Popen.poll

    def renew_and_poll(process: subprocess.Popen[bytes]) -> int | None:
        workbench.renew()
        return poll(process)

    with working(tmp_path) as (_, workbench):
        pid = worker_pid(workbench)
        with monkeypatch.context() as patch:
            patch.setattr(subprocess.Popen, "poll", renew_and_poll)
            worker_pid(workbench)
        assert worker_pid(workbench) != pid


def test_process_that_cannot_be_started_blames_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with working(tmp_path) as (_, workbench):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "executable", str(tmp_path / "nowhere"))
            for _ in range(2):
                with pytest.raises(FileNotFoundError):
                    workbench.evaluate(runs("travel"), [ERRORS])
        assert summarize(workbench.evaluate(runs("travel"), [ERRORS])) == [("travel", "tool_error", "scored")]


@pytest.mark.parametrize("verb", ["assemble", "evaluate"])
def test_job_that_is_cut_off_by_the_end_of_the_server_blames_nobody(tmp_path: Path, verb: str) -> None:
    with working(tmp_path) as (store, workbench):
        store.arrive(agent_spans.trip())
        stopped = worker_pid(workbench)
        os.kill(stopped, signal.SIGSTOP)
        killer = threading.Timer(0.2, workbench.kill)
        killer.start()
        with pytest.raises(WorkbenchClosed):
            if verb == "assemble":
                workbench.assemble(*assembly_source.sources(store.database, [agent_spans.trip()[0].trace_id]))
            else:
                workbench.evaluate(runs("travel"), [ERRORS])
        killer.join()
        assert not psutil.pid_exists(stopped)


def test_worker_never_opens_the_store(tmp_path: Path) -> None:
    with working(tmp_path) as (store, workbench):
        opened_files = {file.path for file in psutil.Process(worker_pid(workbench)).open_files()}
        assert str(store.database.path) not in opened_files
        assert not any("duckdb" in one.path for one in psutil.Process(worker_pid(workbench)).memory_maps())
