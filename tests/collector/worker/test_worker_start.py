from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import psutil
import pytest
from tests.support.polling import until

from tracegrade.collector.worker.start import forked

pytestmark = [
    pytest.mark.any_duckdb,
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every worker is a new Python"),
]

BEGIN = """
import os, sys
from tracegrade.collector.worker.start import forked
worker = forked()
os.write(1, f"{worker.process.pid}\\n".encode())
sys.stdin.read()
"""
LEAVE = """
from tracegrade.collector.worker.start import forked
worker = forked()
worker.pipe.close()
print(worker.process.wait(20))
"""
ASSEMBLE = """
import os, signal, sys
from pathlib import Path
from tracegrade.collector.worker.start import forked
worker = forked()
if sys.argv[1] == "killed":
    worker.process.kill()
    worker.process.wait()
from tests.support import agent_spans
from tests.support.otlp import trace_id
from tests.support.store import opened
from tracegrade.collector.system.memory_limit import worker_bytes
from tracegrade.collector.worker.client import Workbench
from tracegrade.collector.store.arrivals import assembly_source
with opened(Path(sys.argv[2])) as store:
    workbench = Workbench(store.results.schemas, memory_bytes=2**31, begun=worker)
    store.arrive(agent_spans.trip(1))
    assembled = workbench.assemble(*assembly_source.sources(store.database, [trace_id(1)]))
    print(assembled.tables["agent_traces"].num_rows, workbench.pid == worker.process.pid)
    workbench.close()
"""


def began() -> tuple[subprocess.Popen[bytes], psutil.Process]:
    """A process that has forked a worker, and that worker."""
    program = subprocess.Popen([sys.executable, "-c", BEGIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert program.stdout is not None
    worker = psutil.Process(int(program.stdout.readline()))
    assert until(lambda: os.getsid(worker.pid) == worker.pid, within_s=10)
    return program, worker


def gone(worker: psutil.Process) -> bool:
    return not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE


def test_nothing_is_forked_beside_what_has_threads() -> None:
    assert duckdb.__name__ in sys.modules
    assert forked() is None


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_forked_worker_that_nobody_takes_ends_with_the_program(ending: signal.Signals) -> None:
    program, worker = began()
    program.send_signal(ending)
    program.communicate(timeout=10)
    assert until(lambda: gone(worker), within_s=10)


def test_program_does_not_wait_for_a_forked_worker_that_nobody_takes() -> None:
    program, worker = began()
    program.communicate(timeout=10)
    assert program.returncode == 0
    assert gone(worker)


def test_forked_worker_that_nobody_takes_ends_without_a_word() -> None:
    words = [sys.executable, "-c", LEAVE]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.mark.parametrize(("fate", "told"), [("alive", "1 True"), ("killed", "1 False")])
def test_forked_worker_assembles_and_another_does_where_it_has_died(tmp_path: Path, fate: str, told: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    words = [sys.executable, "-c", ASSEMBLE, fate, str(tmp_path)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout.strip(), done.returncode) == (told, 0), done.stderr
