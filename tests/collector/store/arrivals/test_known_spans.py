"""Which spans are new: decided by their ids, whatever their times. The store is read only where something is old."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import agent_spans, otlp
from tests.support.evaluators import make_evaluator
from tests.support.simulation import Simulation
from tests.support.store import Clock, Store, opened

from tracegrade.collector.assembly import assemble
from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.config.evaluator_set import build_evaluators
from tracegrade.collector.otlp.decode import decode_logs, decode_spans
from tracegrade.collector.reports.audit import audit
from tracegrade.collector.spans.span import Span
from tracegrade.collector.store.arrivals import known_spans
from tracegrade.queries.catalog import statement

pytestmark = pytest.mark.exhaustive  # long courses of arrivals and restarts

LOOKUPS = ("extents_of_traces", "span_ids_of_traces", "stored_spans")
DEFAULTS = build_evaluators(None)
BY_CALL = make_evaluator("by_call", lambda trace: [1.0 for _ in trace.tool_calls], scope="tool_call")


@pytest.fixture
def lookups(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements by which the store is asked about ids."""
    names: list[str] = []

    def noted(name: str) -> str:
        names.append(name)
        return statement(name)

    monkeypatch.setattr(known_spans, "statement", noted)
    return names


def moved(spans: Iterable[Span], seconds: float) -> list[Span]:
    """The same spans, as if they had begun at another time."""
    ns = round(seconds * 1e9)
    return [replace(span, start_ns=span.start_ns + ns, end_ns=span.end_ns + ns) for span in spans]


def list_spans(store: Store) -> list[tuple[str, str, int]]:
    return store.rows("select trace_id, span_id, start_ns from spans order by all")


def test_spans_of_a_new_trace_are_stored_without_reading_the_store(tmp_path: Path, lookups: list[str]) -> None:
    with opened(tmp_path) as store:
        for trace in range(1, 9):
            agent, *others = agent_spans.trip(trace)
            store.arrive(others)
            store.arrive([agent])
        assert lookups == []
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip(9))
        assert "trace_keys_of_commits" in lookups
        lookups.clear()
        store.arrive(agent_spans.trip(10))
        store.arrive(moved(agent_spans.trip(9), 1e6))
        assert lookups == []
        assert store.one("select count(*) from spans") == 40


def test_ids_of_a_closed_trace_are_read_once_however_much_comes_late(tmp_path: Path, lookups: list[str]) -> None:
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip(1))
        store.arrive(agent_spans.trip(2))
    with opened(tmp_path) as store:
        for number in range(50, 60):
            store.arrive([agent_spans.span(number, parent=1)])
        assert [name for name in lookups if name in LOOKUPS] == ["extents_of_traces", "span_ids_of_traces"]
        assert store.arrive(moved(agent_spans.trip(1), 3600)).repeated_spans == 4


@pytest.mark.parametrize("seconds", [-1e6, -1, 1, 1e6])
def test_span_of_a_trace_that_was_forgotten_is_recognised_whenever_it_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(known_spans, "_REMEMBERED", 6)
    with opened(tmp_path) as store:
        for trace in range(1, 6):
            store.arrive(agent_spans.trip(trace))
        before = list_spans(store)
        written = store.arrive(moved([*agent_spans.trip(1), *agent_spans.trip(4)], seconds))
        assert (written.spans, written.repeated_spans, written.conflicting_spans) == (0, 8, 0)
        assert len(list_spans(store)) == len(before)


def test_span_of_a_trace_that_is_too_large_to_be_held_is_recognised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lookups: list[str]
) -> None:
    monkeypatch.setattr(known_spans, "_LARGE", 3)
    for _ in range(2):
        with opened(tmp_path) as store:
            store.arrive(agent_spans.trip(1))
            assert store.arrive(moved(agent_spans.trip(1), 3600)).repeated_spans == 4
            assert store.one("select count(*) from spans") == 4
    assert "stored_spans" in lookups


def test_spans_of_more_closed_traces_than_can_be_held_at_once_are_recognised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path) as store:
        for trace in range(1, 6):
            store.arrive(agent_spans.trip(trace))
    monkeypatch.setattr(known_spans, "_REMEMBERED", 10)
    late = [agent_spans.span(50, trace=trace) for trace in range(1, 6)]
    ids = [
        (span.trace_id, span.span_id) for span in [*late, *(agent_spans.span(2, trace=trace) for trace in range(1, 6))]
    ]
    with opened(tmp_path) as store, store.database.cursor() as connection:
        known = store.arrivals._known
        assert known.stored(connection, ids) == set(ids[5:])
        assert known._held == 8
        assert store.arrive(late).spans == 5
        assert store.arrive(late).repeated_spans == 5


