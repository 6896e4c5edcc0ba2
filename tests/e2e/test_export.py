"""`tracegrade export` while a server holds the store, and on the store itself."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from tests.support import agent_spans
from tests.support.command import inside, tracegrade
from tests.support.server import Server, running


def read(folder: Path, relation: str) -> list[tuple[str, ...]]:
    """The ids of the exported runs, as DuckDB reads the folder."""
    with duckdb.connect() as connection:
        connection.execute(
            f"create view runs as from read_parquet('{folder}/{relation}/**/*.parquet', hive_partitioning=true)"
        )
        return connection.execute("select distinct trace_id from runs order by 1").fetchall()


def traces(server: Server, relation: str) -> list[tuple[str, ...]]:
    return [tuple(row) for row in server.rows(f"select distinct trace_id from {relation} order by 1")]


@pytest.mark.nightly
def test_export_from_a_running_server_continues_from_the_store_itself(tmp_path: Path) -> None:
    with running(tmp_path / "store.duckdb") as server:
        server.add_run(1)
        first = tracegrade("export", "lake", "--store", "store.duckdb", at=tmp_path)
        assert (first.code, first.err) == (0, "")
        assert "0 unchanged" in first.text
        server.add_run(2)
        second = tracegrade("export", "lake", "--server", server.web, "--json", at=tmp_path)
        assert second.code == 0, second.err
        assert json.loads(second.out)["deleted"] == {}
        for relation in ("runs", "scores", "spans", "messages"):
            assert read(tmp_path / "lake", relation) == traces(server, relation)
    third = tracegrade("export", "lake", "--store", "store.duckdb", at=tmp_path)
    assert "0 files written" in third.text
    every = tracegrade("export", "lake", "--store", "store.duckdb", "--all", at=tmp_path)
    assert "0 unchanged" in every.text


def test_bad_folder_and_missing_store_are_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "trip.pb").write_bytes(agent_spans.export_request(agent_spans.trip()))
    missing = inside("export", "lake", "--store", "none.duckdb", at=tmp_path)
    assert (missing.code, "there is no such store" in missing.err) == (4, True)
    assert inside("import", "--store", "store.duckdb", "trip.pb", at=tmp_path).code == 0
    refused = inside("export", "file", "--store", "store.duckdb", at=tmp_path)
    assert refused.code == 4
    assert "file cannot be written" in refused.err
