"""OTLP in files, whoever wrote them, into a store with a server or without."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path

import duckdb
import pytest
from tests.support import agent_spans
from tests.support.command import inside, tracegrade
from tests.support.otlp import trace_id
from tests.support.raw_json import as_json
from tests.support.recordings import Recording
from tests.support.server import HURRIED, JUDGES, Server, new_trace, running

from tracegrade.collector.spans.span import Span

LOGS = Recording("util-genai-eventonly", "s1_happy")


FORMS: Mapping[str, Callable[[list[Span]], bytes]] = {
    "protobuf": agent_spans.export_request,
    "lengths.pb": lambda spans: b"".join(struct.pack(">I", len(part)) + part for part in in_parts(spans)),
    "json": as_json,
    "jsonl": lambda spans: as_json(spans[:2]) + b"\n" + as_json(spans[2:]) + b"\n",
    "json.gz": lambda spans: gzip.compress(as_json(spans)),
    "pb.gz": lambda spans: gzip.compress(agent_spans.export_request(spans)),
}


def in_parts(spans: list[Span]) -> list[bytes]:
    """The spans as two export requests."""
    return [agent_spans.export_request(spans[:2]), agent_spans.export_request(spans[2:])]


def write_files(folder: Path) -> dict[str, list[Path]]:
    """A file of every form, and spans beside their log records: the files by trace id."""
    files: dict[str, list[Path]] = {}
    for form, write in FORMS.items():
        trace = new_trace()
        file = folder / f"traces.{form}"
        file.write_bytes(write(agent_spans.trip(trace)))
        files[trace_id(trace)] = [file]
    spans, logs = folder / "spans.pb", folder / "logs.pb"
    spans.write_bytes(LOGS.traces_body)
    logs.write_bytes(LOGS.logs_body)
    files[next(iter(LOGS.spans))] = [spans, logs]
    return files


def test_files_of_every_form_are_assembled_and_graded_when_import_returns(tmp_path: Path) -> None:
    files = write_files(tmp_path)
    done = tracegrade("import", "--store", "store.duckdb", *chain(*files.values()), at=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert f"imported {4 * len(FORMS) + 6} spans and 3 log records from {len(FORMS) + 2} files" in done.text
    with duckdb.connect(str(tmp_path / "store.duckdb"), read_only=True) as connection:
        found = connection.execute(
            "select trace_id, list(evaluator) from latest_scores where scope = 'trace' group by all"
        ).fetchall()
        said = connection.execute("select input from agent_traces where service_name <> 'tests'").fetchall()
    assert {trace: set(evaluators) >= JUDGES for trace, evaluators in found} == dict.fromkeys(files, True)
    assert said == [(LOGS.truth["user_inputs"][0],)]


def test_files_go_through_the_server_that_holds_the_store(server: Server, tmp_path: Path) -> None:
    files = write_files(tmp_path)
    done = tracegrade("import", "--store", server.store, *chain(*files.values()), at=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert f"pid {server.process.pid}" in done.text
    found = server.rows(f"""select trace_id, list(evaluator) from latest_scores
                            where trace_id in {tuple(files)} group by all""")
    assert {trace: set(evaluators) >= JUDGES for trace, evaluators in found} == dict.fromkeys(files, True)


def test_server_grades_all_the_same_what_is_imported_without_evaluation_and_that_is_said(
    server: Server, tmp_path: Path
) -> None:
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request(agent_spans.trip(trace := new_trace())))
    done = tracegrade("import", "--store", server.store, "--no-evaluate", "trip.pb", at=tmp_path)
    assert done.code == 0, done.err
    assert "the server evaluates these runs in spite of --no-evaluate" in done.text
    assert "from 1 file\n" in done.text
    assert server.scores(trace_id(trace))


def test_import_waits_neither_for_the_traces_of_others_nor_for_evaluators_of_the_past(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request(agent_spans.trip(1)))
    (tmp_path / "former.pb").write_bytes(agent_spans.export_request(agent_spans.trip(2)))
    former = '[{"use": "tool_error", "name": "former"}]'
    assert inside("import", "--store", store, "former.pb", at=tmp_path, TRACEGRADE_EVALUATORS=former).code == 0
    with running(store) as server:
        server.export([agent_spans.agent(5, trace=3), agent_spans.tool(7, trace=3, parent=6)])
        done = inside("import", "--store", store, "trip.pb", at=tmp_path)
        assert done.code == 0, done.err
        assert server.scores(trace_id(1), within_s=0)
        assert server.rows(f"select * from agent_traces where trace_id = '{trace_id(3)}'") == []


def test_import_tells_how_much_waits_for_judges_and_why(tmp_path: Path) -> None:
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request([*agent_spans.trip(1), *agent_spans.trip(2)]))
    (tmp_path / "tracegrade.yaml").write_text(
        "judges: {default: {api_key_env: NO_SUCH_KEY}}\nevaluators: [{use: tool_error}, {use: goal_achievement}]\n",
        encoding="utf-8",
    )
    done = inside("import", "--store", "store.duckdb", "trip.pb", at=tmp_path)
    assert done.code == 0, done.err
    [told] = [line for line in done.text.splitlines() if line.startswith("goal_achievement: ")]
    assert told.startswith("goal_achievement: 2 scores not evaluated yet: ")
    assert "NO_SUCH_KEY" in told
    assert "no server is running; `tracegrade serve` continues with these" in done.text


def test_import_waits_for_nobody_who_is_paused_or_judges_at_times_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request(agent_spans.trip(new_trace())))
    nightly = {"use": "tool_error", "name": "nightly", "schedule": "1d"}
    evaluators = [{"use": "tool_error"}, {"use": "tool_efficiency"}, nightly]
    variables = {**HURRIED, "TRACEGRADE_EVALUATORS": json.dumps(evaluators)}
    with running(tmp_path / "store.duckdb", variables=variables) as server:
        pause = ("evaluators", "tool_efficiency", "--pause", "--store", server.store)
        assert inside(*pause, at=tmp_path, **variables).code == 0
        done = inside("import", "--store", server.store, "trip.pb", at=tmp_path, **variables)
    assert done.code == 0, done.err
    assert "nightly: 1 score not evaluated yet: scheduled (1d)" in done.text
    assert "no server is running" not in done.text


def test_import_waits_for_no_late_span_and_no_further_turn(tmp_path: Path) -> None:
    asked = json.dumps([agent_spans.text_message("user", "Find a flight, please.")])
    turn = agent_spans.agent(1, attributes={"gen_ai.conversation.id": "s-1", "gen_ai.input.messages": asked})
    (tmp_path / "turn.pb").write_bytes(agent_spans.export_request([turn]))
    (tmp_path / "my_judge.py").write_text('def ask(prompt):\n    return \'{"reason": "It is.", "score": 10}\'\n')
    (tmp_path / "tracegrade.yaml").write_text(
        "judges: {default: {python: 'my_judge:ask'}}\n"
        "evaluators:\n"
        "  - {use: geval, options: {steps: ['Is it polite?'], evidence: [input]}}\n"
        "  - {use: tool_error, name: whole, scope: session}\n",
        encoding="utf-8",
    )
    done = inside("import", "--store", "store.duckdb", "turn.pb", at=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.code == 0, done.err
    with duckdb.connect(str(tmp_path / "store.duckdb"), read_only=True) as connection:
        found = connection.execute("select evaluator, value from scores order by evaluator").fetchall()
    assert found == [("geval", 1.0), ("whole", None)]


def test_import_returns_when_those_are_done_that_come_after_others_of_another_lane(tmp_path: Path) -> None:
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request(agent_spans.trip(1)))
    by_sql = '{"name": "first", "sql": "select agent_trace_id, 0.5 as value from due"}'
    second = """{"use": "tool_error", "name": "second", "after": ["first"], "when": "scores['first'] < 1"}"""
    third = '{"name": "third", "sql": "select agent_trace_id, 1 as value from due", "after": ["second"]}'
    entries = f"[{third}, {second}, {by_sql}]"
    done = inside("import", "--store", "store.duckdb", "trip.pb", at=tmp_path, TRACEGRADE_EVALUATORS=entries)
    assert done.code == 0, done.err
    with duckdb.connect(str(tmp_path / "store.duckdb"), read_only=True) as connection:
        found = connection.execute("select evaluator from evaluation_passes order by ended_at").fetchall()
        assert [name for (name,) in found] == ["first", "second", "third"]


def test_import_without_evaluation_assembles_only(tmp_path: Path) -> None:
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request(agent_spans.trip()))
    done = inside("import", "--store", "store.duckdb", "--no-evaluate", "trip.pb", at=tmp_path)
    assert done.code == 0, done.err
    with duckdb.connect(str(tmp_path / "store.duckdb"), read_only=True) as connection:
        counts = connection.execute("select (select count(*) from agent_traces), (select count(*) from scores)")
        assert counts.fetchall() == [(1, 0)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"garbage, garbage", ["neither JSON nor OTLP"], id="text"),
        pytest.param(b'{"hello": "world"}', ["resourceSpans"], id="JSON of something else"),
        pytest.param(gzip.compress(b'{"resourceSpans": []}')[:-9], ["gzip"], id="cut gzip"),
    ],
)
def test_garbage_is_refused_with_2_and_the_name_of_its_file(tmp_path: Path, content: bytes, words: list[str]) -> None:
    (tmp_path / "odd.bin").write_bytes(content)
    done = inside("import", "--store", "store.duckdb", "odd.bin", at=tmp_path)
    assert done.code == 2, done
    for word in ("odd.bin", *words):
        assert word in done.err


def test_cut_line_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl").write_bytes(as_json(agent_spans.trip()) + b'\n{"resourceSp')
    done = inside("import", "--store", "store.duckdb", "cut.jsonl", at=tmp_path)
    assert done.code == 0, done
    assert "cut.jsonl: line 2: it is not JSON" in done.text
    assert "imported 4 spans" in done.text


@pytest.mark.parametrize(
    ("spans", "entries", "said"),
    [
        pytest.param([], '[{"use": "tool_error"}]', "`tracegrade doctor FILE` shows why", id="nothing in it"),
        pytest.param(
            [agent_spans.span(1, name="GET /")], '[{"use": "tool_error"}]', "`tracegrade explain TRACE`", id="no run"
        ),
        pytest.param(
            agent_spans.trip(1),
            '[{"name": "broken", "command": ["false"]}]',
            "broken failed on 1 of 1: NoAnswer: false ended with code 1",
            id="evaluators that fail",
        ),
    ],
)
def test_import_after_which_nothing_is_evaluated_says_so_and_ends_with_3(
    tmp_path: Path, spans: list[Span], entries: str, said: str
) -> None:
    (tmp_path / "spans.pb").write_bytes(agent_spans.export_request(spans) or b'{"resourceSpans": []}')
    done = inside("import", "--store", "store.duckdb", "spans.pb", at=tmp_path, TRACEGRADE_EVALUATORS=entries)
    assert done.code == 3, done
    assert said in " ".join(done.text.split())
    assert "nothing was evaluated" in done.text


def test_missing_file_is_named_before_anything_is_imported(tmp_path: Path) -> None:
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request(agent_spans.trip()))
    done = inside("import", "--store", "store.duckdb", "trip.pb", "nowhere.pb", at=tmp_path)
    assert done.code == 2
    assert "nowhere.pb" in done.err
    assert not (tmp_path / "store.duckdb").exists()
