from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.command import environment
from tests.support.polling import until
from tests.support.server import JUDGES, running

AGENT = Path(__file__).parents[2] / "deploy/example_agent.py"
VERDICTS = "select evaluator, value, passed from latest_scores where agent_name = 'helpdesk'"
CALLS = "select name, status, source from tool_calls order by position"
RUN = "select agent_name, input, final_response, completeness, gaps from agent_traces"


def test_example_agent_is_rebuilt_and_passes_every_check(tmp_path: Path) -> None:
    with running(tmp_path / "store.duckdb") as server:
        variables = environment({"OTEL_EXPORTER_OTLP_ENDPOINT": server.otlp})
        done = subprocess.run([sys.executable, AGENT], env=variables, capture_output=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        scores = until(lambda: server.rows(VERDICTS), lambda rows: len(rows) >= len(JUDGES))
        calls, run = server.rows(CALLS), server.rows(RUN)
    assert {tuple(row) for row in scores} == {(judge, 1.0, True) for judge in JUDGES}
    assert calls == [
        ["find_orders", "ok", "both"],
        ["refund", "ok", "both"],
    ]
    assert run == [
        ["helpdesk", "Please refund my last order. I am Ada.", "Order 7 is refunded, Ada.", "complete", "[]"]
    ]
