"""Where Arrow takes its memory from."""

from __future__ import annotations

import pyarrow as pa

__all__ = ["use_system_memory"]


def use_system_memory() -> None:
    """Make Arrow allocate with malloc. Its own allocator reserves a gigabyte at the first use, which counts against
    limits although nothing is in it."""
    pa.set_memory_pool(pa.system_memory_pool())