def test_trace_ids_that_share_their_lower_half_are_told_apart(tmp_path: Path) -> None:
    ids = [f"{number:016x}{7:016x}" for number in range(1, 6)]
    with opened(tmp_path) as store:
        for trace_id in ids:
            store.arrive([replace(agent_spans.agent(1), trace_id=trace_id)])
    with opened(tmp_path) as store:
        for trace_id in [*ids, f"{9:016x}{7:016x}"]:
            store.arrive([replace(agent_spans.agent(1, at_s=5), trace_id=trace_id)])
        assert store.one("select count(*) from spans") == 6


def test_traces_of_a_store_that_is_read_in_slices_are_known_from_the_first_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path) as store:
        for trace in range(1, 40):
            store.arrive(agent_spans.trip(trace))
        before = list_spans(store)
    monkeypatch.setattr(known_spans, "_FIRST_SLICE", 3)
    monkeypatch.setattr(known_spans, "_SLICE_SPANS", 20)
    monkeypatch.setattr(known_spans, "_FRESH", 4)
    with opened(tmp_path) as store:
        for trace in (1, 39, 20, 38, 2, 21, *range(3, 20)):
            elsewhere = moved(agent_spans.trip(trace), 3600)
            assert store.arrive(elsewhere, resource={"service.name": "elsewhere"}).spans == 0
        assert list_spans(store) == before
        assert store.arrive(agent_spans.trip(40)).spans == 4


def test_slices_are_bounded_though_commits_were_large_before_they_were_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path) as store:
        for commit in range(10):
            store.arrive([agent_spans.agent(1, trace=1_000 + 30 * commit + number) for number in range(30)])
        for trace in range(1, 40):
            store.arrive([agent_spans.agent(1, trace=trace)])
    sizes: list[int] = []

    def noted(traces: known_spans._Traces, keys: Iterable[int]) -> None:
        sizes.append(len(read := [*keys]))
        extend(traces, read)

    extend = known_spans._Traces.extend
    monkeypatch.setattr(known_spans._Traces, "extend", noted)
    monkeypatch.setattr(known_spans, "_FIRST_SLICE", 2)
    monkeypatch.setattr(known_spans, "_SLICE_SPANS", 40)
    with opened(tmp_path) as store, store.database.cursor() as connection:
        known = store.arrivals._known
        while known._unread_to:
            known._read_slice(connection)
        assert sum(sizes) == 339
        assert max(sizes) <= 40 + 30
        assert len(sizes) < 10


def test_spans_whose_commit_failed_are_new_when_they_come_again(tmp_path: Path) -> None:
    spans = decode_spans(agent_spans.export_request(agent_spans.trip(1))).rows
    [log] = decode_logs(otlp.logs_request([otlp.log(1)])).rows
    with opened(tmp_path) as store:
        store.arrive(agent_spans.trip(2))
        with pytest.raises(Exception, match="Malformed JSON"):
            store.arrivals.write(spans, [(*log[:-1], "no json")])
        assert store.arrivals.write(spans, []).spans == 4
        assert store.arrivals.write(spans, []).repeated_spans == 4


def test_spans_whose_commit_was_reported_as_failed_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path) as store:
        arrivals = store.arrivals
        with monkeypatch.context() as patch:
            patch.setattr(arrivals._known, "add", _failing)
            with pytest.raises(OSError, match="nobody knows"):
                store.arrive(agent_spans.trip(1))
        assert store.arrive(moved(agent_spans.trip(1), 60)).repeated_spans == 4
        assert store.arrive(agent_spans.trip(2)).batch_seq == 3


def test_traces_are_known_though_memory_ran_out_while_they_were_sorted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_spans, "_FRESH", 2)
    monkeypatch.setattr(known_spans, "_REMEMBERED", 4)
    with opened(tmp_path) as store:
        for trace in range(1, 8):
            with monkeypatch.context() as patch:
                patch.setattr(known_spans, "sorted", _out_of_memory(after=trace % 3), raising=False)
                with suppress(MemoryError):
                    store.arrive(agent_spans.trip(trace))
        for trace in range(1, 8):
            store.arrive(moved(agent_spans.trip(trace), 3600))
        assert store.one("select count(*) from spans") == 28


