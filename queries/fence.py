"""The one fence for SQL that users write: it reads the store and nothing else, for so long and so much.

Three layers, because each alone has a hole. `harden` shuts the instance off from files, network and settings. `read`
lets one statement through, a SELECT by DuckDB's own parser, that calls none of the functions which act instead of
reading. It runs in a read-only transaction, the only layer that stops what the parser calls a SELECT and yet writes
(DuckDB 2: `with d as (delete … returning …) select …`).

What no layer here can do: stop planning, or a single call of a scalar function, before it is done (`levenshtein` of
two huge texts outlives its time limit), and count what such a call allocates (`repeat('x', 3000000000)` is outside of
memory_limit). So a server answers each query in a process of its own, which can be ended (`store.engines.readers`).
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain, islice
from typing import Any, ClassVar, TypeAlias

import duckdb
import orjson
import pyarrow as pa

from .machine import teller_in
from .result import Column, Result, Stream

__all__ = [
    "MAX_RESULT_BYTES",
    "MAX_SQL_CHARACTERS",
    "SHUT",
    "Parameters",
    "SqlError",
    "SqlFailed",
    "SqlRefused",
    "SqlTimedOut",
    "called",
    "harden",
    "read",
    "stream",
    "timed_out",
    "without_end",
]

Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any]

MAX_SQL_CHARACTERS = 100_000
"""Planning cannot be interrupted, and takes minutes for a text of megabytes. Long lists belong into parameters."""

MAX_RESULT_BYTES = 64 * 2**20
"""An answer that `read` gives stops here, too: `memory_limit` does not count what has left DuckDB."""

_ALLOWED = "Allowed is one SELECT (also WITH, FROM, VALUES, DESCRIBE, SHOW, SUMMARIZE, and EXPLAIN of those)"
SHUT: Mapping[str, str] = {
    "python_enable_replacements": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
}
"""What to open a file with that anybody may have made: nothing in it reaches another file, the network or an extension.
The file itself and its logs are read and written all the same."""

_LOCKS = (
    "set timezone = 'UTC'",  # for this connection
    "set global timezone = 'UTC'",  # for its cursors
    *(f"set global {name} = {value}" for name, value in SHUT.items()),
    "set global allowed_configs = ['streaming_buffer_size']",  # which each reading makes small, see _opened
    "set global lock_configuration = true",
)
_ACTING = re.compile(
    r"(force_)?checkpoint|(enable|disable)_(logging|profiling)|truncate_duckdb_logs|write_log|nextval|setval"
    r"|query|json_execute_serialized_sql"  # they run SQL that nobody has looked at
    r"|(arrow|pandas|python_arrow)_scan(_dumb)?|python_map_function"  # they follow pointers
    r"|duckdb_secrets|which_secret|\w*external_resource\w*"
)
_CALLED = re.compile(r'"function_name":\s*"((?:[^"\\]|\\.)*)"')
_COMMENTS = r"(?>\s+|--[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+"
_EXPLAIN = re.compile(rf"{_COMMENTS}explain\b\s*(?:analyze\b|\([\w\s,]*\))?", re.IGNORECASE)
_ABOUT_THE_QUERY = {"Binder Error", "Catalog Error", "Parser Error"}
_NO_ARROW_FORM = {"BIGNUM", "BIT", "TIME WITH TIME ZONE", "UHUGEINT"}
_NO_TEXT = re.compile(r"[\0\ud800-\udfff]")  # DuckDB 1.5 takes a NUL for the end
_RELATIONS_STREAM = int(duckdb.__version__.partition(".")[0]) >= 2
_BATCH_ROWS = 1024
_SMALL_BUFFER = "set streaming_buffer_size = '64KB'"
_POLL_S = 0.05


class SqlError(Exception):
    """Base class of what `read` raises: the author of the query must act."""

    kind: ClassVar[str]

    @property
    def without_data(self) -> str:
        """The message for places that outlive what is stored: only the name of an error that may quote values."""
        first = str(self).partition("\n")[0]
        name = first.partition(":")[0]
        return name if name.endswith("Error") and name not in _ABOUT_THE_QUERY else first


class SqlRefused(SqlError):
    """Not what this fence lets through; the message says what is."""

    kind = "refused"


class SqlFailed(SqlError):
    """DuckDB could not answer; the message is DuckDB's, with the line it points at."""

    kind = "failed"


