"""A coding agent starts the MCP server as a process, and talks to it over standard input and output."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.support.command import PROGRAM, environment, tracegrade
from tests.support.server import running

from tracegrade.collector.demo.replay import read_recordings


def ask(folder: Path, *calls: tuple[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What the tools of a server that is started in `folder` answer, one call after the other."""
    started = StdioServerParameters(
        command=PROGRAM, args=["mcp", "--store", "s.duckdb"], cwd=folder, env=environment({})
    )

    async def call() -> list[dict[str, Any]]:
        async with Client(stdio_client(started)) as client:
            results = [await client.call_tool(tool, dict(arguments)) for tool, arguments in calls]
        assert [result.content for result in results if result.is_error] == []
        return [result.structured_content or {} for result in results]

    return asyncio.run(call())


def test_question_is_answered_from_the_file_and_by_the_server_that_holds_it(tmp_path: Path) -> None:
    (tmp_path / "spans.pb").write_bytes(next(iter(read_recordings()))[1])
    assert tracegrade("import", "--store", "s.duckdb", "spans.pb", at=tmp_path).code == 0
    runs = ("runs", {"since": "4000d"})
    (from_file,) = ask(tmp_path, runs)
    run_id = from_file["runs"][0]["agent_trace_id"]
    with running(tmp_path / "s.duckdb"):
        by_server, explanation, report = ask(
            tmp_path, runs, ("explain", {"id": run_id}), ("report", {"name": "failed"})
        )
    assert by_server["runs"] == from_file["runs"]
    assert explanation["runs"][0]["agent_trace_id"] == run_id
    assert report["question"]


def test_missing_extra_is_named(tmp_path: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None; sys.argv = ['tracegrade', 'mcp']\n"
    code += "from tracegrade.collector.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (2, b"tracegrade: the MCP server needs pip install 'tracegrade[mcp]'\n")
