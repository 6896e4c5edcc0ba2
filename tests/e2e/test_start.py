"""What keeps a server from starting, and whether it says whose turn it is."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from tests.support import agent_spans
from tests.support.command import inside, tracegrade
from tests.support.server import HURRIED, Server, running

FREE = ("--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0", "--web", "127.0.0.1:0")


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """A store that a later version has migrated."""
    store = tmp_path / "store.duckdb"
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request(agent_spans.trip()))
    assert inside("import", "--store", store, "trip.pb", at=tmp_path).code == 0
    with duckdb.connect(str(store)) as connection:
        connection.execute("insert into schema_history values ('9999_x.sql', 'abc', '2030-01-01', '99.0')")
    return store


def test_store_of_a_newer_version_is_refused_and_left_as_it_is(newer: Path) -> None:
    for command in (["serve", *FREE], ["sql", "select 1"], ["import", "trip.pb"]):
        done = inside(*command, "--store", newer, at=newer.parent)
        assert done.code == 4, done
        for word in (newer.name, "99.0", "9999_x.sql", "pip install -U tracegrade"):
            assert word in done.err
    with duckdb.connect(str(newer), read_only=True) as connection:
        assert connection.execute("select count(*) from spans").fetchall() == [(4,)]


def test_greeting_tells_how_many_evaluators_work_and_who_says_what_was_expected(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("rules: [{name: a, tasks: x}]\ntools: {shop: [{name: search}]}")
    variables = {**HURRIED, "TRACEGRADE_REFERENCES": "rules.yaml", "TRACEGRADE_EVALUATORS": '[{"use": "defaults"}]'}
    with running(tmp_path / "store.duckdb", variables=variables):
        greeting = (tmp_path / "store.duckdb.out").read_text()
    assert "8 running (configured)" in greeting
    assert "rules.yaml: 1 rule, tools of 1 agent" in greeting


def test_greeting_names_the_judges_that_are_asked_and_says_where_nothing_limits_what_they_cost(tmp_path: Path) -> None:
    judges = {"dear": {"model": "unheard-of"}, "bound": {"model": "unheard-of", "tokens_per_day": 9}, "idle": {}}
    evaluators = [{"use": "goal_achievement", "name": name, "judge": name} for name in ("dear", "bound")]
    variables = {"TRACEGRADE_JUDGES": json.dumps(judges), "TRACEGRADE_EVALUATORS": json.dumps(evaluators)}
    with running(tmp_path / "store.duckdb", variables=variables):
        greeting = (tmp_path / "store.duckdb.out").read_text()
    told = [line.split(maxsplit=1)[1] for line in greeting.splitlines() if line.startswith("  judge ")]
    assert told == ["bound (unheard-of)", "dear (unheard-of)"]
    warnings = [line.split(maxsplit=1)[1] for line in greeting.splitlines() if line.startswith("  WARNING ")]
    assert len(warnings) == 1
    assert warnings[0].startswith("judge 'dear': the price of unheard-of is not known, so usd_per_day does not bind it")


def test_greeting_says_that_an_empty_list_of_evaluators_judges_nothing(tmp_path: Path) -> None:
    with running(tmp_path / "store.duckdb", variables={**HURRIED, "TRACEGRADE_EVALUATORS": "[]"}):
        assert "`evaluators` is an empty list, so nothing is evaluated" in (tmp_path / "store.duckdb.out").read_text()


def test_second_server_on_a_store_is_told_who_holds_it(server: Server) -> None:
    done = tracegrade("serve", "--store", server.store, *FREE, at=server.store.parent)
    assert done.code == 4
    for word in (server.store.name, f"process {server.process.pid}", "stop"):
        assert word in done.err
    assert server.one("select 1") == 1


@pytest.mark.parametrize("option", ["--grpc", "--http"])
def test_taken_port_is_told_with_its_option(server: Server, tmp_path: Path, option: str) -> None:
    taken = {"--grpc": server.grpc, "--http": server.otlp.removeprefix("http://")}[option]
    done = tracegrade("serve", "--store", "store.duckdb", *FREE, option, taken, at=tmp_path)
    assert done.code == 2
    for word in (taken, option, "another process"):
        assert word in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "store.duckdb.server").exists()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param("ingests: {}", ["line 1", "ingests", "'ingest'"], id="no such section"),
        pytest.param("\nassembly:\n  grace: soon", ["line 3", "grace", "2s"], id="no duration"),
        pytest.param("evaluators: [{use: tool_eror}]", ["'tool_eror'", "'tool_error'"], id="no such evaluator"),
        pytest.param("store: [", ["YAML"], id="no YAML"),
    ],
)
def test_wrong_configuration_is_told_with_its_place(tmp_path: Path, settings: str, words: list[str]) -> None:
    (tmp_path / "tracegrade.yaml").write_text(settings)
    done = inside("serve", *FREE, at=tmp_path)
    assert done.code == 2
    for word in ("tracegrade.yaml", *words) if "evaluators" not in settings else words:
        assert word in done.err


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="no list of what a process has loaded")
@pytest.mark.parametrize("code", ["", "import pandas"])
def test_pandas_is_loaded_for_code_of_users_alone(tmp_path: Path, code: str) -> None:
    (tmp_path / "own.py").write_text(f"{code}\ndef good(run): return True")
    variables = {
        "TRACEGRADE_EVALUATORS": '[{"name": "own", "python": "own:good"}]' if code else '[{"use": "tool_error"}]'
    }
    with running(tmp_path / "store.duckdb", variables=variables) as server:
        loaded = Path(f"/proc/{server.process.pid}/maps").read_text()
    assert ("/pandas/" in loaded) is bool(code)
