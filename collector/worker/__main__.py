"""The entry point of processes that `worker.start` starts."""

from __future__ import annotations

import sys
from multiprocessing.connection import Connection

from .serving import serve

if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
