"""What judges cost and how far they agree with people: asked of a file, and of the server that holds it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support import agent_spans
from tests.support.command import Done, inside, tracegrade
from tests.support.otlp import run_id, span_id, trace_id
from tests.support.score_rows import insert_scores, make_judge_call, make_judge_score
from tests.support.server import new_trace, running
from tests.support.store import opened

from tracegrade.collector.store.ledger.judge_calls import StoredJudgeCalls

PEOPLE = "trace,passed,author\n"


def command(folder: Path, *arguments: str | Path) -> Done:
    return inside(*arguments, "--store", folder / "store.duckdb", at=folder)


def write_judged_runs(folder: Path, *traces: int, **passed: Any) -> None:
    """Runs on which the judge `polite` has said whether they passed."""
    with opened(folder) as store:
        for trace in traces:
            store.arrive(agent_spans.trip(trace))
        store.revise(*traces)
        with store.results.transaction() as connection:
            rows = (_said(trace, passed.get(f"run_{trace}", True)) for trace in traces)
            insert_scores(connection, *rows)


def _said(trace: int, passed: bool) -> Mapping[str, Any]:  # noqa: FBT001 - a row of a table
    about = {"agent_trace_id": run_id(trace), "trace_id": trace_id(trace), "span_id": span_id(1)}
    return make_judge_score(run_id(trace), passed=passed, value=float(passed), **about)


def file(folder: Path, text: str) -> Path:
    path = folder / "labels.csv"
    path.write_text(text)
    return path


def test_labels_of_people_are_imported_and_compared_with_the_judge(tmp_path: Path) -> None:
    write_judged_runs(tmp_path, 1, 2, 3, 4, run_3=False)
    said = {1: "yes", 2: "no", 3: "no", 4: "yes"}
    labels = file(tmp_path, PEOPLE + "".join(f"{trace_id(trace)},{word},ada\n" for trace, word in said.items()))
    done = command(tmp_path, "annotate", "--import", labels, "--name", "polite")
    assert (done.code, done.err, done.text) == (0, "", "4 stored, 0 rejected\n")
    (found,) = json.loads(command(tmp_path, "calibrate", "--json").out)
    assert (found["evaluator"], found["n"], found["agreement"], found["cohens_kappa"]) == ("polite", 4, 0.75, 0.5)
    assert (found["false_positives"], found["strength"]) == (1, "moderate")
    shown = command(tmp_path, "calibrate", "--evaluator", "polite")
    assert shown.code == 0
    for word in ("75%", "0.50", "moderate", "only 4 pairs"):
        assert word in shown.text


def test_import_names_the_rows_it_cannot_use_and_says_nothing_twice(tmp_path: Path) -> None:
    write_judged_runs(tmp_path, 1, 2)
    labels = file(tmp_path, f"{PEOPLE}{trace_id(1)},yes,\n{trace_id(9)},yes,\n{trace_id(2)},so-so,\n{run_id(2)},no,\n")
    for _ in range(2):
        done = command(tmp_path, "annotate", "--import", labels, "--name", "polite", "--author", "ada")
        assert (done.code, done.text) == (1, "2 stored, 2 rejected\n")
        first, second = done.err.splitlines()
        assert f"labels.csv: line 3: target: there is no run in trace {trace_id(9)}" in first
        assert "labels.csv: line 4: passed: " in second
    with opened(tmp_path) as store:
        assert store.one("select count(*) from scores where evaluator_kind = 'human'") == 2
        assert store.rows("select target_id, passed, author from annotations order by all") == [
            (run_id(1), True, "ada"),
            (run_id(2), False, "ada"),
        ]


def test_import_takes_the_beginning_of_an_id_where_the_command_does(tmp_path: Path) -> None:
    write_judged_runs(tmp_path, 0xABC << 116, 0xABD << 116)
    begins = [trace_id(0xABC << 116)[:4], run_id(0xABD << 116)[:40], "ab", "ff"]
    labels = file(tmp_path, PEOPLE + "".join(f"{word},yes,ada\n" for word in begins))
    done = command(tmp_path, "annotate", "--import", labels, "--name", "polite")
    assert (done.code, done.text) == (1, "2 stored, 2 rejected\n")
    several, none = done.err.splitlines()
    assert "labels.csv: line 4: trace: several traces begin with 'ab'" in several
    assert "labels.csv: line 5: trace: no run has an id that begins with 'ff'" in none
    with opened(tmp_path) as store:
        kept = store.rows("select target_id from annotations order by all")
    assert kept == [(run_id(0xABC << 116),), (run_id(0xABD << 116),)]


def test_entries_that_are_refused_are_named_also_where_all_stand_in_one_line(tmp_path: Path) -> None:
    write_judged_runs(tmp_path, 1)
    rows = [{"trace": trace_id(trace), "passed": True, "position": position} for trace, position in ((1, 9), (1, 0))]
    rows += [{"trace": trace_id(1), "passed": "so-so"}, {"trace": trace_id(9), "passed": True}, {"trace": trace_id(1)}]
    done = command(tmp_path, "annotate", "--import", file(tmp_path, json.dumps(rows)), "--name", "polite")
    assert (done.code, done.text) == (1, "1 stored, 4 rejected\n")
    assert [line.partition(": ")[2][:15] for line in done.err.splitlines()] == [
        f"line 1, entry {number}" for number in (1, 3, 4, 5)
    ]


def test_import_tells_of_scores_that_their_author_has_changed_since(tmp_path: Path) -> None:
    write_judged_runs(tmp_path, 1)
    labels = file(tmp_path, f"{PEOPLE}{trace_id(1)},yes,ada\n")
    options = ("annotate", "--import", labels, "--name", "polite")
    assert command(tmp_path, *options).text == "1 stored, 0 rejected\n"
    command(tmp_path, "annotate", trace_id(1), "--name", "polite", "--author", "ada", "--bad")
    again = command(tmp_path, *options)
    assert again.code == 0
    assert "1 of them are not active" in again.text
    with opened(tmp_path) as store:
        assert store.one("select passed from annotations") is False


def test_server_that_holds_the_store_takes_the_import_and_tells_what_judges_cost(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    with running(store) as server:
        server.export(agent_spans.trip(trace := new_trace()))
        server.scores(trace_id(trace))
        rows = [{"target_id": run_id(trace), "evaluator": "polite", "value": 0.5}, {"trace": trace_id(7), "value": 1}]
        labels = file(tmp_path, json.dumps(rows))
        done = tracegrade("annotate", "--import", labels, "--name", "kind", "--store", store, at=tmp_path)
        assert (done.code, done.text) == (1, "1 stored, 1 rejected\n")
        assert "line 1, entry 2: target: there is no run in trace" in done.err
        assert server.rows("select target_id, evaluator, value from annotations") == [[run_id(trace), "polite", 0.5]]
        assert command(tmp_path, "judges").text == "no judge is configured, and none was asked today\n"
        refused = command(tmp_path, "calibrate")
        assert (refused.code, refused.text) == (3, "")
        assert "Scores of people: polite." in refused.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a run by its id"),
        (("0001",), "give --good, --bad, --score, --label or --comment"),
        (("0001", "--import", "x.csv"), "--import reads targets and scores from the file"),
        (("--import", "x.csv", "--bad"), "only --name and --author can be combined with it"),
        (("--import", "x.csv"), "x.csv cannot be read: No such file"),
    ],
    ids=["nothing", "no name", "trace and file", "score and file", "no file"],
)
def test_annotate_says_what_it_wants(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    write_judged_runs(tmp_path, 1)
    done = command(tmp_path, "annotate", *arguments)
    assert done.code == 2
    assert said in done.err


def test_nothing_to_compare_ends_with_three_and_says_how_to_annotate(tmp_path: Path) -> None:
    write_judged_runs(tmp_path, 1)
    done = command(tmp_path, "calibrate", "--evaluator", "polite", "--json")
    assert (done.code, done.text) == (3, "")
    assert "`tracegrade annotate TRACE --name polite --good`" in done.err


def test_judges_are_told_with_what_they_cost_today(tmp_path: Path) -> None:
    today = datetime.now(UTC).replace(tzinfo=None)
    calls = [
        make_judge_call(1, started_at=today, input_tokens=1000, output_tokens=200, cost_usd=1.25, duration_ms=800.0),
        make_judge_call(2, started_at=today, input_tokens=10, output_tokens=2, duration_ms=1200.0, model="house"),
        make_judge_call(3, started_at=today, from_cache=True, request=None, response=None),
        make_judge_call(4, started_at=today, status="error", response=None, error="401: the key\nis wrong"),
        make_judge_call(5, started_at=today, status="unusable", evaluator="right", cost_usd=0.0),
        make_judge_call(6, started_at=today - timedelta(days=1), cost_usd=50.0),
        make_judge_call(7, started_at=today, response={"text": "yes", "estimated": True}, cost_usd=0.0),
        make_judge_call(
            8, started_at=today, status="unusable", from_cache=True, request=None, response=None, error="known"
        ),
    ]
    with opened(tmp_path) as store:
        StoredJudgeCalls(store.database, store.results).record(calls)
    (found,) = json.loads(command(tmp_path, "judges", "--json").out)
    figures = ("judge", "calls", "cached", "errors", "unusable", "unpriced_calls", "cost_usd", "input_tokens")
    assert [found[name] for name in figures] == ["default", 5, 2, 1, 1, 1, 1.25, 1010]
    assert found["models"] == ["gpt-4.1-mini", "house"]
    assert (found["estimated_calls"], found["last_error"]) == (1, "401: the key\nis wrong")
    assert {one["evaluator"]: one["calls"] for one in found["evaluators"]} == {"polite": 4, "right": 1}
    shown = command(tmp_path, "judges").text
    for word in (
        "$1.25 + ?",
        "1,212",
        "the price of 1 call is unknown",
        "the tokens of 1 call were not reported: estimated",
        "401: the key is wrong",
        "not in the configuration",
    ):
        assert word in shown
