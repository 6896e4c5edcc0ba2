"""Why a run has no score, how far behind evaluators are, whether one was lost: asked of a server and of a file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest
from tests.support import agent_spans
from tests.support.command import Done, inside, tracegrade
from tests.support.otlp import trace_id
from tests.support.polling import until
from tests.support.server import HURRIED, JUDGES, Server, new_trace, running

EVALUATORS = [
    {"use": "defaults"},
    {"use": "tool_error", "name": "picky", "when": "agent_name = 'checkout'"},
    {"use": "tool_error", "name": "rare", "sample": 0.0},
    {"use": "tool_error", "name": "yearly", "schedule": "0 0 1 1 *"},
    {"use": "tool_error", "name": "stopped"},
]
VARIABLES = {**HURRIED, "TRACEGRADE_EVALUATORS": json.dumps(EVALUATORS)}
STATES = {
    "run_completion": "scored",
    "tool_call_validity": "skipped",
    "tool_error": "scored",
    "tool_efficiency": "scored",
    "tool_name_reliability": "excluded",
    "tool_description_reliability": "excluded",
    "tool_correctness": "no_reference",
    "tool_trajectory": "no_reference",
    "picky": "excluded",
    "rare": "excluded",
    "yearly": "queued",
    "stopped": "queued",
}


@dataclass(frozen=True)
class Asked:
    """A server with one judged run, whose evaluator `stopped` is paused."""

    server: Server
    trace_id: str

    def command(self, *arguments: str, **variables: str) -> Done:
        return inside(*arguments, "--store", self.server.store, at=self.server.store.parent, **VARIABLES, **variables)

    def json(self, *arguments: str) -> Any:
        return json.loads(self.command(*arguments, "--json").out)


@pytest.fixture(scope="module")
def explained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    with running(tmp_path_factory.mktemp("explain") / "s.duckdb", variables=VARIABLES) as server:
        url = f"{server.web}/api/v1/evaluators/stopped/pause"
        assert httpx.post(url, json={}, timeout=30, trust_env=False).is_success
        trace = server.add_run()
        one = Asked(server, trace_id(trace))
        until(lambda: one.json("explain", one.trace_id), _is_through)
        yield one


def _is_through(told: Any) -> bool:
    (run,) = told["runs"]
    queued = {one["evaluator"] for one in run["evaluators"] if one["state"] == "queued"}
    return queued <= {"yearly", "stopped"}


def test_server_explains_by_its_own_evaluators_wherever_it_is_asked_from(explained: Asked, tmp_path: Path) -> None:
    done = inside("explain", explained.trace_id, "--server", explained.server.web, "--json", at=tmp_path)
    assert json.loads(done.out) == explained.json("explain", explained.trace_id)
    (run,) = json.loads(done.out)["runs"]
    assert {one["evaluator"]: one["state"] for one in run["evaluators"]} == STATES


@pytest.mark.parametrize("body", [{}, {"id": ""}, {"id": 1}, {"id": "ab", "at": "now"}], ids=str)
def test_server_that_is_asked_amiss_to_explain_says_what_is_wrong(explained: Asked, body: dict[str, Any]) -> None:
    answer = httpx.post(f"{explained.server.web}/api/v1/explain", json=body, timeout=30, trust_env=False)
    assert (answer.status_code, answer.json()["kind"]) == (400, "malformed")


def test_every_evaluator_is_explained_with_its_state(explained: Asked) -> None:
    (run,) = explained.json("explain", explained.trace_id[:20])["runs"]
    assert (run["trace_id"], run["completeness"], run["revision"]) == (explained.trace_id, "complete", 1)
    assert run["prospect"] is None
    assert {one["evaluator"]: one["state"] for one in run["evaluators"]} == STATES


def test_explanation_is_told_to_people_with_the_remedy(explained: Asked) -> None:
    folder = explained.server.store.parent
    done = tracegrade("explain", explained.trace_id, "--store", "s.duckdb", at=folder, COLUMNS="200", **VARIABLES)
    assert done.code == 0, done.err
    for words in ("travel: revision 1, complete", "left out by `sample: 0`", "tracegrade evaluators stopped --resume"):
        assert words in done.text


def test_backlog_tells_state_and_what_waits_of_every_evaluator(explained: Asked) -> None:
    told = {one["evaluator"]: one for one in explained.json("backlog")}
    assert list(told) == list(STATES)
    assert {name: one["state"] for name, one in told.items() if one["state"] != "running"} == {
        "yearly": "scheduled",
        "stopped": "paused",
    }
    assert told["yearly"]["next_at"].endswith("-01-01T00:00:00")
    assert (told["stopped"]["new"], told["stopped"]["last_pass"]) == (1, None)
    assert (told["tool_error"]["new"], told["tool_error"]["lag_s"], told["tool_error"]["last_pass"]["due"]) == (0, 0, 1)
    table = explained.command("backlog")
    assert table.code == 0, table.err
    assert re.search(r"^stopped +paused \d+[sm] +1 +0 +0 +\d+[sm] +-", table.text, re.MULTILINE)


def test_metrics_tell_the_same(explained: Asked) -> None:
    assert explained.server.figure('tracegrade_backlog{evaluator="stopped"}') == 1
    assert explained.server.figure('tracegrade_evaluator_paused{evaluator="stopped"}') == 1
    assert explained.server.figure('tracegrade_evaluator_lag_seconds{evaluator="stopped"}') > 0
    assert explained.server.figure('tracegrade_backlog{evaluator="tool_error"}') == 0


def test_audit_of_a_running_server_finds_nothing(explained: Asked) -> None:
    done = explained.command("doctor", "--ledger")
    assert done.code == 0, done.text + done.err
    assert "12 evaluators audited, 0 findings" in done.text
    assert "tool_correctness, tool_trajectory may leave out runs without a reference" in done.text


def test_trace_without_an_agent_is_explained_by_the_doctor(explained: Asked) -> None:
    trace = new_trace()
    explained.server.export([agent_spans.span(1, trace=trace, name="GET /")])
    until(lambda: explained.command("explain", trace_id(trace)).text, lambda text: f"doctor {trace_id(trace)}" in text)
    assert f"trace {trace_id(trace)}: 1 spans, no agent run." in explained.command("explain", trace_id(trace)).text


SLOW = {"TRACEGRADE_ASSEMBLY__GRACE": "1h", "TRACEGRADE_ASSEMBLY__IDLE": "1h"}


def test_trace_that_is_still_open_says_when_it_is_assembled(tmp_path: Path) -> None:
    with running(tmp_path / "s.duckdb", variables={**HURRIED, **SLOW}) as server:
        trace = new_trace()
        server.export(agent_spans.trip(trace))
        done = inside("explain", trace_id(trace), "--store", server.store, at=tmp_path)
    assert done.code == 0, done.err
    assert "no agent run. The last came at " in done.text
    assert "it is assembled 3600 s after that when it is complete, and 3600 s after it in any case." in done.text


def test_unknown_id_ends_with_1(explained: Asked) -> None:
    done = explained.command("explain", "feedfeed")
    assert done.code == 1
    assert "'feedfeed'" in done.err


@pytest.mark.parametrize(
    "arguments", [("doctor", "--json"), ("doctor", "--json", "feed"), ("doctor", "--ledger", "feed")], ids=" ".join
)
def test_doctor_is_told_what_to_look_at(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = inside(*arguments, at=tmp_path)
    assert done.code == 2
    assert "--ledger" in done.err


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A store without a server, in which a score was lost and another one stands twice."""
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request(agent_spans.trip(1)))
    assert inside("import", "--store", "s.duckdb", "trip.pb", at=tmp_path).code == 0
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("delete from scores where evaluator = 'tool_error'")
        connection.execute(
            "insert into scores by name select * replace (md5(score_id) as score_id)"
            " from scores where evaluator = 'tool_efficiency'"
        )
    return tmp_path


