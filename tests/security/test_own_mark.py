"""What we sent ourselves is known by a mark that no sender can write; our scope in a span exempts nobody."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans, otlp
from tests.support.backend import Backend, http_backend
from tests.support.command import inside
from tests.support.feedback import RUN, arrive_records, arrive_under_scope, make_record
from tests.support.polling import until
from tests.support.score_rows import make_judge_call
from tests.support.server import HURRIED, free_ports, start, started
from tests.support.store import opened

from tracegrade.collector import dialects
from tracegrade.collector.evaluation.judge_spans import TracedJudgeCalls
from tracegrade.collector.export.outbox import Event, Sender
from tracegrade.collector.ingest.queue import IngestQueue
from tracegrade.collector.otlp.own_mark import MARK, OWN_SCOPE, Mark, mark_of
from tracegrade.collector.otlp.signal import Signal
from tracegrade.collector.receiver import ExportOutcome
from tracegrade.collector.spans.span import Span

KEY = b"k" * 32
EVENT = Event(1, otlp.trace_id(1), otlp.span_id(1), otlp.BEGAN_NS, {"gen_ai.evaluation.name": "polite"})


class Nothing:
    """A book of judge calls that remembers nothing."""

    def lookup(self, _: object) -> Mapping[str, Any]:
        return {}

    def record(self, _: object) -> None:
        pass

    def spent(self, _: object, __: object) -> Mapping[str, Any]:
        return {}


@pytest.fixture
def backend() -> Iterator[Backend]:
    with http_backend() as backend:
        yield backend


def sent_by_us(backend: Backend, *, key: bytes = KEY) -> dict[Signal, bytes]:
    """What a server sends on: a score as a log event and as a span, and a judge's call."""
    sender = Sender(backend.url, spans=True, version="1", mark=Mark(key))
    assert sender.send([EVENT])
    sender.close()
    traced = TracedJudgeCalls(Nothing(), backend.url, Mark(key))
    traced.record([make_judge_call(1)])
    traced.close()
    return {
        Signal.TRACES: otlp.traces_request(backend.spans, scope=OWN_SCOPE),
        Signal.LOGS: otlp.logs_request(backend.logs, scope=OWN_SCOPE),
    }


def count_kept(folder: Path, requests: Mapping[Signal, bytes], *, mark: Mark) -> int:
    """How many records a store keeps that gets these requests; the sender hears of no refusal."""

    async def send() -> list[ExportOutcome]:
        intake = IngestQueue(store.arrivals, queue_bytes=2**20, on_commit=lambda _: None, mark=mark)
        intake.start()
        try:
            return [await intake.accept(signal, body) for signal, body in requests.items()]
        finally:
            await intake.drain()

    with opened(folder) as store:
        assert all(outcome.rejected == 0 for outcome in asyncio.run(send()))
        return int(store.one("select (select count(*) from spans) + (select count(*) from logs)"))


def test_agent_that_names_our_scope_is_read_like_any_other(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        arrive_under_scope(store, agent_spans.trip(), scope=OWN_SCOPE)
        arrive_records(store, make_record(name="polite", value=1.0), scope=OWN_SCOPE)
        store.revise(1)
        assert store.rows("select agent_trace_id, tool_call_count from agent_traces") == [(RUN, 1)]
        assert store.active_scores("evaluator, evaluator_kind, author") == [("polite", "external", "grader")]


def test_no_scope_keeps_a_dialect_from_a_span() -> None:
    span = agent_spans.agent(1)
    named = Span(**{**vars(span), "scope_name": OWN_SCOPE})
    assert dialects.find_dialect(named) is dialects.find_dialect(span) is not None


def test_what_we_sent_is_left_out_when_it_comes_back(tmp_path: Path, backend: Backend) -> None:
    requests = sent_by_us(backend)
    assert (len(backend.spans), len(backend.logs)) == (2, 1)
    assert count_kept(tmp_path, requests, mark=Mark(KEY)) == 0


@pytest.mark.parametrize("mark", [Mark(), Mark(b"o" * 32)], ids=["no key", "another key"])
def test_what_another_store_sent_is_kept(tmp_path: Path, backend: Backend, mark: Mark) -> None:
    assert count_kept(tmp_path, sent_by_us(backend), mark=mark) == 3


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"span_id": bytes(7) + b"\1"}, id="another span"),
        pytest.param({"trace_id": bytes(15) + b"\1"}, id="another trace"),
        pytest.param({"start_time_unix_nano": 1}, id="another time"),
    ],
)
def test_mark_is_worth_nothing_on_another_record(tmp_path: Path, backend: Backend, change: Mapping[str, Any]) -> None:
    sent_by_us(backend)
    copied = [type(span).FromString(span.SerializeToString()) for span in backend.spans]
    for span in copied:
        for name, value in change.items():
            setattr(span, name, value)
        assert MARK in {attribute.key for attribute in span.attributes}
    assert count_kept(tmp_path, {Signal.TRACES: otlp.traces_request(copied, scope=OWN_SCOPE)}, mark=Mark(KEY)) > 0


