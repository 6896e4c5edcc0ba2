"""Started by `store.isolated`."""

from __future__ import annotations

import socket
import sys

from .forking import serve

if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
