"""The fence around SQL that users write: it reads only the store, within limits of time and size.

There are three layers, because each alone has a gap. `instance` shuts DuckDB off from files, network and settings.
`admission` accepts one statement, a SELECT by DuckDB's parser, that calls no function with side effects. `reading` runs
it in a read-only transaction, the only layer that stops statements which the parser calls a SELECT although they write
(DuckDB 2: `with d as (delete … returning …) select …`).

No layer can stop planning, or a single call of a scalar function, before it is done (`levenshtein` of two huge texts
exceeds its time limit), or count what such a call allocates (`repeat('x', 3000000000)` is outside of memory_limit). So
a server answers each query in its own process, which can be ended
(`collector.store.engines.readers`).
"""

from __future__ import annotations

from .admission import MAX_SQL_CHARACTERS, admit, called, called_in, without_end
from .errors import SqlError, SqlFailed, SqlRefused, SqlTimedOut, timed_out
from .instance import SHUT, harden
from .place import Place, find_place
from .reading import MAX_RESULT_BYTES, Parameters, read, stream

__all__ = [
    "MAX_RESULT_BYTES",
    "MAX_SQL_CHARACTERS",
    "SHUT",
    "Parameters",
    "Place",
    "SqlError",
    "SqlFailed",
    "SqlRefused",
    "SqlTimedOut",
    "admit",
    "called",
    "called_in",
    "find_place",
    "harden",
    "read",
    "stream",
    "timed_out",
    "without_end",
]
