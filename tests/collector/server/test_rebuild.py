"""Stored spans assembled again, on a real store, with a clock that is moved and at a program that dies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans, otlp
from tests.support.evaluators import make_evaluator
from tests.support.feedback import make_record
from tests.support.otlp import run_id
from tests.support.simulation import Moment, Simulation

from tracegrade.collector.otlp.decode import decode_logs
from tracegrade.collector.spans.span import Span
from tracegrade.collector.store.engines.duckdb_file import opening
from tracegrade.collector.store.results import rebuilds
from tracegrade.collector.worker.client import Assembled
from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.model import AgentTrace, Score
from tracegrade.queries.ports import Rebuild, RebuildUnderWay

TABLES = ("agent_traces", "tool_calls", "messages", "llm_calls", "tool_definitions", "scores", "offered_tools")
INTERNAL = ("feedback", "deferrals", "waiting_traces", "vanished_runs")
PROGRESS = "traces, done, arriving, deferred, failed, same_runs, changed_runs, new_runs, vanished_runs"
OFFERED = {"gen_ai.tool.definitions": json.dumps([{"name": "search", "description": "Finds flights by city."}])}


def count_turns(turns: tuple[AgentTrace, ...]) -> Score:
    return Score(value=1.0, details={"turns": len(turns)})


SESSION = make_evaluator("session", count_turns, scope="session")
EVALUATORS = (configure("tool_error"), configure("tool_description_reliability"), SESSION)


def trip(trace: int, *, at_s: float = 0.0) -> list[Span]:
    """A trip in a session, of an agent that offers a tool."""
    agent, *others = agent_spans.trip(trace)
    shift_ns = round(at_s * 1e9)
    spans = [replace(agent, attributes={**agent.attributes, **OFFERED, "gen_ai.conversation.id": "s"}), *others]
    return [replace(span, start_ns=span.start_ns + shift_ns, end_ns=span.end_ns + shift_ns) for span in spans]


@contextmanager
def simulation(
    folder: Path, *traces: Iterable[Span], evaluators: Iterable[Configured] = EVALUATORS, **more: Any
) -> Iterator[Simulation]:
    """A store in which these traces have been assembled and evaluated."""
    program = Simulation(folder, *evaluators, **more)
    try:
        for spans in traces:
            program.export(spans)
        program.wait(600)
        program.judge()
        yield program
    finally:
        program.close()


def contents(program: Simulation) -> dict[str, list[tuple[Any, ...]]]:
    """Everything that is derived from spans, and what was said of it."""
    return {table: program.store.rows(f"select * from {table} order by all") for table in (*TABLES, *INTERNAL)}


def progress(program: Simulation) -> dict[str, int]:
    """What the last rebuild did: the figures that are not 0."""
    [row] = program.store.rows(f"select {PROGRESS} from rebuilds order by rebuild_id desc limit 1")
    return {name: count for name, count in zip(PROGRESS.split(", "), row, strict=True) if count}


def write(program: Simulation, sql: str, **parameters: Any) -> None:
    """Changes the store behind the program's back."""
    with program.store.results.transaction() as connection:
        connection.execute(sql, parameters or None)


def in_portions_of(monkeypatch: pytest.MonkeyPatch, traces: int) -> None:
    monkeypatch.setattr(rebuilds, "_TRACES", traces)


def test_rebuild_after_no_change_keeps_every_row_and_asks_for_no_evaluation(tmp_path: Path) -> None:
    with simulation(tmp_path, trip(1), trip(2, at_s=20)) as program:
        program.arrive(logs=decode_logs(otlp.logs_request([make_record(1)])).rows)
        program.wait(300)
        before = contents(program)
        assert {row[0] for row in program.active("evaluator")} == {
            "polite",
            "session",
            "tool_description_reliability",
            "tool_error",
        }
        program.rebuild()
        program.judge()
        assert contents(program) == before
        assert progress(program) == {"traces": 2, "done": 2, "same_runs": 2}
        assert program.store.rows("from rebuild_traces") == []


def test_rows_of_runs_that_are_the_same_are_written_again(tmp_path: Path) -> None:
    with simulation(tmp_path, trip(1)) as program:
        before = contents(program)
        write(program, "update agent_traces set cost_usd = 9, error_count = 9, rows_hash = null")
        write(program, "update messages set content = null")
        program.rebuild()
        assert contents(program) == before


