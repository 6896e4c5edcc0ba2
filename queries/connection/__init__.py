"""Queries from Python: notebooks, scripts and checks that need tables, through a running server or the file."""

from .answer import QueryAnswer
from .connection import Connection, connect

__all__ = ["Connection", "QueryAnswer", "connect"]
