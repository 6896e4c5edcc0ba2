"""How long a page of runs with a filter takes over a large store, and one run with everything in it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Final

from tracegrade.collector.client.source import LocalSource
from tracegrade.queries.filter import compile_filter
from tracegrade.queries.read.run import read_run
from tracegrade.queries.read.run_keys import NEWEST, RunList, Sort
from tracegrade.queries.read.runs import read_page
from tracegrade.queries.read.scores import ScoreList, read_score_page
from tracegrade.queries.read.sessions import read_session_page
from tracegrade.queries.read.source import Sources
from tracegrade.queries.read.window import BEGINNING, Window

from .figures import Benchmark, Metric, Options
from .large_store import END, make_large_store

__all__ = ["LISTS", "measure"]

_REPEATS: Final = 5
_LIMIT: Final = 50
_ANY_TIME: Final = Window(BEGINNING, END)
_PAGES: Final[Mapping[str, tuple[str, Sort]]] = {
    "page of runs: all": ("", NEWEST),
    "page of runs: failing": ("agent:travel is:failing", NEWEST),
    "page of runs: words": ("flight -hotel", NEWEST),
    "page of runs: failed tool": ("tool:book_hotel:error", NEWEST),
    "page of runs: score": ("score:tool_error<1", NEWEST),
    "page of runs: a user": ("user:user-7", NEWEST),
    "page of runs: condition in SQL": ("sql:cost_usd > 0.001 and environment = 'production'", NEWEST),
    "page of runs: words that no run has": ("xylophone", NEWEST),
    "page of runs: by duration": ("", "-duration"),
}
_RUN: Final = "run with everything"
_RUN_AT: Final = "run with everything, by id and time"
_SESSIONS: Final = "page of sessions of a day"
_SCORES: Final = "page of scores"


def _run(options: Options) -> Mapping[str, float]:
    with tempfile.TemporaryDirectory(prefix="tracegrade-bench-") as folder:
        database = make_large_store(Path(folder) / "bench.duckdb", options.rows)
        figures = measure(LocalSource(database, timeout_s=300))
        database.close()
    return figures


def measure(source: LocalSource) -> Mapping[str, float]:
    """Measure on a store that `make_large_store` has made."""
    read = source.read
    sources = Sources(own=read, fenced=read)
    figures: dict[str, float] = {}
    for name, (text, sort) in _PAGES.items():
        runs = RunList(run_filter=compile_filter(text), window=_ANY_TIME, sort=sort)
        figures[name] = _milliseconds(lambda runs=runs: read_page(runs, sources, limit=_LIMIT))  # type: ignore[misc]
    day = RunList(run_filter=compile_filter(""), window=Window(END - timedelta(days=1), END))
    run = read_page(RunList(run_filter=compile_filter("is:failing"), window=_ANY_TIME), sources, limit=1).rows[0]
    figures[_RUN] = _milliseconds(lambda: read_run(read, run["agent_trace_id"]))
    figures[_RUN_AT] = _milliseconds(lambda: read_run(read, run["agent_trace_id"], at=run["started_at"]))
    figures[_SESSIONS] = _milliseconds(lambda: read_session_page(day, sources, limit=_LIMIT))
    scores = ScoreList(window=_ANY_TIME, evaluator="tool_error")
    figures[_SCORES] = _milliseconds(lambda: read_score_page(scores, sources, limit=_LIMIT))
    return figures


def _milliseconds(work: Callable[[], object]) -> float:
    """Return the median of some repeats."""
    durations: list[float] = []
    for _ in range(_REPEATS):
        began = time.perf_counter()
        work()
        durations.append((time.perf_counter() - began) * 1000)
    return sorted(durations)[_REPEATS // 2]


LISTS = Benchmark(
    f"Lists of {_LIMIT} rows, and runs, of a large store",
    (
        *(Metric(name=name, unit="ms", target=150, less_is_better=True) for name in _PAGES),
        Metric(name=_RUN, unit="ms", target=50, less_is_better=True),
        Metric(name=_RUN_AT, unit="ms", target=50, less_is_better=True),
        Metric(name=_SESSIONS, unit="ms"),
        Metric(name=_SCORES, unit="ms"),
    ),
    _run,
)