class SqlTimedOut(SqlError):
    """It took longer than the limit that the message names, or nobody waits for the answer any more."""

    kind = "timed_out"


def timed_out(timeout_s: float) -> SqlTimedOut:
    """What a query is told that was stopped at its limit."""
    return SqlTimedOut(f"stopped: the limit is {timeout_s:g} s. Narrow the query, or ask for more time.")


def harden(connection: duckdb.DuckDBPyConnection) -> None:
    """Shut the whole instance off from files, network and settings, for good. Call it after every ATTACH, LOAD, SET.

    `connection.register` with INSERT … SELECT goes on working; naming a Python variable in SQL does not.
    """
    if _is_hardened(connection):
        return
    for lock in _LOCKS:
        connection.execute(lock)


def _is_hardened(connection: duckdb.DuckDBPyConnection) -> bool:
    locked = connection.execute("select system.main.current_setting('lock_configuration')")  # which no macro replaces
    return locked.fetchall() == [(True,)]


def read(
    open_cursor: Callable[[], duckdb.DuckDBPyConnection],
    sql: str,
    *,
    parameters: Parameters | None = None,
    timeout_s: float,
    max_rows: int,
    cancelled: threading.Event | None = None,
) -> Result:
    """What `sql` answers: at most `max_rows` rows and 64 MiB; `truncated` says whether there was more.

    `open_cursor` gives a connection of its own on a hardened instance (`connection.cursor`, or a function that also
    registers what the query may join); it is closed here. Blocks; setting `cancelled` ends it as the time limit does.
    Raises SqlRefused, SqlFailed, SqlTimedOut; RuntimeError where nobody called `harden`.
    """
    began = time.perf_counter()
    with closing(open_cursor()) as cursor:
        if not _is_hardened(cursor):
            raise RuntimeError("fence.read on an instance that fence.harden has not shut off")
        stopped = threading.Event()
        try:
            with _interrupting(cursor, _Deadline(timeout_s), cancelled or threading.Event(), stopped):
                statement = _admitted(cursor, sql)
                _begin(cursor)
                columns, table, truncated = _fetched(cursor, statement, parameters, max_rows=max_rows)
        except (duckdb.Error, pa.ArrowException, OSError) as error:  # the latter two from the middle of the stream
            raise _explained(error, stopped=stopped.is_set(), timeout_s=timeout_s) from error
    elapsed_ms = (time.perf_counter() - began) * 1000
    return Result(columns=columns, table=table, truncated=truncated, elapsed_ms=elapsed_ms)


@contextmanager
def stream(
    open_cursor: Callable[[], duckdb.DuckDBPyConnection],
    sql: str,
    *,
    parameters: Parameters | None = None,
    timeout_s: float,
    max_rows: int | None = None,
    cancelled: threading.Event | None = None,
) -> Iterator[Stream]:
    """What `sql` answers, all of it or `max_rows` rows, in bounded memory; through the same fence as `read`.

    The time limit holds for each wait for further rows; how long the reader of the stream takes does not count. The
    first rows are there when this returns, so that most failures come before anything has been written. May be used by
    one thread after another. Raises as `read` does, also from `batches`.
    """
    began = time.perf_counter()
    with closing(open_cursor()) as cursor:
        if not _is_hardened(cursor):
            raise RuntimeError("fence.stream on an instance that fence.harden has not shut off")
        deadline, stopped = _Deadline(timeout_s), threading.Event()
        with _interrupting(cursor, deadline, cancelled or threading.Event(), stopped):
            try:
                statement = _admitted(cursor, sql)
                _begin(cursor)
                columns, reader = _opened(cursor, statement, parameters)
            except (duckdb.Error, pa.ArrowException, OSError) as error:
                raise _explained(error, stopped=stopped.is_set(), timeout_s=timeout_s) from error
            with closing(reader):
                batches = _batches(reader, deadline, stopped)
                first = list(islice(batches, 1))
                yield Stream(columns, reader.schema, chain(first, batches), max_rows=max_rows, began=began)


