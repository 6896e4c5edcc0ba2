"""Rows that come from DuckDB as Arrow tables."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support import agent_spans
from tests.support.store import opened

from tracegrade.collector.store.arrivals import assembly_source

ROOT = Path(__file__).parents[4]

_FEW_ROWS_IN_LITTLE_MEMORY = """
import resource, sys
from pathlib import Path
from tests.support import agent_spans
from tests.support.store import opened
from tracegrade.collector.store.arrivals import assembly_source
from tracegrade.collector.store.results import stored_runs

with opened(Path(sys.argv[1])) as store:
    store.arrive(agent_spans.trip())
    store.revise(1)
    trace_ids = [trace_id for (trace_id,) in store.rows("select trace_id from agent_traces")]
    run_ids = [run_id for (run_id,) in store.rows("select agent_trace_id from agent_traces")]
    with open("/proc/self/status") as status:
        reserved = next(int(line.split()[1]) for line in status if line.startswith("VmData")) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (reserved + 48 * 2**20,) * 2)
    spans, _ = assembly_source.sources(store.database, trace_ids)
    with store.database.cursor() as connection:
        print(spans.num_rows, stored_runs.tables(connection, run_ids)["agent_traces"].num_rows)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts what is reserved")
def test_few_rows_are_read_where_there_is_little_memory(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _FEW_ROWS_IN_LITTLE_MEMORY, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout.split() == [str(len(agent_spans.trip())), "1"], done.stderr


def test_more_rows_than_a_batch_come_whole_and_in_order(tmp_path: Path) -> None:
    sent = [agent_spans.agent(1, for_s=10_000), *(agent_spans.tool(at, parent=1, at_s=at) for at in range(2, 5_000))]
    with opened(tmp_path) as store:
        store.arrive(sent)
        spans, _ = assembly_source.sources(store.database, [sent[0].trace_id])
        assert spans.num_rows == len(sent)
        assert spans.column("span_id").num_chunks > 1
        assert spans.column("span_id").to_pylist() == [span.span_id for span in sent]


def test_nothing_reads_arrow_tables_by_another_way() -> None:
    """DuckDB's own call reserves a million rows for each column, whatever comes."""
    callers = [
        path.relative_to(ROOT).as_posix()
        for folder in ("collector", "queries", "evaluators")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"(?<=[\w)\]])\.(to_arrow_table|fetch_arrow_table|arrow)\(", path.read_text(encoding="utf-8"))
    ]
    assert callers == ["collector/store/engines/arrow.py"]
