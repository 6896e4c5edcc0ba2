"""Measures what the program promises and prints it beside its targets: `python -m tests.bench [NAME…] [--runs N]`.

A ratio is how many times over the target is met; below 1 it is missed. Nothing is asserted: the figures are those of
this machine at this moment, with client and server on the same cores.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Mapping

import duckdb

from .audit import AUDIT
from .checks import CHECKS
from .computing import COMPUTING
from .due import DUE
from .experiments import EXPERIMENTS
from .figures import Benchmark, Options, lines
from .first_score import FIRST_SCORE
from .ingestion import JUDGED, LARGE, SMALL
from .judges import JUDGES
from .latency import CLICKING, LATENCY, READING
from .lists import LISTS
from .long_trace import LONG_TRACE
from .overview import OVERVIEW
from .rebuild import REBUILD
from .start import START

BENCHMARKS: Mapping[str, Benchmark] = {
    "start": START,
    "first-score": FIRST_SCORE,
    "checks": CHECKS,
    "experiments": EXPERIMENTS,
    "computing": COMPUTING,
    "long-trace": LONG_TRACE,
    "due": DUE,
    "audit": AUDIT,
    "overview": OVERVIEW,
    "rebuild": REBUILD,
    "small": SMALL,
    "small-judged": JUDGED,
    "large": LARGE,
    "latency": LATENCY,
    "reading": READING,
    "clicking": CLICKING,
    "lists": LISTS,
    "judges": JUDGES,
}


def main() -> None:
    default = Options()
    arguments = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure, and print beside targets.")
    arguments.add_argument("names", nargs="*", metavar="NAME", help=f"which; default all: {', '.join(BENCHMARKS)}")
    arguments.add_argument("--runs", type=int, default=3, help="medians are of so many (default 3)")
    arguments.add_argument(
        "--spans", type=int, default=default.spans, help="spans sent at 600 B; a third of it at 1.8 KB"
    )
    arguments.add_argument("--seconds", type=float, default=default.seconds, help="how long the steady load lasts")
    arguments.add_argument(
        "--traces", type=int, default=default.traces, help="runs to assemble on one core, and to rebuild"
    )
    arguments.add_argument(
        "--rows", type=int, default=default.rows, help="runs in the store that passes and the overview read"
    )
    given = arguments.parse_args()
    if unknown := set(given.names) - BENCHMARKS.keys():
        arguments.error(f"there is no {', '.join(sorted(unknown))}; known are {', '.join(BENCHMARKS)}")
    options = Options(spans=given.spans, seconds=given.seconds, traces=given.traces, rows=given.rows)
    print(_machine(), flush=True)
    for name in given.names or BENCHMARKS:
        _measure(BENCHMARKS[name], options, given.runs)


def _measure(benchmark: Benchmark, options: Options, runs: int) -> None:
    print(f"\n{benchmark.title} ({runs} runs)", flush=True)
    found = [benchmark.run(options) for _ in range(runs)]
    for line in lines(benchmark, found):
        print(line, flush=True)


def _machine() -> str:
    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    versions = f"Python {platform.python_version()}, DuckDB {duckdb.__version__}"
    return f"{os.cpu_count()} cores, load {load}; {versions}; {platform.system()} {platform.machine()}"


if __name__ == "__main__":
    main()