def _batches(reader: pa.RecordBatchReader, deadline: _Deadline, stopped: threading.Event) -> Iterator[Any]:
    """The batches of a reader, each within the time limit."""
    while True:
        deadline.begin()
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            raise _explained(error, stopped=stopped.is_set(), timeout_s=deadline.timeout_s) from error
        finally:
            deadline.pause()
        yield batch


class _Deadline:
    """Until when a query may go on before it gives something."""

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self._at = 0.0
        self.begin()

    def begin(self) -> None:
        self._at = time.perf_counter() + self.timeout_s

    def pause(self) -> None:
        self._at = math.inf

    @property
    def is_over(self) -> bool:
        return time.perf_counter() >= self._at


@contextmanager
def _interrupting(
    cursor: duckdb.DuckDBPyConnection, deadline: _Deadline, cancelled: threading.Event, stopped: threading.Event
) -> Iterator[None]:
    """Past the deadline, interrupt again and again: DuckDB forgets an interrupt that finds no query running."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_POLL_S):
            if cancelled.is_set() or deadline.is_over:
                stopped.set()
                with suppress(duckdb.Error):  # it was closed with its store
                    cursor.interrupt()

    watcher = threading.Thread(target=watch, name="sql-deadline", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _admitted(cursor: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    """The one statement in `sql`, looked at from all sides.

    Parsed on the hardened connection, never by `duckdb.extract_statements`: IMPORT DATABASE reads its file while it
    is being parsed.
    """
    if len(sql) > MAX_SQL_CHARACTERS:
        raise SqlRefused(f"the statement is over {MAX_SQL_CHARACTERS} characters; hand long lists over as parameters.")
    if _NO_TEXT.search(sql):
        raise SqlRefused("SQL is text: no NUL characters, no lone surrogates.")
    try:
        statements = cursor.extract_statements(sql)
        kinds = [each.type for each in statements]
    except ValueError as error:  # a type of statement that this version of the client has no name for
        raise SqlRefused(f"this statement does something else than reading. {_ALLOWED}.") from error
    if _is_dynamic_pivot(statements):
        raise SqlRefused("PIVOT has to name its columns here: pivot … on column in ('a', 'b').")
    if len(kinds) != 1:
        raise SqlRefused(f"this is {len(kinds) or 'no'} statements. {_ALLOWED}.")
    if kinds[0] not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
        raise SqlRefused(f"{kinds[0].name} is refused. {_ALLOWED}.")
    _refuse_acting(cursor, _explained_query(sql) if kinds[0] == duckdb.StatementType.EXPLAIN else sql)
    return statements[0]


def _explained_query(sql: str) -> str:
    """What stands after EXPLAIN and its options. If this takes too little, the rest does not parse as a query."""
    return sql[match.end() :] if (match := _EXPLAIN.match(sql)) else sql


def _is_dynamic_pivot(statements: Sequence[duckdb.Statement]) -> bool:
    """DuckDB 1.5 makes two statements without a text of their own from it, 2.0 one of type MULTI."""
    kinds = [each.type.name for each in statements]
    return kinds == ["MULTI"] or (kinds == ["CREATE", "SELECT"] and not any(each.query for each in statements))


def _refuse_acting(cursor: duckdb.DuckDBPyConnection, select: str) -> None:
    """Refuse what is no SELECT to the core, what acts, and what tells of the machine; by the names in DuckDB's tree."""
    if teller := teller_in(tree := _tree(cursor, select)):
        raise SqlRefused(f"{teller} is refused: it tells of the machine, not of what the store holds.")
    for name in _CALLED.findall(tree):
        if _ACTING.fullmatch(name.lower()):
            raise SqlRefused(f"the function {name} is refused: it does more than read the store.")


def called(cursor: duckdb.DuckDBPyConnection, select: str) -> list[str]:
    """The functions that a query calls, by name. Raises SqlError where it is none."""
    return _CALLED.findall(_tree(cursor, select))


