"""Scores from elsewhere through a real server: over OTLP, over the API, and from the command line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from tests.support import agent_spans, otlp
from tests.support.backend import http_backend, plain
from tests.support.command import inside, tracegrade
from tests.support.feedback import make_evaluator_span, make_record
from tests.support.otlp import run_id, span_id, trace_id
from tests.support.polling import until
from tests.support.server import HURRIED, Server, new_trace, running
from tests.support.store import store_with_runs


def annotate(server: Server, body: Any, **headers: str) -> httpx.Response:
    return httpx.post(f"{server.web}/api/v1/annotations", json=body, headers=headers, timeout=30, trust_env=False)


def add_run(server: Server, trace: int) -> str:
    """A run that has its scores; returns its id."""
    return run_id(server.add_run(trace))


def external(server: Server, trace: int, *, count: int = 1) -> list[Any]:
    sql = f"""select target_id, evaluator, value, author from latest_scores
              where trace_id = '{trace_id(trace)}' and evaluator_kind = 'external' order by all"""
    return until(lambda: server.rows(sql), lambda rows: len(rows) >= count)


@pytest.mark.parametrize("late", [False, True], ids=["before its run", "after its run"])
def test_score_that_arrives_over_otlp_stands_beside_ours(server: Server, *, late: bool) -> None:
    trace = new_trace()
    sent = [make_record(3, trace=trace, value=0.5), make_record(1, trace=trace, value=1.0)]
    body = otlp.logs_request(sent, resource={"service.name": "grader"})
    if late:
        add_run(server, trace)
    assert server.post(body, signal="logs").content == b""
    run = add_run(server, trace)
    assert external(server, trace, count=2) == [[run, "polite", 1.0, "grader"], [f"{run}#0", "polite", 0.5, "grader"]]
    assert server.one(f"select max(revision) from agent_traces where trace_id = '{trace_id(trace)}'") == 1


def test_score_in_a_trace_of_its_own_reaches_the_run_it_links_to(server: Server) -> None:
    trace = new_trace()
    run = add_run(server, trace)
    told = {"annotations.0.annotation.name": "right", "annotations.0.annotation.score": 0.25}
    server.export([make_evaluator_span(50, trace=new_trace(), target=(trace, 1), attributes=told)])
    assert external(server, trace) == [[run, "right", 0.25, "tests"]]


def test_annotation_over_http_is_there_at_once_and_only_once(server: Server) -> None:
    run = add_run(server, trace := new_trace())
    body = {"target": {"trace_id": trace_id(trace), "position": 0}, "name": "polite", "value": 0, "author": "ada"}
    first, again = annotate(server, {**body, "id": "1"}), annotate(server, {**body, "id": "1"})
    assert (first.status_code, again.json()) == (200, first.json())
    found = server.rows(f"select score_id, target_id, author, value from annotations where agent_trace_id = '{run}'")
    assert found == [[*first.json()["score_ids"], f"{run}#0", "ada", 0.0]]
    refused = annotate(server, {**body, "target": {"trace_id": "0" * 31 + "1"}})
    assert refused.status_code == 404
    assert server.one(f"select count(*) from latest_scores where agent_trace_id = '{run}'") == 5


def test_annotations_from_another_site_or_without_the_token_are_refused(tmp_path: Path) -> None:
    body = {"target": {"trace_id": trace_id(1)}, "name": "polite", "value": 1}
    with running(tmp_path / "store.duckdb", variables={**HURRIED, "TRACEGRADE_TOKEN": "secret"}) as server:
        assert annotate(server, body).status_code == 401
        assert annotate(server, body, authorization="Bearer secret", host="evil.example").status_code == 403
        assert annotate(server, body, authorization="Bearer secret").status_code == 404


def test_what_people_say_is_sent_on_and_what_came_from_elsewhere_is_not(tmp_path: Path) -> None:
    with (
        http_backend() as backend,
        running(tmp_path / "store.duckdb", variables={**HURRIED, "TRACEGRADE_EXPORT__ENDPOINT": backend.url}) as server,
    ):
        run = add_run(server, 1)
        server.post(otlp.logs_request([make_record(value=0.5)]), signal="logs")
        external(server, 1)
        annotate(server, {"target": {"agent_trace_id": run}, "name": "kind", "value": 1, "author": "ada"})
        kinds = "tracegrade.evaluation.kind"
        until(lambda: [plain(one.attributes)[kinds] for one in backend.logs], lambda found: "human" in found)
        sent = [plain(one.attributes) for one in backend.logs]
    assert {one[kinds] for one in sent} == {"code", "human"}
    assert [one["tracegrade.evaluation.author"] for one in sent if one[kinds] == "human"] == ["ada"]


def test_command_annotates_through_the_server_that_holds_the_store(server: Server) -> None:
    run = add_run(server, trace := new_trace())
    at = server.store.parent
    options = ("--store", server.store, "--name", "polite", "--author", "ada")
    done = tracegrade("annotate", trace_id(trace), *options, "--score", "0.5", "--comment", "it shouted", at=at)
    assert (done.code, done.err) == (0, "")
    assert inside("annotate", run, *options, "--call", "call_1", "--bad", at=at).code == 0
    assert inside("annotate", run, *options, "--span", span_id(2), "--label", "odd", at=at).code == 0
    sql = f"""select target_id, span_id, value, passed, label, explanation from annotations
              where agent_trace_id = '{run}' order by all"""
    assert server.rows(sql) == [
        [run, span_id(1), 0.5, None, None, "it shouted"],
        [run, span_id(2), None, None, "odd", None],
        [f"{run}#0", span_id(3), None, False, None, None],
    ]


def test_command_removes_and_lists_through_the_server_that_holds_the_store(server: Server) -> None:
    run = add_run(server, new_trace())
    at, store = server.store.parent, ("--store", server.store)
    assert inside("annotate", run, "--bad", "--author", "ada", *store, at=at).code == 0
    failing = f"select failing from runs where agent_trace_id = '{run}'"
    assert server.one(failing) is True
    done = inside("annotate", run, "--remove", "--author", "ada", *store, at=at)
    assert (done.code, done.err, server.one(failing)) == (0, "", False)
    assert inside("annotate", run, "--remove", "--author", "ada", *store, at=at).code == 1
    for name in ("polite", "right"):
        annotate(server, {"target": {"agent_trace_id": run}, "name": name, "passed": False, "author": "ada"})
    assert inside("annotate", "--queue", "--since", "1h", *store, at=at).code == 0
    assert "--since: 'soon' is not a time" in inside("annotate", "--queue", "--since", "soon", *store, at=at).err


def test_command_annotates_a_store_that_nobody_holds(tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    with running(store) as server:
        run = add_run(server, 1)
    said = ("--name", "polite", "--score", "1", "--author", "ada")
    done = inside("annotate", run[:40], "--store", store, *said, at=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert run in done.text
    assert "polite (ada)" in inside("show", run, "--store", store, at=tmp_path).text
    shown = inside("sql", "select value from annotations", "--store", store, "--format", "csv", at=tmp_path)
    assert shown.text.split() == ["value", "1.0"]


def test_show_tells_every_score_on_a_run_with_its_label_and_what_it_is_about(tmp_path: Path) -> None:
    file, store = tmp_path / "traces.pb", ("--store", tmp_path / "store.duckdb")
    spans = [
        replace(one, attributes={**one.attributes, "gen_ai.conversation.id": "talk"}) for one in agent_spans.trip(1)
    ]
    file.write_bytes(agent_spans.export_request([*spans, *agent_spans.trip(2)]))
    assert inside("import", file, "--no-evaluate", *store, at=tmp_path).code == 0
    said = [
        ("answer", "--label", "terse", "--score", "0.33333333"),
        ("right_tool", "--bad", "--call", "0"),
        ("whole_talk", "--good", "--label", "solved", "--session"),
    ]
    for name, *score in said:
        done = inside("annotate", trace_id(1), "--name", name, *score, "--author", "ada", *store, at=tmp_path)
        assert done.code == 0, done.err
    scores = inside("show", trace_id(1), *store, at=tmp_path).text.partition("\nscores\n")[2]
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in scores.splitlines() if "(ada)" in line]
    assert rows == [
        ["answer (ada)", "run", "scored", "0.3333", "terse", "∅"],
        ["right_tool (ada)", "call 0", "failed", "∅", "∅", "∅"],
        ["whole_talk (ada)", "session", "passed", "∅", "solved", "∅"],
    ]
    assert "(ada)" not in inside("show", trace_id(2), *store, at=tmp_path).text


def test_name_or_label_that_is_probably_misspelt_is_kept_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "polite.yaml").write_text("criteria: be polite\nlabels: {kind: 1, rude: 0}\n")
    (tmp_path / "tracegrade.yaml").write_text("judges: {default: {}}\nevaluators: [{rubric: polite.yaml}]\n")
    (tmp_path / "traces.pb").write_bytes(agent_spans.export_request(agent_spans.trip(1)))
    assert inside("import", "traces.pb", "--no-evaluate", at=tmp_path).code == 0
    one = inside("annotate", trace_id(1), "--name", "polite", "--label", "kidn", at=tmp_path)
    assert (one.code, one.err) == (0, "note: 'kidn' is not a label of 'polite' (did you mean 'kind'?)\n")
    rows = ["polit,kind,ada", "polit,rude,bob", "polite, Rude,bob", "cost,high,bob"]
    text = "".join(f"{trace_id(1)},{row}\n" for row in rows)
    (tmp_path / "labels.csv").write_text(f"trace,name,label,author\n{text}")
    many = inside("annotate", "--import", "labels.csv", at=tmp_path)
    assert (many.code, many.text) == (0, "4 stored, 0 rejected\n")
    assert many.err == "note: no evaluator is named 'polit' (did you mean 'polite'?)\n"


def test_command_removes_what_it_added_from_run_call_and_session(tmp_path: Path) -> None:
    store = ("--store", tmp_path / "store.duckdb", "--author", "ada")
    spans = [
        replace(one, attributes={**one.attributes, "gen_ai.conversation.id": "talk"}) for one in agent_spans.trip(1)
    ]
    (tmp_path / "traces.pb").write_bytes(agent_spans.export_request(spans))
    assert inside("import", "traces.pb", "--no-evaluate", *store[:2], at=tmp_path).code == 0
    run = run_id(1)
    for target in ((run,), (run, "--call", "call_1"), (run, "--session")):
        assert inside("annotate", *target, "--bad", *store, at=tmp_path).code == 0
        assert inside("annotate", *target, "--comment", "look here", *store, at=tmp_path).code == 0
    several = inside("annotate", run, "--remove", *store, at=tmp_path)
    assert (several.code, "ada has 2 annotations" in several.err) == (2, True)
    for target in ((run,), (f"{run}#0",), ("session:talk",)):
        done = inside("annotate", *target, "--remove", "--name", "overall", *store, at=tmp_path)
        assert (done.code, done.text.partition(" from ")[0]) == (0, "removed overall by ada"), done.err
    sql = "select evaluator, passed, explanation, superseded_reason from scores order by all"
    left = inside("sql", sql, *store[:2], "--format", "jsonl", at=tmp_path).text.splitlines()
    assert [orjson.loads(line)["superseded_reason"] for line in left] == [None] * 3 + ["withdrawn"] * 3
    alone = inside("annotate", "session:talk", "--remove", *store, at=tmp_path)
    assert (alone.code, "removed comment by ada" in alone.text) == (0, True)
    other = inside("annotate", run, "--remove", "--author", "bob", *store[:2], at=tmp_path)
    assert (other.code, "there is comment by ada" in other.err) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("ffff", "--good"), 1, "no run has an id that begins with 'ffff'"),
        ((trace_id(1), "--score", "3"), 2, "value: it is 3.0; write 1 or less"),
        ((trace_id(1),), 2, "give --good, --bad, --score, --label or --comment"),
        ((trace_id(1), "--remove"), 1, "ada has no annotation named 'polite' on"),
        ((trace_id(1), "--remove", "--good"), 2, "--remove takes an annotation back"),
        ((f"{trace_id(1)}#0", "--call", "0", "--good"), 2, "choose one of"),
        ((trace_id(1), "--good", "--limit", "3"), 2, "belong to --queue"),
        (("--good",), 2, "name a run by its id"),
        (("--queue", "--remove"), 2, "choose one of --queue and --remove"),
        (("--queue",), 2, "--queue lists runs"),
        ((trace_id(1), "--score", "1", "--call", "7"), 2, "has no tool call with position 7"),
        ((trace_id(1), "--score", "1", "--session"), 1, "does not belong to a session"),
        ((trace_id(1), "--score", "1", "--session", "--call", "0"), 2, "choose one of"),
        (("000000", "--score", "1"), 2, "several traces begin with '000000'"),
    ],
    ids=[
        "no run",
        "scale",
        "nothing said",
        "nothing to remove",
        "removed and given",
        "call twice",
        "limit alone",
        "no id",
        "two modes",
        "queue of a name",
        "no call",
        "no session",
        "two targets",
        "two traces",
    ],
)
def test_command_says_what_is_wrong(tmp_path: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    store = store_with_runs(tmp_path / "store.duckdb", 1, 2)
    done = inside("annotate", *arguments, "--store", store, "--name", "polite", "--author", "ada", at=tmp_path)
    assert done.code == code
    assert said in done.err
