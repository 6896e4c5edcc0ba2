"""Tables, views, macros, statements and reports of the store, and how they are read.

SQL lives in `.sql` files, one object per file. This package finds and installs them (`catalog`), checks the SQL that
users write (`fence`), answers over HTTP (`http`) and asks from Python (`connection`). It knows neither where the store
is nor who writes to it.

The names listed here are the public interface. Each is imported from its module when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .connection import Connection, QueryAnswer, connect
    from .cookbook.errors import ReportError
    from .fence import SqlError, SqlFailed, SqlRefused, SqlTimedOut
    from .ports import Unavailable

__all__ = [
    "Connection",
    "QueryAnswer",
    "ReportError",
    "SqlError",
    "SqlFailed",
    "SqlRefused",
    "SqlTimedOut",
    "Unavailable",
    "connect",
]

_MODULES: Final = {
    "Connection": ".connection",
    "QueryAnswer": ".connection",
    "ReportError": ".cookbook.errors",
    "SqlError": ".fence",
    "SqlFailed": ".fence",
    "SqlRefused": ".fence",
    "SqlTimedOut": ".fence",
    "Unavailable": ".ports",
    "connect": ".connection",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name], __name__), name)


def __dir__() -> list[str]:
    return __all__
