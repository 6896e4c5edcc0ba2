from __future__ import annotations

from itertools import count, permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from tests.support import agent_spans, otlp
from tests.support.store import Clock, Store, opened

from tracegrade.collector.otlp.decode import decode_logs, decode_spans
from tracegrade.collector.store.arrivals.writer import Written

CONFLICTS = "select trace_id, span_id from logs where event_name = 'tracegrade.conflicting_span'"


def write(store: Store, *spans: Span) -> Written:
    return store.arrivals.write(decode_spans(otlp.traces_request(spans)).rows, [])


def write_foreign(store: Store, *spans: Span, after: Span | None = None) -> Written:
    """Write spans of another scope, which are no versions of others, in one batch with the one that they come after."""
    first = [] if after is None else decode_spans(otlp.traces_request([after])).rows
    return store.arrivals.write([*first, *decode_spans(otlp.traces_request(spans, scope="elsewhere")).rows], [])


def write_logs(store: Store, *records: LogRecord) -> Written:
    return store.arrivals.write([], decode_logs(otlp.logs_request(records)).rows)


def test_rows_are_kept_with_the_commit_that_brought_them(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        assert write(store, otlp.span(1)) == Written(batch_seq=1, spans=1)
        assert write(store, otlp.span(2), otlp.span(3)) == Written(batch_seq=2, spans=2)
        kept = store.rows("select span_id, batch_seq, ingested_at from spans order by span_id")
    assert kept == [
        (otlp.span_id(1), 1, clock.now),
        (otlp.span_id(2), 2, clock.now),
        (otlp.span_id(3), 2, clock.now),
    ]


def test_repeat_within_a_batch_is_stored_once(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        assert write(store, otlp.span(1), otlp.span(2), otlp.span(1)) == Written(1, spans=2, repeated_spans=1)
        assert store.one("select count(*) from spans") == 2
        assert store.rows(CONFLICTS) == []


def test_repeat_across_batches_is_stored_once(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        write(store, otlp.span(1), otlp.span(2))
        assert write(store, otlp.span(2), otlp.span(3)) == Written(2, spans=1, repeated_spans=1)
        assert store.one("select count(*) from spans") == 3


def test_repeat_years_late_is_stored_once(tmp_path: Path) -> None:
    clock = Clock()
    with opened(tmp_path, now=clock) as store:
        write(store, otlp.span(1))
        for number in range(2, 50):
            write(store, otlp.span(number, start_time_unix_nano=otlp.BEGAN_NS + number * 10**15))
    clock.pass_by(days=3 * 365)
    with opened(tmp_path, now=clock) as store:
        assert write(store, otlp.span(1)).repeated_spans == 1
        assert store.one("select count(*) from spans") == 49


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"name": "another"}, id="name"),
        pytest.param({"attributes": {"a": 2}}, id="attributes"),
        pytest.param({"end_time_unix_nano": otlp.BEGAN_NS + 10**9}, id="end"),
        pytest.param({"start_time_unix_nano": otlp.BEGAN_NS - 10**15}, id="earlier-start"),
        pytest.param({"start_time_unix_nano": otlp.BEGAN_NS + 10**15}, id="later-start"),
        pytest.param({"start_time_unix_nano": 0}, id="no-start"),
        pytest.param({"status": Status(code=Status.STATUS_CODE_ERROR)}, id="status"),
        pytest.param({"parent_span_id": b"\x01" * 8}, id="parent"),
        pytest.param({"events": [Span.Event(name="exception")]}, id="events"),
    ],
)
@pytest.mark.parametrize("is_one_batch", [True, False], ids=["same-batch", "next-batch"])
def test_first_of_two_spans_with_the_same_ids_stays_and_the_other_leaves_a_note(
    tmp_path: Path,
    changed: dict[str, Any],
    is_one_batch: bool,  # noqa: FBT001
) -> None:
    first = otlp.span(1)
    second = otlp.span(1, **changed)
    with opened(tmp_path) as store:
        if is_one_batch:
            assert write_foreign(store, second, after=first).conflicting_spans == 1
        else:
            write(store, first)
            assert write_foreign(store, second).conflicting_spans == 1
        kept = "name, start_ns, end_ns, attributes, status_code, parent_span_id, events"
        assert store.rows(f"select {kept} from spans") == [
            ("span 1", first.start_time_unix_nano, first.end_time_unix_nano, "{}", "unset", None, "[]")
        ]
        assert store.rows(CONFLICTS) == [(otlp.trace_id(1), otlp.span_id(1))]


