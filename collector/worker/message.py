"""Messages in the pipe between server and worker: a pickled head, and behind it tables as Arrow IPC streams.

Tables are written from the memory in which they are, and read into that in which they stay: a large value is never
copied as part of a message.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from multiprocessing.connection import Connection
from types import MappingProxyType
from typing import Any, Final

import pyarrow as pa

__all__ = ["receive_message", "send_message"]

_NO_TABLES: Final[Mapping[str, pa.Table]] = MappingProxyType({})


def send_message(pipe: Connection, head: object, tables: Mapping[str, pa.Table] = _NO_TABLES) -> None:
    """Send `head`, which can be pickled, and tables. Raises OSError if the other end is closed."""
    pipe.send((head, [*tables]))
    if tables:
        with open(pipe.fileno(), "wb", closefd=False) as file:
            for table in tables.values():
                with pa.ipc.new_stream(file, table.schema) as writer:
                    writer.write_table(table)


def receive_message(pipe: Connection) -> tuple[Any, dict[str, pa.Table]]:
    """Wait for a message; return its head and its tables by name. Raises EOFError if the other end is closed."""
    head, names = pipe.recv()
    file = _Exact(pipe.fileno())
    return head, {name: pa.ipc.open_stream(file).read_all() for name in names}


class _Exact(io.RawIOBase):
    """Reads as many bytes as asked for, never any of the next message."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        if size < 0:
            raise io.UnsupportedOperation("a pipe has no end to read to")
        content = bytearray(size)
        rest = memoryview(content)
        while rest:
            count = os.readv(self._descriptor, [rest])
            if not count:
                raise EOFError
            rest = rest[count:]
        return content  # type: ignore[return-value]  # Arrow keeps it as it is; bytes would be a copy
