"""The upper bound on how long a server takes to stop."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

from tracegrade.collector.server.stopping import end_within

HANGING = """
import threading, time
from tracegrade.collector.server.stopping import end_within
threading.Thread(target=threading.Event().wait).start()  # the interpreter waits for it before it ends
end_within(0.1, 7)
print("said")
"""


def test_process_that_does_not_end_is_ended_with_its_code_and_what_it_printed() -> None:
    done = subprocess.run([sys.executable, "-c", HANGING], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.splitlines()[0]) == (7, b"said")


def test_process_that_prints_to_a_full_disk_is_ended_all_the_same() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([sys.executable, "-c", HANGING], stdout=full, timeout=20, check=False)
    assert done.returncode == 7


def test_bound_is_the_only_one_to_end_the_process_when_it_is_reached() -> None:
    ended: list[int] = []
    reached = threading.Event()

    def end(code: int) -> None:
        ended.append(code)
        reached.set()

    end_within(0.01, 4, end=end)
    assert reached.wait(20)
    assert ended == [4]
    end_within(3_600, 5, end=end).cancel()
    assert ended == [4]