def test_conflict_is_noted_once_however_often_it_comes(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        write(store, otlp.span(1))
        written = [write_foreign(store, otlp.span(1, name=name)) for name in ("other", "other", "third")]
        assert [one.conflicting_spans for one in written] == [1, 0, 0]
        assert len(store.rows(CONFLICTS)) == 1


@pytest.mark.parametrize("start_ns", [otlp.BEGAN_NS - 10**15, otlp.BEGAN_NS + 10**15, 0])
def test_conflict_of_start_times_is_noted_once_at_the_start_that_stays(tmp_path: Path, start_ns: int) -> None:
    for _ in range(3):
        with opened(tmp_path) as store:
            write(store, otlp.span(1))
            write_foreign(store, otlp.span(1, start_time_unix_nano=start_ns))
            assert store.rows("select time_ns from logs") == [(otlp.span(1).start_time_unix_nano,)]
            assert store.one("select count(*) from spans") == 1


def test_same_span_id_in_another_trace_is_another_span(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        assert write(store, otlp.span(1, trace=1), otlp.span(1, trace=2)).spans == 2


def test_repeated_log_record_is_stored_once(tmp_path: Path) -> None:
    record = otlp.log(1, body=otlp.any_value("hi"), attributes={"a": 1})
    with opened(tmp_path) as store:
        assert write_logs(store, record, record) == Written(1, logs=1, repeated_logs=1)
        assert write_logs(store, record) == Written(2, logs=0, repeated_logs=1)
        assert store.one("select count(*) from logs") == 1


@pytest.mark.parametrize(
    "changed",
    [{"body": otlp.any_value("ho")}, {"event_name": "other"}, {"time_unix_nano": 7}, {"trace_id": b""}],
    ids=["body", "name", "time", "trace"],
)
def test_log_record_that_differs_is_another_one(tmp_path: Path, changed: dict[str, Any]) -> None:
    with opened(tmp_path) as store:
        usual: dict[str, Any] = {"body": otlp.any_value("hi")}
        assert write_logs(store, otlp.log(1, **usual), otlp.log(1, **{**usual, **changed})).logs == 2


def test_failed_write_leaves_nothing_and_the_next_one_succeeds(tmp_path: Path) -> None:
    spans = decode_spans(otlp.traces_request([otlp.span(1)])).rows
    [log] = decode_logs(otlp.logs_request([otlp.log(1)])).rows
    spoilt = (*log[:-1], "no json")
    with opened(tmp_path) as store:
        with pytest.raises(Exception, match="Malformed JSON"):
            store.arrivals.write(spans, [spoilt])
        assert store.one("select count(*) from spans") == 0
        assert store.arrivals.write(spans, [log]) == Written(1, spans=1, logs=1)


@pytest.mark.parametrize("start_ns", [0, 1, 2**64 - 1], ids=["time-0", "first-nanosecond", "beyond-the-calendar"])
def test_span_at_an_odd_time_is_stored_and_recognised(tmp_path: Path, start_ns: int) -> None:
    span = otlp.span(1, start_time_unix_nano=start_ns, end_time_unix_nano=start_ns)
    with opened(tmp_path) as store:
        assert write(store, span).spans == 1
        assert write(store, span).repeated_spans == 1


def test_batches_are_counted_on_after_a_restart(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        write(store, otlp.span(1))
        write_logs(store, otlp.log(1))
    with opened(tmp_path) as store:
        assert write(store, otlp.span(2)).batch_seq == 3


def test_commit_after_a_restart_is_beyond_all_that_was_settled(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        write(store, otlp.span(1))
        repeat = write(store, otlp.span(1))
        store.results.settle(repeat.batch_seq)
    with opened(tmp_path) as store:
        assert write(store, otlp.span(2)).batch_seq == repeat.batch_seq + 1


def test_any_order_split_and_repetition_stores_the_same_spans(tmp_path: Path) -> None:
    traces = count(1)
    with opened(tmp_path) as store:

        @settings(max_examples=25, deadline=None)
        @given(data=st.data())
        def check(data: st.DataObject) -> None:
            trace = next(traces)
            spans = agent_spans.trip(trace)
            sent = data.draw(st.permutations(spans * data.draw(st.integers(1, 3))))
            while sent:
                size = data.draw(st.integers(1, len(sent)))
                store.arrive(sent[:size])
                sent = sent[size:]
            sql = "select span_id, name, start_ns, attributes from spans where trace_id = $trace_id order by span_id"
            kept = store.rows(sql, trace_id=otlp.trace_id(trace))
            assert [row[:3] for row in kept] == [(one.span_id, one.name, one.start_ns) for one in spans]
            assert store.rows(CONFLICTS) == []

        check()


AGENT = {"service.name": "agent"}


def send(store: Store, span: Span, *, resource: dict[str, Any] | None = None, scope: str = "tests") -> Written:
    body = otlp.traces_request([span], resource=AGENT if resource is None else resource, scope=scope)
    return store.arrivals.write(decode_spans(body).rows, [])


PENDING = otlp.span(1, end_time_unix_nano=0, attributes={"a": 1})
ENDED = otlp.span(1, end_time_unix_nano=otlp.BEGAN_NS + 10**9, attributes={"a": 1})
FULL = otlp.span(1, end_time_unix_nano=otlp.BEGAN_NS + 10**9, attributes={"a": 1, "b": 2})


@pytest.mark.parametrize("order", list(permutations((PENDING, ENDED, FULL))), ids=lambda _: "")
def test_fullest_version_of_a_span_counts_in_any_order(tmp_path: Path, order: tuple[Span, ...]) -> None:
    with opened(tmp_path) as store:
        written = [send(store, span) for span in (*order, *order)]
        assert sum(one.conflicting_spans for one in written) == 0
        assert store.rows("select attributes::varchar from spans") == [('{"a":1,"b":2}',)]
        assert store.one("select count(*) from span_versions") == 2


def test_versions_of_equal_size_are_decided_by_content(tmp_path: Path) -> None:
    ways = [otlp.span(1, attributes={"a": value}) for value in range(6)]
    found = set()
    for number, order in enumerate((ways, ways[::-1])):
        folder = tmp_path / str(number)
        folder.mkdir()
        with opened(folder) as store:
            for span in order:
                send(store, span)
            found.add(str(store.rows("select attributes::varchar from spans")))
            assert store.one("select count(*) from span_versions") == 3
    assert len(found) == 1


@pytest.mark.parametrize(
    ("resource", "scope"), [({"service.name": "other"}, "tests"), (AGENT, "elsewhere"), ({}, "tests")]
)
def test_span_from_elsewhere_replaces_none(tmp_path: Path, resource: dict[str, Any], scope: str) -> None:
    with opened(tmp_path) as store:
        send(store, ENDED)
        assert send(store, FULL, resource=resource, scope=scope).conflicting_spans == 1
        assert store.rows("select attributes::varchar from spans") == [('{"a":1}',)]
        assert len(store.rows(CONFLICTS)) == 1