def test_audit_of_a_file_names_what_is_lost_or_twice_and_ends_with_1(broken: Path) -> None:
    done = inside("doctor", "--ledger", "--store", "s.duckdb", at=broken)
    assert (done.code, done.err) == (1, "")
    run = f"{trace_id(1)}-0000000000000001"
    missing = "looked at and selected, and has no score on the present revision (1)"
    assert f"missing  tool_error: {missing}\n    {run}" in done.text
    assert f"double  tool_efficiency: several active scores where there must be one (1)\n    {run}" in done.text
    told = json.loads(inside("doctor", "--ledger", "--json", "--store", "s.duckdb", at=broken).out)
    assert [(one["evaluator"], one["fault"], one["target_ids"]) for one in told["findings"]] == [
        ("tool_error", "missing", [run]),
        ("tool_efficiency", "double", [run]),
        (None, "wrong_hours", ["2026-01-01T00:00:00"]),
    ]


def test_lost_score_is_explained_as_missing_in_a_file(broken: Path) -> None:
    (run,) = json.loads(inside("explain", trace_id(1), "--json", "--store", "s.duckdb", at=broken).out)["runs"]
    states = {one["evaluator"]: one["state"] for one in run["evaluators"]}
    assert states["tool_error"] == "missing"
    assert {name for name, state in states.items() if state in {"scored", "skipped"}} == JUDGES - {"tool_error"}
