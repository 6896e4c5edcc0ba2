"""The harness throws what it says, and tells what does not hold."""

from __future__ import annotations

import gzip
import math
import os
import random
import socket
import tempfile
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.attack import __main__ as frame
from tests.attack.assault import ATTACKERS
from tests.attack.attacker import Met
from tests.attack.attackers.forms import FORMS
from tests.attack.attackers.held import Hold
from tests.attack.attackers.previews import ENTRIES_WITH_CODE, SLOW_ENTRIES
from tests.attack.gauge import Gauge, Held
from tests.attack.kept import Kept
from tests.attack.neighbour import DEEDS, PHASES, Deed, Phase, Sent
from tests.attack.outcome import Outcome, lines
from tests.attack.payloads import bombs, flood, large_resource, mutated, quiet_run
from tests.attack.scene import Plan
from tests.attack.statements import HOSTILE

from tracegrade.queries.fence import MAX_SQL_CHARACTERS
from tracegrade.queries.ports import PreviewRequest

HELD = Held(processes=2, threads=30, descriptors=60, connections=2)
GB = 2**30


def make_sent(deed: Deed, phase: Phase, *, took_s: float = 0.01, refusal: str | None = None) -> Sent:
    return Sent(deed=deed, phase=phase, at_s=0.0, took_s=took_s, refusal=refusal, trace_id=phase)


USUAL = [make_sent(deed, phase) for deed in DEEDS for phase in PHASES]


def make_met(answers: Mapping[str, int]) -> Met:
    return Met(sum(answers.values()), Counter(answers))


def outcome(**other: Any) -> Outcome:
    """One in which everything holds, but for what is said otherwise."""
    kept = Kept(to_score_s=dict.fromkeys(PHASES, 5.0), lost=0, doubled=0, forged_names=0, planted_costs=0, findings=())
    usual: dict[str, Any] = {
        "confined_by": "cgroup",
        "memory_bytes": 2 * GB,
        "peak_bytes": GB,
        "kills": 0,
        "stopped_with": 0,
        "sent": USUAL,
        "met": {"bombs": make_met({"413": 7}), "hostile SELECTs": make_met({"400": 9, "hung up": 2})},
        "turns_kept": [],
        "files_left": [],
        "held_before": HELD,
        "held_after": HELD,
        "kept": replace(kept, **other.pop("kept", {})),
    }
    return Outcome(**{**usual, **other})


def failing(found: Outcome) -> list[str]:
    return [must.title for must in found.musts if not must.holds]


def test_nothing_is_marked_where_everything_holds() -> None:
    assert failing(outcome()) == []
    assert not any("<--" in line for line in lines(outcome()))


@pytest.mark.parametrize(
    ("other", "title"),
    [
        pytest.param(
            {"sent": [*USUAL, make_sent("export", "gone", refusal="503")]},
            "exports refused",
            id="export refused",
        ),
        pytest.param({"kept": {"to_score_s": dict.fromkeys(PHASES, 16.0)}}, "p95 to score", id="scored late"),
        pytest.param(
            {"kept": {"to_score_s": {**dict.fromkeys(PHASES, 5.0), "during": math.inf}}}, "p95 to score", id="unscored"
        ),
        pytest.param({"kept": {"lost": 1}}, "runs lost", id="lost"),
        pytest.param({"kept": {"doubled": 1}}, "doubled", id="doubled"),
        pytest.param({"peak_bytes": 2 * GB}, "peak memory", id="memory"),
        pytest.param({"kills": 1}, "ended by the kernel", id="killed"),
        pytest.param({"sent": [*USUAL, make_sent("page", "during", took_s=3.0)]}, "p95 of a page", id="slow page"),
        pytest.param({"sent": [*USUAL, make_sent("login", "during", refusal="429")]}, "p95 of a login", id="login"),
        pytest.param({"sent": [*USUAL, make_sent("readyz", "after", took_s=1.1)]}, "/readyz", id="slow probe"),
        pytest.param({"met": {"mutated": make_met({"500": 1})}}, "errors of ours", id="server error"),
        pytest.param({"met": {"x": make_met({"500 to select 1": 1})}}, "errors of ours", id="server error to a query"),
        pytest.param({"met": {"files": make_met({"exit 1, traceback": 1})}}, "errors of ours", id="traceback"),
        pytest.param({"met": {"logins": make_met({"200, got through": 1})}}, "got through", id="got through"),
        pytest.param({"met": {"logins": make_met({})}}, "met nobody", id="idle attacker"),
        pytest.param({"met": {}}, "met nobody", id="no attackers"),
        pytest.param({"stopped_with": None}, "told to stop", id="ended by itself"),
        pytest.param({"kept": {"findings": ({"finding": "x"},)}}, "ledger audit", id="audit"),
        pytest.param({"kept": {"forged_names": 1}}, "names that act", id="names"),
        pytest.param({"kept": {"planted_costs": 1}}, "costs kept", id="costs"),
        pytest.param({"turns_kept": ["/preview"]}, "turns not given back", id="turns"),
        pytest.param({"files_left": ["spool"]}, "files left", id="files"),
        pytest.param({"held_after": replace(HELD, descriptors=90)}, "held beyond", id="descriptors"),
        pytest.param({"held_after": None}, "held beyond", id="nobody there"),
        pytest.param(
            {"sent": [*USUAL, *[make_sent("query", "after", took_s=2.0)] * 2]}, "query, attackers", id="slower"
        ),
    ],
)
def test_each_thing_that_does_not_hold_is_told_apart(other: dict[str, Any], title: str) -> None:
    found = outcome(**other)
    assert [title in told for told in failing(found)] == [True]
    assert sum("<--" in line for line in lines(found)) == 1


