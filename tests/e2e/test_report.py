"""Reports of a store that a running server holds: the command finds the server, or is told its address."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.support.command import inside
from tests.support.server import Server

PERIOD = ("--since", "2020-01-01", "--format", "json")


@pytest.fixture(scope="module")
def where(server: Server) -> dict[str, list[str]]:
    server.add_run()
    return {"file": ["--store", str(server.store)], "server": ["--server", server.web]}


@pytest.mark.parametrize("by", ["file", "server"])
def test_report_is_answered_by_the_server_that_holds_the_store(
    where: dict[str, list[str]], tmp_path: Path, by: str
) -> None:
    done = inside("report", "runs_by_hour", *where[by], *PERIOD, at=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert sum(row["n"] for row in json.loads(done.out)) >= 1
    text = inside("report", "slowest_tools", *where[by], *PERIOD[:2], "--format", "markdown", at=tmp_path).text
    assert "| agent | tool | n | p95_ms |" in text


def test_report_of_the_user_is_answered_by_a_server_too(where: dict[str, list[str]], tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "mine.sql").write_text("-- report: mine\n-- purpose: How many?\nselect $n::int + 1 as n")
    done = inside("report", "mine", "--n", "41", *where["server"], "--format", "json", at=tmp_path)
    assert json.loads(done.out) == [{"n": 42}]
    refused = inside("report", "mine", "--n", "x", *where["server"], at=tmp_path)
    assert refused.code == 2
    assert "Could not convert string 'x' to INT32" in refused.err
