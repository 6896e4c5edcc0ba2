"""Memory that was freed goes back to the system."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import psutil
import pytest

from tracegrade.collector.system import allocator

BLOCK_BYTES, BLOCKS = 100_000, 2_000
MANY_THREADS = """
import ctypes, tempfile, threading
from tracegrade.collector.system.allocator import share_arenas

share_arenas()
everybody = threading.Barrier(9)
blocks = []
def allocate():
    blocks.append(bytearray(100_000))
    everybody.wait()
    everybody.wait()
for _ in range(8):
    threading.Thread(target=allocate).start()
everybody.wait()
library = ctypes.CDLL(None)
library.fopen.restype = ctypes.c_void_p
with tempfile.NamedTemporaryFile() as file:
    stream = ctypes.c_void_p(library.fopen(file.name.encode(), b"w"))
    library.malloc_info(0, stream)
    library.fclose(stream)
    print(file.read().count(b"<heap nr"))
everybody.wait()
"""

needs_glibc = pytest.mark.skipif(
    not sys.platform.startswith("linux") or not hasattr(ctypes.CDLL(None), "malloc_trim"),
    reason="the C library is not glibc: its heap is not ours to trim",
)


@needs_glibc
def test_memory_that_was_freed_below_what_is_in_use_is_given_back() -> None:
    blocks = [bytearray(BLOCK_BYTES) for _ in range(BLOCKS)]
    in_use = blocks[::100]
    blocks.clear()
    held_bytes = psutil.Process().memory_info().rss
    allocator.return_free_memory()
    assert held_bytes - psutil.Process().memory_info().rss > BLOCK_BYTES * BLOCKS // 2
    assert len(in_use) == BLOCKS // 100


@needs_glibc
def test_threads_share_two_arenas() -> None:
    done = subprocess.run([sys.executable, "-c", MANY_THREADS], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 2


def test_other_c_libraries_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocator, "_find_function", lambda _: None)
    allocator.share_arenas()
    allocator.return_free_memory()
