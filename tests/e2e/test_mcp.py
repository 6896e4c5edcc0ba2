"""A coding agent starts the MCP server as a process, and talks to it over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from tests.support.command import PROGRAM, environment, tracegrade
from tests.support.server import running

from tracegrade.collector.demo.replay import read_recordings


def ask(folder: Path, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers; the server is started in `folder`."""
    started = StdioServerParameters(
        command=PROGRAM, args=["mcp", "--store", "s.duckdb"], cwd=folder, env=environment({})
    )

    async def call() -> dict[str, Any]:
        async with Client(stdio_client(started)) as client:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result.content
            return result.structured_content or {}

    return asyncio.run(call())


def test_question_is_answered_from_the_file_and_by_the_server_that_holds_it(tmp_path: Path) -> None:
    (tmp_path / "spans.pb").write_bytes(next(iter(read_recordings()))[1])
    assert tracegrade("import", "--store", "s.duckdb", "spans.pb", at=tmp_path).code == 0
    from_file = ask(tmp_path, "runs", since="4000d")
    assert from_file["count"] > 0
    with running(tmp_path / "s.duckdb"):
        by_server = ask(tmp_path, "runs", since="4000d")
        assert by_server["runs"] == from_file["runs"]
        run_id = by_server["runs"][0]["agent_trace_id"]
        assert ask(tmp_path, "explain", id=run_id)["runs"][0]["agent_trace_id"] == run_id
        assert ask(tmp_path, "report", name="failed")["question"]


def test_missing_extra_is_named(tmp_path: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None; sys.argv = ['tracegrade', 'mcp']\n"
    code += "from tracegrade.collector.cli import main; main()"
    done = asyncio.run(_run(code, tmp_path))
    assert done == (2, "tracegrade: the MCP server needs pip install 'tracegrade[mcp]'\n")


async def _run(code: str, folder: Path) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, cwd=folder, stderr=asyncio.subprocess.PIPE
    )
    _, complaint = await process.communicate()
    return process.returncode, complaint.decode()
