"""Batches of runs as the ledger returns them, without a store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from tests.support.store import opened

from tracegrade.collector.records.arrow_batch import Batch, table
from tracegrade.collector.records.row_mapping import DERIVED, rows_of, traces_of
from tracegrade.evaluators.model import AgentTrace

__all__ = ["make_batch"]


def make_batch(runs: Iterable[AgentTrace]) -> Batch[AgentTrace]:
    """A batch of these runs, in order, without references."""
    rows = [rows_of(run) for run in runs]
    tables = {name: table([row for of_run in rows for row in of_run[name]], _schemas()[name]) for name in DERIVED}
    return Batch(tables, traces_of, key="agent_trace_id")


@cache
def _schemas() -> Mapping[str, pa.Schema]:
    with TemporaryDirectory() as folder, opened(Path(folder)) as store:
        return store.results.schemas