def test_changed_run_gets_a_new_revision_and_is_evaluated_again(tmp_path: Path) -> None:
    revisions = "select trace_id, revision, assembled_seq from agent_traces order by 1"
    with simulation(tmp_path, agent_spans.trip(1), agent_spans.trip(2), evaluators=EVALUATORS[:1]) as program:
        write(program, "update tool_calls set result = 'XX1' where trace_id = $id", id=otlp.trace_id(1))
        write(program, "update agent_traces set fingerprint = 'of an older version'")
        program.rebuild()
        assert progress(program) == {"traces": 2, "done": 2, "same_runs": 1, "changed_runs": 1}
        assert program.store.rows(revisions) == [(otlp.trace_id(1), 2, 3), (otlp.trace_id(2), 1, 2)]
        assert program.store.rows("select result from tool_calls where trace_id = $id", id=otlp.trace_id(1)) == [
            ("AF007",)
        ]
        program.judge()
        scores = "select trace_id, revision, superseded_at is null from scores order by all"
        assert program.store.rows(scores) == [
            (otlp.trace_id(1), 1, False),
            (otlp.trace_id(1), 2, True),
            (otlp.trace_id(2), 1, True),
        ]


def test_run_that_is_found_now_is_new_and_one_that_is_none_any_more_vanishes(tmp_path: Path) -> None:
    with simulation(tmp_path, agent_spans.trip(1), evaluators=EVALUATORS[:1]) as program:
        for table in ("agent_traces", "tool_calls", "messages", "llm_calls", "scores"):
            write(program, f"update {table} set agent_trace_id = $id", id=run_id(1, 2))
        write(program, "update agent_traces set agent_span_id = $id", id=otlp.span_id(2))
        write(program, "update scores set score_id = 'of the former', target_id = agent_trace_id")
        program.rebuild()
        program.judge()
        assert progress(program) == {"traces": 1, "done": 1, "new_runs": 1, "vanished_runs": 1}
        assert program.runs("agent_trace_id, revision") == [(run_id(1), 1)]
        assert program.active("agent_trace_id") == [(run_id(1),)]


def test_runs_whose_spans_are_gone_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_portions_of(monkeypatch, 1)
    with simulation(tmp_path, trip(1), trip(2), trip(3)) as program:
        before = contents(program)
        write(program, "delete from spans where trace_id = $id", id=otlp.trace_id(1))
        program.stored_traces.begin(Rebuild())
        write(program, "delete from spans where trace_id = $id", id=otlp.trace_id(3))
        program.rebuild()
        program.judge()
        assert contents(program) == before
        assert progress(program) == {"traces": 2, "done": 2, "same_runs": 1}


def test_rebuild_since_a_time_looks_at_traces_with_a_span_that_began_then_or_later(tmp_path: Path) -> None:
    began = datetime(2026, 1, 1)  # noqa: DTZ001 - UTC without a zone, as the store has it
    with simulation(tmp_path, trip(1), trip(2, at_s=3600)) as program:
        write(program, "update agent_traces set cost_usd = 9")
        program.rebuild(since=began + timedelta(hours=1))
        assert program.runs("trace_id, cost_usd = 9") == [(otlp.trace_id(1), True), (otlp.trace_id(2), False)]
        assert progress(program) == {"traces": 1, "done": 1, "same_runs": 1}


def test_trace_that_is_arriving_is_left_to_the_assembly_of_new_spans(tmp_path: Path) -> None:
    agent, *children = trip(2)
    with simulation(tmp_path, trip(1)) as program:
        program.export(children)
        program.rebuild()
        assert progress(program) == {"traces": 2, "done": 2, "arriving": 1, "same_runs": 1}
        program.wait(5)
        program.rebuild()
        assert progress(program) == {"traces": 2, "done": 2, "arriving": 1, "same_runs": 1}
        assert program.runs("trace_id") == [(otlp.trace_id(1),)]
        program.export([agent])
        program.wait(5)
        assert program.runs("trace_id, revision") == [(otlp.trace_id(1), 1), (otlp.trace_id(2), 1)]


def test_program_that_dies_between_two_portions_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_portions_of(monkeypatch, 2)
    with simulation(tmp_path, *map(trip, range(1, 8))) as program:
        before = contents(program)
        with program.dying(Moment.BEFORE_REBUILDING):
            program.rebuild()
        program.judge()
        assert contents(program) == before
        assert progress(program) == {"traces": 7, "done": 7, "same_runs": 7}
        assert program.store.one("select count(*) from rebuilds") == 1


def test_portion_that_is_broken_off_counts_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_portions_of(monkeypatch, 2)
    with simulation(tmp_path, *map(trip, range(1, 5)), evaluators=EVALUATORS[:1]) as program:
        write(program, "update tool_calls set result = 'XX1'")
        write(program, "update agent_traces set fingerprint = 'of an older version'")
        program.stored_traces.begin(Rebuild())
        program.stored_traces.step()
        with monkeypatch.context() as patch, pytest.raises(InterruptedError):
            patch.setattr(rebuilds, "advance", interrupted)
            program.stored_traces.step()
        program.restart()
        assert progress(program) == {"traces": 4, "done": 2, "changed_runs": 2}
        assert sorted(program.runs("revision")) == [(1,), (1,), (2,), (2,)]
        program.rebuild()
        assert progress(program) == {"traces": 4, "done": 4, "changed_runs": 4}
        assert program.runs("revision") == [(2,), (2,), (2,), (2,)]


