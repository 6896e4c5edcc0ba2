"""A running server and a configuration that changes below it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support import agent_spans
from tests.support.command import inside
from tests.support.otlp import trace_id
from tests.support.polling import until
from tests.support.server import Server, new_trace, running

ONE = "evaluators: [{use: tool_error}]\n"
TWO = "evaluators: [{use: tool_error}, {use: tool_efficiency, name: busy}]\n"


def write_settings(folder: Path, text: str) -> Path:
    file = folder / "tracegrade.yaml"
    file.write_text(f"assembly: {{grace: 100ms}}\nevaluation: {{every: 100ms}}\n{text}", encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def of_two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that was started with TWO."""
    folder = tmp_path_factory.mktemp("two")
    write_settings(folder, TWO)
    with running(folder / "s.duckdb", variables={}) as server:
        yield server


def judges(server: Server) -> set[str]:
    """Who judges a run that comes now, tool_error being the last to come."""
    trace = new_trace()
    server.export(agent_spans.trip(trace))
    sql = f"select evaluator from latest_scores where trace_id = '{trace_id(trace)}'"
    until(lambda: server.rows(sql), lambda rows: ["tool_error"] in rows)
    return {name for (name,) in server.rows(sql)}


def is_reloaded(server: Server, times: int) -> bool:
    return server.log().count("configuration read again") == times


def test_new_evaluator_judges_what_comes_after_a_reload(tmp_path: Path) -> None:
    write_settings(tmp_path, ONE)
    with running(tmp_path / "s.duckdb", variables={}) as server:
        assert judges(server) == {"tool_error"}
        write_settings(tmp_path, TWO)
        told = inside("reload", "--store", server.store, at=tmp_path)
        assert (told.code, told.text) == (0, "the new configuration is active\n")
        until(lambda: "busy" in judges(server))


def test_reloaded_prices_are_for_new_runs_and_a_rebuild_prices_stored_ones_without_a_new_revision(
    tmp_path: Path,
) -> None:
    costs = f"select cost_usd, total_cost_usd, revision from agent_traces where trace_id = '{trace_id(1)}'"
    write_settings(tmp_path, ONE + "prices: {gpt-4.1*: {input_usd_per_million: 1, output_usd_per_million: 0}}\n")
    with running(tmp_path / "s.duckdb", variables={}) as server:
        spans = [agent_spans.agent(1), agent_spans.chat(2, parent=1), agent_spans.chat(3, parent=1, at_s=2)]
        server.export(spans)
        until(lambda: server.rows(costs), lambda rows: rows == [[0.0002, 0.0002, 1]])
        write_settings(
            tmp_path, ONE + "prices: {gpt-4.1-mini: {input_usd_per_million: 10, output_usd_per_million: 0}}\n"
        )
        assert inside("reload", "--store", server.store, at=tmp_path).code == 0
        server.export([replace(span, trace_id=trace_id(2)) for span in spans])
        new = costs.replace(trace_id(1), trace_id(2))
        until(lambda: server.rows(new), lambda rows: rows == [[0.002, 0.002, 1]])
        assert server.rows(costs) == [[0.0002, 0.0002, 1]]
        assert inside("rebuild", "--store", server.store, at=tmp_path).code == 0
        assert server.rows(costs) == [[0.002, 0.002, 1]]


def test_hang_up_reads_the_configuration_again_and_ends_nothing(tmp_path: Path) -> None:
    write_settings(tmp_path, TWO)
    with running(tmp_path / "s.duckdb", variables={}) as server:
        write_settings(tmp_path, ONE)
        server.process.send_signal(signal.SIGHUP)
        until(lambda: is_reloaded(server, 1))
        assert judges(server) == {"tool_error"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("evaluators: [{use: tool_eror}]\n", "line 3", id="unknown evaluator"),
        pytest.param("evaluators: [{use: tool_error, when: agent = 1}]\n", "line 3", id="bad predicate"),
        pytest.param("evaluators: [{use: tool_error, schedule: never}]\n", "'never'", id="impossible cron"),
        pytest.param(
            "evaluators: [{use: tool_error}, {use: tool_error}]\n", "two entries are called", id="two of one name"
        ),
        pytest.param("references: nowhere.yaml\n", "nowhere.yaml", id="no references"),
        pytest.param("evaluators: [\n", "line", id="no yaml"),
    ],
)
def test_configuration_that_cannot_be_used_leaves_the_old_one_active_and_says_why(
    of_two: Server, tmp_path: Path, text: str, said: str
) -> None:
    folder = of_two.store.parent
    other = tmp_path / "good.yaml"
    other.write_text(write_settings(folder, ONE).read_text(encoding="utf-8"), encoding="utf-8")
    write_settings(folder, text)
    refused = inside("reload", "--store", of_two.store, "--config", other, at=folder)
    assert refused.code == 2
    assert "stays as it was" in refused.err
    assert said in refused.err
    until(lambda: "busy" in judges(of_two))


def test_what_needs_a_restart_is_told(tmp_path: Path) -> None:
    write_settings(tmp_path, ONE)
    with running(tmp_path / "s.duckdb", variables={}) as server:
        write_settings(tmp_path, ONE + "ingest: {queue_bytes: 64MiB}\n")
        told = inside("reload", "--store", server.store, at=tmp_path)
        assert told.code == 0
        assert "these changes need a restart: ingest.queue_bytes" in told.text


def test_reload_without_a_server_says_so(tmp_path: Path) -> None:
    refused = inside("reload", "--store", tmp_path / "s.duckdb", at=tmp_path)
    assert refused.code == 4
    assert "no server is running for" in refused.err


def test_hang_up_while_the_server_stops_ends_nothing(tmp_path: Path) -> None:
    write_settings(tmp_path, ONE)
    with running(tmp_path / "s.duckdb", variables={}) as server:
        judges(server)
        server.process.send_signal(signal.SIGTERM)
        server.process.send_signal(signal.SIGHUP)
        assert server.process.wait(30) == 0


def test_reload_cuts_off_a_query_that_takes_long_and_everybody_else_goes_on(tmp_path: Path) -> None:
    long = "select agent_trace_id, (select count(*) from range(1000000000000) t(x) where x % 7 = 3) as value from due"
    write_settings(tmp_path, f'evaluators: [{{use: tool_error}}, {{name: long, sql: "{long}", timeout: 10m}}]\n')
    with running(tmp_path / "s.duckdb", variables={}) as server:
        judges(server)
        write_settings(tmp_path, ONE)
        assert inside("reload", "--store", server.store, at=tmp_path).code == 0
        assert judges(server) == {"tool_error"}
        assert server.one("select count(*) from scores where evaluator = 'long'") == 0
