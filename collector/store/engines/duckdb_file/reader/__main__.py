"""Starts the forking process; executed by `store.engines.duckdb_file.reader_process`."""

from __future__ import annotations

import os
import socket
import sys

_MALLOC = ("ARROW_DEFAULT_MEMORY_POOL", "system")

if __name__ == "__main__":
    os.putenv(*_MALLOC)  # Arrow's own allocator reserves a gigabyte at its first use, which counts against limits
    from tracegrade.evaluators.definition.imports import leave_pandas_out

    from .forking import serve  # which imports Arrow

    leave_pandas_out()  # each query has its own process, and would import it again
    serve(socket.socket(fileno=int(sys.argv[1])))
