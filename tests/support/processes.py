"""What processes use."""

from __future__ import annotations

import psutil

__all__ = ["measure_private_bytes"]


def measure_private_bytes(process: psutil.Process) -> int:
    """The memory of a process without the pages of programs and files, which it shares; 0 once it has ended."""
    try:
        memory = process.memory_info()
    except psutil.NoSuchProcess:
        return 0
    return int(memory.rss - memory.shared)