def interrupted(*_: object, **__: object) -> None:
    raise InterruptedError


def test_second_rebuild_joins_one_that_covers_it_and_is_refused_otherwise(tmp_path: Path) -> None:
    began = datetime(2026, 1, 1)  # noqa: DTZ001
    with simulation(tmp_path, trip(1)) as program:
        first = program.stored_traces.begin(Rebuild(since=began))
        assert not first.is_joined
        second = program.stored_traces.begin(Rebuild(since=began + timedelta(days=1)))
        assert second.is_joined
        assert second.rebuild_id == first.rebuild_id
        for since in (None, began - timedelta(days=1)):
            with pytest.raises(RebuildUnderWay, match="since 2026-01-01 00:00:00 UTC is under way"):
                program.stored_traces.begin(Rebuild(since=since))
        program.rebuild(since=began)
        program.rebuild()
        assert program.store.one("select count(*) from rebuilds where ended_at is not null") == 2


def test_run_with_many_revisions_that_changed_a_moment_ago_is_revised_a_minute_later(tmp_path: Path) -> None:
    with simulation(tmp_path, agent_spans.trip(1), evaluators=EVALUATORS[:1]) as program:
        write(program, "update tool_calls set result = 'XX1'")
        write(
            program,
            "update agent_traces set fingerprint = 'of an older version', revision = 10, assembled_at = $now",
            now=program.clock.now,
        )
        program.rebuild()
        assert progress(program) == {"traces": 1, "done": 1, "deferred": 1}
        program.wait(50)
        assert program.runs("revision") == [(10,)]
        program.wait(20)
        assert program.runs("revision") == [(11,)]
        assert program.active("revision") == [(11,)]


def test_trace_that_cannot_be_assembled_keeps_its_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with simulation(tmp_path, trip(1), trip(2)) as program:
        before = contents(program)
        assemble = program.assembler._worker.assemble

        def failing(spans: Any, logs: Any) -> Assembled:
            kept = [row["trace_id"] != otlp.trace_id(1) for row in spans.to_pylist()]
            return Assembled(assemble(spans.filter(kept), logs).tables, {otlp.trace_id(1): "the worker ended"})

        monkeypatch.setattr(program.assembler._worker, "assemble", failing)
        program.rebuild()
        assert contents(program) == before
        assert progress(program) == {"traces": 2, "done": 2, "failed": 1, "same_runs": 1}


def test_rebuild_of_an_empty_store_ends_at_once(tmp_path: Path) -> None:
    with simulation(tmp_path) as program:
        program.rebuild()
        assert progress(program) == {}


def test_store_is_checkpointed_during_a_rebuild_though_nothing_arrives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_portions_of(monkeypatch, 10)
    with simulation(tmp_path, *map(agent_spans.trip, range(1, 60)), evaluators=()):
        pass
    monkeypatch.setattr(opening, "_CHECKPOINT_THRESHOLD", "50KB")
    with simulation(tmp_path, evaluators=()) as program:
        program.rebuild()
        assert program.store.database.wal_bytes < 50_000


def test_session_by_which_a_rebuild_links_runs_is_evaluated(tmp_path: Path) -> None:
    question, call = (
        agent_spans.text_message("user", "Paris?"),
        agent_spans.tool_call_message(("call_9f3Kd02mXz71LqPw", "search", {"to": "Paris"})),
    )
    answer = agent_spans.tool_response_message("call_9f3Kd02mXz71LqPw", "AF007")
    first = agent_spans.chat(1, trace=1, hears=[question], says=[call])
    second = agent_spans.chat(
        2, trace=2, at_s=5, hears=[question, call, answer], says=[agent_spans.text_message("assistant", "AF007.")]
    )
    judged = "select target_id from scores where scope = 'session'"
    with simulation(tmp_path, [first], [second], evaluators=[SESSION]) as program:
        linked = program.store.rows("select distinct session_id from agent_traces")
        assert len(linked) == 1
        write(program, "delete from scores")
        for table in ("link_keys", "linked_runs", "linked_calls"):
            write(program, f"delete from {table}")
        write(program, "update agent_traces set session_id = null")
        program.rebuild()
        program.wait(600)
        program.judge()
        assert program.store.rows("select distinct session_id from agent_traces") == linked
        assert program.store.rows(judged) == [(f"session:{session_id}",) for (session_id,) in linked]
        assert program.store.rows("from deferrals") == []
