"""A store with the history of `tracegrade demo --history`, made once for all tests and workers of a test run."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest

from tracegrade.collector.cli.demo_history import fill_store, load_history_settings
from tracegrade.collector.clock import utc_now
from tracegrade.collector.demo.history import History

__all__ = ["HistoryStore", "history_store", "make_history_store"]


@dataclass(frozen=True)
class HistoryStore:
    """The file of the store, which several tests read, and the history in it."""

    path: Path
    history: History

    def copy_to(self, folder: Path) -> Path:
        """Copies the store for a test that writes, or for `tests.support.store.opened(folder)`; returns the file."""
        return Path(shutil.copy(self.path, folder / "store.duckdb"))


def history_store(
    factory: pytest.TempPathFactory, *, days: int = 7, seed: int = 1, end: datetime | None = None
) -> HistoryStore:
    """Returns a store with a history that ends at `end`, else at the last full hour; makes it if no test has done so.

    Open it read-only. 7 days take about 3 s, 28 days about 10 s.
    """
    history = History.until(end or utc_now(), days=days, seed=seed)
    folder = factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder  # of all workers
    shared = folder / f"history-{days}-{seed}-{history.end:%Y-%m-%d-%H}"
    shared.mkdir(exist_ok=True)
    path = shared / "history.duckdb"
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            make_history_store(history, shared / "unfinished").rename(path)
    return HistoryStore(path, history)


def make_history_store(history: History, folder: Path) -> Path:
    """Makes the store in a new folder: one that was interrupted is made again. Returns its file."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    path = folder / "history.duckdb"
    asyncio.run(fill_store(load_history_settings(str(path)), history))
    assert not path.with_suffix(".duckdb.wal").exists()
    return path