def _tree(cursor: duckdb.DuckDBPyConnection, select: str) -> str:
    """A query as DuckDB serializes it. Raises SqlError where it is none."""
    ((tree,),) = cursor.execute("select json_serialize_sql($1)", [select]).fetchall()
    if tree.startswith('{"error":true'):
        raise _unreadable(orjson.loads(tree)["error_message"])
    return str(tree)


def without_end(query: str) -> str:
    """The query without the semicolons at its end, and what follows them, so that it can stand in parentheses."""
    text = query.encode()
    end = len(text)
    for offset, kind in reversed(duckdb.tokenize(query)):
        if text[offset : offset + 1] == b";":
            end = offset
        elif not str(kind).endswith("comment"):  # which DuckDB 1.5 leaves out
            break
    return text[:end].decode()


def _unreadable(message: str) -> SqlError:
    if message.startswith("Only SELECT"):
        return SqlRefused(f"only a query can be read or explained. {_ALLOWED}.")
    return SqlFailed(message)


def _begin(cursor: duckdb.DuckDBPyConnection) -> None:
    cursor.execute(_SMALL_BUFFER)
    cursor.execute("begin transaction read only")


def _fetched(
    cursor: duckdb.DuckDBPyConnection, statement: duckdb.Statement, parameters: Parameters | None, *, max_rows: int
) -> tuple[tuple[Column, ...], pa.Table, bool]:
    columns, reader = _opened(cursor, statement, parameters)
    batches: list[pa.RecordBatch] = []
    rows_left, bytes_left, truncated = max_rows, MAX_RESULT_BYTES, False
    with closing(reader):
        for batch in reader:
            kept = batch.slice(0, rows_left if bytes_left > 0 else 0)
            batches.append(kept)
            rows_left -= kept.num_rows
            bytes_left -= kept.nbytes
            if truncated := kept.num_rows < batch.num_rows:
                break
    return columns, pa.Table.from_batches(batches, reader.schema), truncated


def _opened(
    cursor: duckdb.DuckDBPyConnection, statement: duckdb.Statement, parameters: Parameters | None
) -> tuple[tuple[Column, ...], pa.RecordBatchReader]:
    """A stream, whatever the size of the answer. 1.5 streams what `execute` began and keeps the whole of what `sql`
    is given parameters for; 2.0 streams from `sql` and copies the whole after `execute`.

    DuckDB computes ahead of its reader until a buffer is full, and counts a text as 16 bytes however long it is: of
    the usual megabyte, 60,000 long texts are half a gigabyte, which is outside of memory_limit.
    """
    source: duckdb.DuckDBPyConnection | duckdb.DuckDBPyRelation
    if _RELATIONS_STREAM:
        source = cursor.sql(statement, params=parameters)
        columns = tuple(Column(name, str(type_)) for name, type_ in zip(source.columns, source.types, strict=True))
    else:
        source = cursor.execute(statement, parameters)
        columns = tuple(Column(name, str(type_)) for name, type_, *_ in source.description or ())
    for column in columns:
        if column.type in _NO_ARROW_FORM:
            raise SqlFailed(f"{column.name}: {column.type} has no exact form outside of DuckDB; cast it to varchar.")
    return columns, source.to_arrow_reader(_BATCH_ROWS)


def _explained(error: Exception, *, stopped: bool, timeout_s: float) -> SqlError:
    message = str(error)
    if isinstance(error, duckdb.InterruptException) or stopped:
        return timed_out(timeout_s)
    if message.startswith("INTERRUPT Error"):  # one thread failed, and it is another one that is heard
        return SqlFailed(
            "the query failed in the middle of its answer, and DuckDB does not say why: ask for less, to find the row."
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        return SqlFailed(
            "it needs more memory than it may use. Narrow the query, or raise query_memory of the server (memory_limit "
            f"where the command has opened the store itself). {message}"
        )
    if isinstance(error, duckdb.PermissionException) or "read-only mode" in message:
        return SqlRefused(f"{message}\n{_ALLOWED}, of what the store holds.")
    return SqlFailed(message)