def test_store_that_cannot_be_opened_is_a_finding() -> None:
    assert {"its runs lost", "findings of the ledger audit"} <= set(failing(replace(outcome(), kept=None)))


@pytest.mark.parametrize(("found", "code"), [(outcome(), 0), (outcome(kills=1), 1)], ids=["holds", "does not"])
def test_exit_code_tells_whether_everything_holds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], found: Outcome, code: int
) -> None:
    plans: list[Plan] = []

    def attacked(plan: Plan, folder: Path, log: Any) -> Outcome:
        plans.append(plan)
        return found

    monkeypatch.setattr(frame, "attacked", attacked)
    assert frame.main(["--minutes", "2", "--seed", "7"]) == code
    assert plans == [Plan(minutes=2, memory_bytes=2 * GB, seed=7)]
    assert "seed 7" in capsys.readouterr().out


def test_attack_gets_what_the_rest_leaves_of_the_minutes() -> None:
    attack_s = {minutes: Plan(minutes=minutes, memory_bytes=GB, seed=0).attack_s for minutes in (0, 1, 2, 10)}
    assert attack_s == pytest.approx({0: 40, 1: 40, 2: 72, 10: 516})


def test_bombs_are_small_on_the_wire_and_large_behind_it() -> None:
    zipped = [bomb for bomb in bombs() if bomb.encoding == "gzip" and bomb.name != "gzip in gzip"]
    assert len(zipped) > 5
    for bomb in zipped:
        assert len(bomb.body) < 300_000
        assert len(gzip.decompress(bomb.body)) > 3 * len(bomb.body) > 0


def test_large_resource_and_empty_spans_are_exports() -> None:
    assert len(ExportTraceServiceRequest.FromString(large_resource()).resource_spans[0].resource.attributes[1].key) > 0
    empty = next(bomb for bomb in bombs() if bomb.name == "empty events")
    assert gzip.decompress(empty.body).count(bytes([Span.EVENTS_FIELD_NUMBER << 3 | 2, 0])) > 1_000_000


def test_flood_has_as_many_traces_as_spans() -> None:
    body = flood(300, random.Random(1)).body
    spans = ExportTraceServiceRequest.FromString(body).resource_spans[0].scope_spans[0].spans
    assert len({span.trace_id for span in spans}) == len({span.span_id for span in spans}) == 300


def test_mutated_exports_differ_from_honest_ones_and_repeat_with_their_seed() -> None:
    assert mutated(random.Random(3)).body != quiet_run(random.Random(3).randbytes(16))
    assert mutated(random.Random(3)).signal == mutated(random.Random(3)).signal


@pytest.mark.parametrize("sql", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_statement_is_short_enough_to_reach_the_database(sql: str) -> None:
    assert len(sql) < MAX_SQL_CHARACTERS


def test_forms_are_about_as_large_as_one_may_be_or_larger() -> None:
    assert min(map(len, FORMS)) > 60_000
    assert max(map(len, FORMS)) > 1_000_000


def test_hostile_entries_are_short_enough_to_be_read() -> None:
    for entry in (*SLOW_ENTRIES, *ENTRIES_WITH_CODE):
        PreviewRequest(entry=entry, since=datetime(2026, 1, 1, tzinfo=UTC))


def test_holder_counts_answers_and_opens_again_what_is_closed() -> None:
    met, stopped = Met(), threading.Event()

    def refuse(listening: socket.socket) -> None:
        for number in range(6):
            connection, _ = listening.accept()
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n" if number % 2 else b"HTTP/1.1 503 Unavailable\r\n\r\n")
            connection.close()
        stopped.set()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        answering = threading.Thread(target=refuse, args=(listening,))
        answering.start()
        address = ("127.0.0.1", listening.getsockname()[1])
        Hold([b"GET / HTTP/1.1\r\n\r\n"], most=2, may_succeed=False).attack([address], random.Random(1), met, stopped)
        answering.join()
    assert met.requests >= 6
    assert {"200, got through", "503"} <= met.answers.keys()


def test_files_that_are_open_without_a_name_are_found(tmp_path: Path) -> None:
    gauge = Gauge(os.getpid())
    before = gauge.files(tmp_path)
    with tempfile.TemporaryFile(dir=tmp_path), (tmp_path / "spool").open("wb"):
        names = [Path(name).name for name in gauge.files(tmp_path) - before]
    assert len(names) == 2
    assert "spool" in names


def test_readme_has_a_row_for_every_attacker_and_must() -> None:
    readme = (Path(frame.__file__).parent / "README.md").read_text(encoding="utf-8")
    cells = [line.split("|")[1] for line in readme.splitlines() if line.startswith("|")]
    rows = {title.strip() for cell in cells for title in cell.split(";")}
    assert {*(attacker.name for attacker in ATTACKERS), *(must.title for must in outcome().musts)} - rows == set()
