"""What the parts of the program may take of the memory there is; each case in a process of its own, which it limits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from tracegrade.collector.cli.init import render_template
from tracegrade.collector.config.settings import Evaluation, Settings
from tracegrade.collector.system import memory_limit

MIB = 2**20

_LIMIT = """
import json, resource
from tracegrade.collector.system import memory_limit as memory
def limit(kind, size): resource.setrlimit(kind, (size, size))
def told(value): print(json.dumps(value))
"""


def run_python(code: str) -> Any:
    """Runs `code` in a new process, and returns the JSON that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", _LIMIT + code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_limits_of_the_process_are_what_there_is() -> None:
    assert run_python(f"limit(resource.RLIMIT_DATA, {1000 * MIB}); told(memory.available_bytes())") == 1000 * MIB
    assert run_python(f"limit(resource.RLIMIT_AS, {1000 * MIB}); told(memory.available_bytes())") == 1000 * MIB


def test_duckdb_gets_a_quarter_and_a_gigabyte_at_most() -> None:
    small = f"limit(resource.RLIMIT_DATA, {1000 * 1000 * 1000}); told(memory.duckdb_limit())"
    assert run_python(small) == "250000KB"
    large = (
        "memory.memory_limit = lambda: None; memory._machine_bytes = lambda: 64 * 2**30; told(memory.duckdb_limit())"
    )
    assert run_python(large) == "1000000KB"


@pytest.mark.parametrize(
    ("settings", "share"),
    [
        pytest.param(Settings, ("memory_limit", "_DUCKDB_SHARE"), id="DuckDB"),
        pytest.param(Settings, ("query_memory", "_QUERY_SHARE"), id="query"),
        pytest.param(Evaluation, ("worker_memory", "_WORKER_SHARE"), id="worker"),
    ],
)
def test_setting_describes_the_share_that_is_taken(settings: type[BaseModel], share: tuple[str, str]) -> None:
    name, constant = share
    described = settings.model_fields[name].description or ""
    assert f"at most {getattr(memory_limit, constant):.0%}".replace("%", " %") in described
    assert described in " ".join(render_template().split())


def test_duckdb_takes_the_share_for_its_memory_limit(tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
from tracegrade.collector.store.engines.duckdb_file.database import DuckDbFile
limit(resource.RLIMIT_DATA, 1000 * 1000 * 1000)
database = DuckDbFile(Path({str(tmp_path / "store.duckdb")!r}))
told(database.connect().execute("select current_setting('memory_limit')").fetchone()[0])
"""
    assert run_python(code) == "238.4 MiB"  # 250 MB


def test_worker_gets_thirty_percent_and_what_it_needs_to_work_at_all() -> None:
    code = "told([memory.worker_bytes(None), memory.worker_bytes(5)])"
    assert run_python(f"limit(resource.RLIMIT_DATA, {1000 * MIB}); {code}") == [300 * MIB, 5]
    assert run_python(f"limit(resource.RLIMIT_DATA, {500 * MIB}); {code}") == [256 * MIB, 5]


def test_query_gets_five_percent_and_what_it_needs_to_say_anything() -> None:
    code = "told([memory.query_bytes(None), memory.query_bytes(5)])"
    assert run_python(f"limit(resource.RLIMIT_DATA, {2000 * MIB}); {code}") == [100 * MIB, 5]
    assert run_python(f"limit(resource.RLIMIT_DATA, {500 * MIB}); {code}") == [64 * MIB, 5]
