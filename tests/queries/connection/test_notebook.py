"""The notebook of the manual, executed on a store of a test."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from tests.support import agent_spans
from tests.support.otlp import BEGAN_NS
from tests.support.store import opened

from tracegrade.evaluators import configure

NOTEBOOK = Path(__file__).parents[3] / "queries/docs/notebook.ipynb"
SERVER = "http://127.0.0.1:8400"

pytestmark = pytest.mark.exhaustive  # a kernel with pandas starts in three seconds


def fill_store(folder: Path) -> None:
    """Two runs of the last hour with scores; the tool of the second failed."""
    at_s = (time.time_ns() - BEGAN_NS) / 1e9 - 3600
    evaluator = configure("tool_error")
    with opened(folder) as store:
        store.ledger.enrol([evaluator])
        for trace, status in ((1, "ok"), (2, "error")):
            store.arrive(
                [
                    agent_spans.agent(1, trace=trace, at_s=at_s),
                    agent_spans.chat(2, parent=1, trace=trace, at_s=at_s + 1),
                    agent_spans.tool(
                        3,
                        parent=1,
                        trace=trace,
                        at_s=at_s + 2,
                        args={"to": "Paris"},
                        result="AF007",
                        status_code=status,
                        status_message="HTTP 429",
                    ),
                ]
            )
        store.revise(1, 2)
        store.evaluate(evaluator)


def read_results(notebook: Any) -> list[str]:
    """The result of each cell that has one, as text."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert [output for output in outputs if output.output_type != "execute_result"] == []
    return [output.data["text/plain"] for output in outputs]


def test_notebook_shows_failing_runs_scores_and_cost(tmp_path: Path) -> None:
    fill_store(tmp_path)
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert text.count(SERVER) == 1
    notebook = nbformat.reads(text.replace(SERVER, str(tmp_path / "store.duckdb")), as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    failing, patterns, worse, rates, counts, cost, calls = read_results(notebook)
    assert "HTTP 429" in failing
    assert "00000000000000000000000000000002-0000000000000001" in failing
    assert "HTTP <n>" in patterns
    assert "Empty DataFrame" in worse
    assert "tool_error" in rates
    assert "0.5" in rates
    assert "2" in counts
    assert "0.000112" in cost
    assert '{"to":"Paris"}' in calls