def test_mark_of_a_log_record_is_none_of_a_span() -> None:
    ids = (otlp.trace_id(1), otlp.span_id(1), otlp.BEGAN_NS)
    assert Mark(KEY).attributes(Signal.LOGS, *ids) != Mark(KEY).attributes(Signal.TRACES, *ids)


def test_key_is_kept_beside_the_store_for_its_user_alone(tmp_path: Path) -> None:
    key = tmp_path / "s.duckdb.key"
    ids = (otlp.trace_id(1), otlp.span_id(1), otlp.BEGAN_NS)
    made = mark_of(key, is_sending=True).attributes(Signal.TRACES, *ids)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert mark_of(key, is_sending=False).attributes(Signal.TRACES, *ids) == made


def test_store_that_sends_nothing_on_has_no_key(tmp_path: Path) -> None:
    assert mark_of(tmp_path / "s.duckdb.key", is_sending=False).attributes(Signal.TRACES, None, None, 0) == {}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("planted", ["a link", "readable by others"])
def test_key_that_others_may_know_is_not_used(tmp_path: Path, planted: str) -> None:
    known, key = tmp_path / "known", tmp_path / "s.duckdb.key"
    known.write_bytes(KEY)
    if planted == "a link":
        known.chmod(0o600)
        key.symlink_to(known)
    else:
        key.write_bytes(KEY)
        key.chmod(0o644)
    mark = mark_of(key, is_sending=True)
    ids = (otlp.trace_id(1), otlp.span_id(1), otlp.BEGAN_NS)
    assert mark.attributes(Signal.TRACES, *ids) != Mark(KEY).attributes(Signal.TRACES, *ids)
    assert known.read_bytes() == KEY
    assert not key.is_symlink()


def test_server_that_sends_to_itself_evaluates_nothing_of_that_and_says_so(tmp_path: Path) -> None:
    ports = free_ports()
    sends = {"TRACEGRADE_EXPORT__ENDPOINT": f"http://127.0.0.1:{ports.http}", "TRACEGRADE_EXPORT__SPANS": "true"}
    process = start(tmp_path / "store.duckdb", {**HURRIED, **sends}, ports=ports)
    try:
        server = started(process, tmp_path / "store.duckdb")
        server.export(agent_spans.trip(1))
        count = len(server.scores(otlp.trace_id(1)))
        until(lambda: server.one("select count(*) from outbox"), lambda waiting: waiting == 0)
        left_out = {
            signal: server.figure(f'tracegrade_own_records_total{{signal="{signal}"}}') for signal in ("traces", "logs")
        }
        assert all(number >= count for number in left_out.values())
        assert server.one("select count(*) from spans") == len(agent_spans.trip(1))
        assert server.one("select count(*) from logs") == 0
        assert server.one("select count(*) from scores where evaluator_kind = 'external'") == 0
        done = inside("doctor", "--store", "store.duckdb", at=tmp_path)
        assert f"{sum(map(int, left_out.values()))} records left out" in done.text
        assert server.stop() == 0
    finally:
        process.kill()
        process.wait(timeout=30)


def test_doctor_tells_of_records_that_name_our_scope(tmp_path: Path) -> None:
    (tmp_path / "run.pb").write_bytes(otlp.traces_request(map(otlp.from_plain, agent_spans.trip()), scope=OWN_SCOPE))
    done = inside("doctor", "run.pb", at=tmp_path)
    assert "4 records with the scope tracegrade" in done.text
    assert "run travel: 1 tool calls" in done.text
