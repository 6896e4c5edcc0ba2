"""The harness counts what it is there to count: a fault that is put into a store is found, and told apart."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.durability import __main__ as frame
from tests.durability import kills, orders
from tests.durability.corpus import recorded, written
from tests.durability.judge import Ask, CountingJudge
from tests.durability.outcome import Outcome, audited, compare, imported, missing_spans, read
from tests.durability.part import MUST_BE_ZERO, Counts, Found, Part, Trial
from tests.durability.sending import batches_of
from tests.durability.table import Tally, lines
from tests.support.records import Record, body_of

from tracegrade.collector.otlp.signal import Signal


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    """A store with three runs, and what it says."""
    folder = tmp_path_factory.mktemp("clean")
    found = imported(folder, runs(), {})
    return folder / "clean.duckdb", found


@cache
def runs() -> tuple[Record, ...]:
    chance = random.Random(1)
    return tuple(record for number in range(3) for record in written(number, chance))


FIRST_SPAN = "(trace_id, span_id) = (select (trace_id, span_id) from spans order by all limit 1)"
FIRST_SCORE = "score_id = (select min(score_id) from scores where evaluator = 'run_completion')"


@pytest.mark.parametrize(
    ("tampering", "expected"),
    [
        pytest.param("select 1", {}, id="nothing"),
        pytest.param(f"delete from spans where {FIRST_SPAN}", {"lost": 1}, id="a span is lost"),
        pytest.param(f"insert into spans from spans where {FIRST_SPAN}", {"doubled": 1}, id="a span is doubled"),
        pytest.param(
            "update agent_traces set fingerprint = 'x' where agent_trace_id = (select min(target_id) from scores)",
            {"runs_differing": 1},
            id="a run differs",
        ),
        pytest.param(
            f"delete from scores where {FIRST_SCORE}",
            {"scores_missing": 1, "audit_findings": 3},
            id="a score is missing",
        ),
        pytest.param(
            f"update scores set value = 0.125 where {FIRST_SCORE}",
            {"scores_other": 1, "audit_findings": 2},
            id="another score",
        ),
        pytest.param(
            f"insert into scores select * replace ('x' as score_id) from scores where {FIRST_SCORE}",
            {"scores_other": 1, "active_twice": 1, "audit_findings": 3},
            id="a score is active twice",
        ),
    ],
)
def test_each_fault_of_a_store_is_counted_as_what_it_is(
    tmp_path: Path, clean: tuple[Path, Outcome], tampering: str, expected: dict[str, int]
) -> None:
    file, told = clean
    store = tmp_path / "store.duckdb"
    shutil.copy(file, store)
    with duckdb.connect(str(store)) as connection:
        connection.execute(tampering)
    counts, faults = compare(read(store), told, audited(store, {}))
    assert {name: getattr(counts, name) for name in MUST_BE_ZERO if getattr(counts, name)} == expected
    assert bool(faults) == bool(expected)
    assert counts.runs == 3 + sum(1 for record in runs() if record.span_id.endswith("0065"))


def test_what_was_acknowledged_and_is_not_kept_is_missing(clean: tuple[Path, Outcome]) -> None:
    other = written(9, random.Random(2))
    with duckdb.connect(str(clean[0]), read_only=True) as connection:
        lost, doubled = missing_spans(lambda sql: connection.execute(sql).fetchall(), [*runs(), *other])
    assert set(lost) == {f"{record.trace_id}/{record.span_id}" for record in other}
    assert doubled == []


@pytest.mark.parametrize(
    ("asks", "killed_at", "full", "is_twice"),
    [
        pytest.param([(0.0, 0.3)], [], [], False, id="once"),
        pytest.param([(0.0, 0.3), (2.0, 2.3)], [], [], True, id="again without a kill"),
        pytest.param([(0.0, 0.3), (2.0, 2.3)], [0.2], [], False, id="killed before the answer"),
        pytest.param([(0.0, 0.3), (2.0, 2.3)], [0.4], [], False, id="killed when it may not be committed"),
        pytest.param([(0.0, 0.3), (20.0, 20.3)], [10.0], [], True, id="killed when it was committed"),
        pytest.param([(5.0, 5.3), (8.0, 8.3)], [1.0], [], True, id="killed before it was asked"),
        pytest.param([(0.0, 0.3), (1.0, 1.3), (2.0, 2.3)], [0.2], [], True, id="asked three times for one kill"),
        pytest.param([(0.0, 0.3), (20.0, 20.3)], [8.0], [(0.2, 2.0)], False, id="killed soon after the disk was full"),
        pytest.param([(0.0, 0.3), (20.0, 20.3)], [], [(0.2, 2.0)], True, id="again after a full disk without a kill"),
        pytest.param([(5.0, 5.3), (20.0, 20.3)], [11.0], [(0.2, 2.0)], True, id="the disk was full long before"),
    ],
)
def test_question_counts_as_asked_twice_unless_a_kill_made_it_necessary(
    asks: list[tuple[float, float]],
    killed_at: list[float],
    full: list[tuple[float, float]],
    is_twice: bool,  # noqa: FBT001 - a row of a table
) -> None:
    judge = CountingJudge(asks=[Ask("why", *times) for times in asks] + [Ask("other", 0.0, 0.1)])
    assert list(judge.twice(killed_at, full)) == (["why"] if is_twice else [])


@pytest.mark.parametrize("name", orders.ORDERS)
def test_order_sends_every_record(name: str) -> None:
    records = [*runs(), *recorded(random.Random(3), 4)]
    waves = orders.ORDERS[name](records, random.Random(4))
    sent = [record for wave in waves for batch in wave for record in batch.records]
    assert set(map(id, sent)) == set(map(id, records))
    assert all(record.signal is batch.signal for wave in waves for batch in wave for record in batch.records)


def test_seed_repeats_the_plan() -> None:
    first, again, other = (kills.Plan.drawn(random.Random(seed), 60) for seed in (1, 1, 2))
    assert first.lives == again.lives
    assert [body_of(batch.records) for batch in first.batches] == [body_of(batch.records) for batch in again.batches]
    assert [body_of(batch.records) for batch in first.batches] != [body_of(batch.records) for batch in other.batches]


def test_requests_are_of_one_signal_and_together_all_records() -> None:
    records = recorded(random.Random(5), 40)
    assert {record.signal for record in records} == {Signal.TRACES, Signal.LOGS}
    sent = [batch.records for batch in batches_of(records, random.Random(6))]
    assert [record for batch in sent for record in batch] == records


@pytest.mark.parametrize(
    ("run", "code"),
    [
        pytest.param(lambda _: Found(Counts(kills=1, spans=5)), 0, id="no fault"),
        pytest.param(lambda _: Found(Counts(lost=1), ["a span is lost"]), 1, id="a fault"),
        pytest.param(lambda _: Found(Counts(), ["it did not stop"]), 1, id="a fault that has no line"),
        pytest.param(lambda _: 1 / 0, 1, id="a trial that fails"),
        pytest.param(lambda _: pytest.skip("it cannot be mounted"), 0, id="a trial that cannot be made here"),
    ],
)
def test_exit_code_tells_of_faults(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], run: Callable[[Trial], Any], code: int
) -> None:
    part = Part(name="pulling", summary="pulls", share=1, run=run)
    monkeypatch.setattr(frame, "known_parts", lambda: {"pulling": part})
    assert frame.main(["--minutes", "0", "--seed", "7"]) == code
    shown = capsys.readouterr().out
    assert "seed 7" in shown
    assert ("again: poe durability pulling --seed 7 --trial 0" in shown) == bool(code)


def test_part_gets_trials_for_its_share_and_at_least_one(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: dict[str, list[float]] = {"long": [], "short": []}

    def part(name: str, share: float) -> Part:
        def run(trial: Trial) -> Found:
            ends[name].append(trial.seconds_left)
            return Found(Counts())

        return Part(name=name, summary=name, share=share, run=run)

    monkeypatch.setattr(frame, "known_parts", lambda: {"long": part("long", 3), "short": part("short", 1)})
    assert frame.main(["--minutes", "0.004", "--trial", "2", "long"]) == 0
    assert len(ends["long"]) == 1
    assert frame.main(["--minutes", "0.004"]) == 0
    assert ends["long"][1] > 2 * ends["short"][0] > 0
    assert len(ends["long"]) > 2


def test_part_that_cannot_be_made_here_is_tried_once_and_has_no_trials(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    part = Part(name="mounting", summary="mounts", share=1, run=lambda _: pytest.skip("it cannot be mounted"))
    monkeypatch.setattr(frame, "known_parts", lambda: {"mounting": part})
    assert frame.main(["--minutes", "0.01"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("not made here: it cannot be mounted") == 1
    assert re.search(r"^trials +0 +0$", shown, re.MULTILINE)


def test_every_part_of_the_readme_is_there_and_no_other() -> None:
    readme = (frame.FOLDER / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", readme, re.MULTILINE)) == set(frame.known_parts())


def test_table_has_a_column_a_part_and_marks_what_must_be_zero() -> None:
    kills_, orders_ = Tally("kills"), Tally("orders")
    kills_.add(Found(Counts(kills=58, spans=1200)))
    orders_.add(Found(Counts(orders=27, spans=300, doubled=2), ["doubled"]))
    shown = {line[:30].strip(): line[30:].split() for line in lines([kills_, orders_])}
    assert shown[""] == ["kills", "orders", "all"]
    assert shown["kills"] == ["58", "0", "58"]
    assert shown["spans acknowledged"] == ["1,200", "300", "1,500"]
    assert shown["spans and logs lost"] == ["0", "0", "0"]
    assert shown["spans and logs doubled"] == ["0", "2", "2", "<--"]
    assert shown["trials with a fault"] == ["0", "1", "1", "<--"]
