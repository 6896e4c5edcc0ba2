"""A DuckDB client reads from a running server by Quack."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
from tests.support.command import tracegrade
from tests.support.server import HURRIED, running

from tracegrade.collector.store.engines.duckdb_file.quack import find_extensions

ADDRESS = re.compile(r"attach '(quack:\S+)'")


def test_client_reads_from_a_running_server_which_stops_while_it_is_connected(tmp_path: Path) -> None:
    variables = {**HURRIED, "TRACEGRADE_LISTEN__QUACK": "127.0.0.1:0", "TRACEGRADE_TOKEN": "sesame"}
    with running(tmp_path / "s.duckdb", variables=variables), duckdb.connect() as client:
        greeting = (tmp_path / "s.duckdb.out").read_text()
        address = ADDRESS.search(greeting)
        assert address, greeting
        for file in find_extensions():
            client.execute(f"load '{file}'")
        client.execute(f"attach '{address[1]}' as tg (token 'sesame')")
        assert client.execute("from tg.query('select count(*) from runs')").fetchall() == [(0,)]


def test_server_without_a_token_does_not_start_with_quack(tmp_path: Path) -> None:
    done = tracegrade("serve", "--store", "s.duckdb", "--quack", "127.0.0.1:0", at=tmp_path)
    assert done.code == 2
    assert "requires a token: set TRACEGRADE_TOKEN" in done.err
    assert not (tmp_path / "s.duckdb").exists()