def test_sorted_trace_ids_that_are_many_are_left_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_spans, "_FRESH", 2)
    monkeypatch.setattr(known_spans, "_MERGED", 8)
    traces = known_spans._Traces()
    for number in range(0, 100, 2):
        traces.add(otlp.trace_id(number))
    assert [number for number in range(100) if otlp.trace_id(number) in traces] == [*range(0, 100, 2)]
    assert max(map(len, traces._sorted)) < 16
    assert sum(map(len, traces._sorted)) + len(traces._fresh) == 50


def _out_of_memory(*, after: int) -> Callable[[Iterable[int]], list[int]]:
    """`sorted` that fails when it was called so often."""
    calls = count()

    def sort(keys: Iterable[int]) -> list[int]:
        if next(calls) == after:
            raise MemoryError
        return sorted(keys)

    return sort


def _failing(*_: object, **__: object) -> None:
    raise OSError("nobody knows")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Everything is forgotten soon."""
    for name, value in {"_REMEMBERED": 5, "_LARGE": 2, "_FIRST_SLICE": 1, "_SLICE_SPANS": 3, "_FRESH": 2}.items():
        monkeypatch.setattr(known_spans, name, value)
    yield


SENT = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(0, 9)), min_size=1, max_size=6)


@pytest.mark.usefixtures("small")
def test_same_version_of_each_span_counts_in_any_order(tmp_path: Path) -> None:
    folders = count(1)

    @settings(max_examples=15, deadline=None)
    @given(lives=st.lists(st.lists(SENT, max_size=5), min_size=1, max_size=3))
    def check(lives: list[list[list[tuple[int, int, int]]]]) -> None:
        folder = tmp_path / str(next(folders))
        folder.mkdir()
        sent: list[Span] = []
        for batches in lives:
            with opened(folder) as store:
                for batch in batches:
                    spans = [agent_spans.span(number, trace=trace, at_s=at_s * 86_400) for trace, number, at_s in batch]
                    store.arrive(spans)
                    sent += spans
                found = list_spans(store)
            assert len({row[:2] for row in found}) == len(found)
            in_order = folder / f"in order {len(sent)}"
            in_order.mkdir(exist_ok=True)
            with opened(in_order) as store:
                store.arrive(sorted(sent, key=lambda span: span.start_ns))
                assert list_spans(store) == found

    check()


@pytest.mark.parametrize("seconds", [-90_000, -2, 2, 90_000])
@pytest.mark.parametrize("restarts", [True, False], ids=["after-a-restart", "while-it-runs"])
def test_run_whose_spans_come_again_with_other_times_has_one_score_of_each_evaluator(
    tmp_path: Path,
    seconds: int,
    restarts: bool,  # noqa: FBT001
) -> None:
    simulation = Simulation(tmp_path, *DEFAULTS)
    simulation.export(agent_spans.trip(1))
    simulation.wait(600)
    before = simulation.active()
    if restarts:
        simulation.restart()
    simulation.export([*moved(agent_spans.trip(1), seconds), agent_spans.tool(9, "book", parent=1, at_s=7, result="x")])
    simulation.wait(600)
    simulation.judge()
    twice = "select target_id, evaluator from latest_scores group by all having count(*) > 1"
    assert simulation.store.rows(twice) == []
    assert len(simulation.active()) == len(before)
    assert simulation.runs("revision, tool_call_count") == [(2, 2)]
    assert audit(LocalSource(simulation.store.database, max_rows=1_000, timeout_s=30).read, DEFAULTS).findings == ()
    simulation.close()


@pytest.mark.parametrize("seconds", [-90_000, -2, 2, 90_000, -1_767_225_600])
def test_run_that_turns_out_to_have_begun_at_another_time_has_one_score_of_each_evaluator(
    tmp_path: Path, seconds: int
) -> None:
    with opened(tmp_path, now=Clock()) as store:
        every = (*DEFAULTS, BY_CALL)
        store.ledger.enrol(every)
        for spans in (
            agent_spans.trip(1),
            moved(agent_spans.trip(1), seconds),
            [*agent_spans.trip(1), agent_spans.tool(9, parent=1, at_s=7)],
        ):
            runs = assemble(spans)
            store.results.revise(store.tables(runs), [otlp.trace_id(1)], final=[otlp.trace_id(1)])
            store.now.pass_by(seconds=1)  # type: ignore[attr-defined]
            store.evaluate(*every)
            twice = "select target_id, evaluator from latest_scores group by all having count(*) > 1"
            assert store.rows(twice) == []
            assert store.one("select count(distinct target_time) from latest_scores where scope = 'trace'") == 1
        assert store.rows("select distinct revision from latest_scores") == [(3,)]
        assert audit(LocalSource(store.database, max_rows=1_000, timeout_s=30).read, every).findings == ()
