"""Runs of a store that a running server holds: the command finds the server, or is told its address."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.command import inside
from tests.support.server import Server


@pytest.fixture(scope="module")
def where(server: Server) -> dict[str, list[str]]:
    server.add_run()
    return {"file": ["--store", str(server.store)], "server": ["--server", server.web]}


@pytest.mark.parametrize("by", ["file", "server"])
@pytest.mark.parametrize("sort", ["-started_at", "-duration"])
def test_runs_are_listed_by_the_server_that_holds_the_store(
    where: dict[str, list[str]], tmp_path: Path, by: str, sort: str
) -> None:
    done = inside("runs", "-calls>1000", *where[by], "--format", "json", "--sort", sort, at=tmp_path)
    assert done.code == 0, done.err
    (run, *_) = json.loads(done.out)
    assert isinstance(run["gaps"], list)
    selected = inside("runs", f"id:{run['trace_id']} sql:llm_call_count >= 0", *where[by], at=tmp_path)
    assert run["trace_id"][:8] in selected.text


def test_wrong_sql_in_a_filter_is_explained_by_the_server(where: dict[str, list[str]], tmp_path: Path) -> None:
    done = inside("runs", "sql:cost_used > 1", *where["server"], at=tmp_path)
    assert done.code == 2
    assert 'Referenced column "cost_used" not found' in done.err
