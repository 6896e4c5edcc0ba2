"""Decides which statements are accepted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import duckdb
import orjson

from ..machine import find_teller
from .errors import ALLOWED, SqlError, SqlFailed, SqlRefused

__all__ = ["ACTING", "MAX_SQL_CHARACTERS", "admit", "called", "called_in", "without_end"]

MAX_SQL_CHARACTERS: Final = 100_000
"""Planning cannot be interrupted, and takes minutes for a text of megabytes. Pass long lists as parameters."""

ACTING: Final = re.compile(
    r"(force_)?checkpoint|(enable|disable)_(logging|profiling)|truncate_duckdb_logs|write_log|nextval|setval"
    r"|query|json_execute_serialized_sql"  # they run SQL that was not checked
    r"|(arrow|pandas|python_arrow)_scan(_dumb)?|python_map_function"  # they follow pointers
    r"|quack_\w+"  # they start and stop a server, and query others
    r"|read_duckdb"  # it opens the file of the store again, and tells who holds it
    r"|duckdb_secrets|which_secret|\w*external_resource\w*"
)
_CALLED = re.compile(r'"function_name":\s*"((?:[^"\\]|\\.)*)"')
_COMMENTS = r"(?>\s+|--[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+"
_EXPLAIN = re.compile(rf"{_COMMENTS}explain\b\s*(?:analyze\b|\([\w\s,]*\))?", re.IGNORECASE)
_NO_TEXT = re.compile(r"[\0\ud800-\udfff]")  # DuckDB 1.5 ends the text at a NUL


def admit(cursor: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    """Return the one statement in `sql`. Raises SqlRefused if it may not be run, SqlFailed if it is not a query.

    It is parsed on the hardened connection, never by `duckdb.extract_statements`: IMPORT DATABASE reads its file during
    parsing.
    """
    if len(sql) > MAX_SQL_CHARACTERS:
        raise SqlRefused(
            f"the statement is over {MAX_SQL_CHARACTERS} characters; pass long lists as parameters.",
            limit=MAX_SQL_CHARACTERS,
        )
    if _NO_TEXT.search(sql):
        raise SqlRefused("SQL is text: no NUL characters, no lone surrogates.")
    try:
        statements = cursor.extract_statements(sql)
        kinds = [statement.type for statement in statements]
    except ValueError as error:  # a type of statement that this version of the client does not know
        raise SqlRefused(f"this statement does not only read. {ALLOWED}.") from error
    if _is_dynamic_pivot(statements):
        raise SqlRefused("PIVOT has to name its columns here: pivot … on column in ('a', 'b').")
    if len(kinds) != 1:
        raise SqlRefused(f"this is {len(kinds) or 'no'} statements. {ALLOWED}.")
    if kinds[0] not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
        raise SqlRefused(f"{kinds[0].name} is refused. {ALLOWED}.")
    _check_functions(cursor, _strip_explain(sql) if kinds[0] == duckdb.StatementType.EXPLAIN else sql)
    return statements[0]


def _strip_explain(sql: str) -> str:
    """Remove EXPLAIN and its options. If this removes too little, the rest does not parse as a query."""
    return sql[match.end() :] if (match := _EXPLAIN.match(sql)) else sql


def _is_dynamic_pivot(statements: Sequence[duckdb.Statement]) -> bool:
    """Return whether it is a PIVOT without column names: in DuckDB 1.5 two statements, in 2.0 one of type MULTI."""
    kinds = [statement.type.name for statement in statements]
    return kinds == ["MULTI"] or (kinds == ["CREATE", "SELECT"] and not any(each.query for each in statements))


def _check_functions(cursor: duckdb.DuckDBPyConnection, select: str) -> None:
    """Raise SqlError for parts that are not a SELECT, functions with side effects, and names that describe the machine.

    The names are those in DuckDB's tree of the query.
    """
    if teller := find_teller(tree := _serialize(cursor, select)):
        raise SqlRefused(f"{teller} is refused: it describes the machine, not the content of the store.")
    for name in _CALLED.findall(tree):
        if ACTING.fullmatch(name.lower()):
            raise SqlRefused(f"the function {name} is refused: it does more than read the store.")


def called(cursor: duckdb.DuckDBPyConnection, select: str) -> list[str]:
    """Return the functions that a query calls. Raises SqlError if it is not a query."""
    return called_in(_serialize(cursor, select))


def called_in(tree: str) -> list[str]:
    """Return the functions that a query calls, from what DuckDB's `json_serialize_sql` returns for it. Raises SqlError
    if it is not a query."""
    return _CALLED.findall(_check_tree(tree))


def _serialize(cursor: duckdb.DuckDBPyConnection, select: str) -> str:
    """Return DuckDB's tree of a query as JSON. Raises SqlError if it is not a query."""
    ((tree,),) = cursor.execute("select json_serialize_sql($1)", [select]).fetchall()
    return _check_tree(str(tree))


def _check_tree(tree: str) -> str:
    if tree.startswith('{"error":true'):
        raise _explain_unparsed(orjson.loads(tree)["error_message"])
    return tree


def without_end(query: str) -> str:
    """Remove the semicolons at the end of a query, and what follows them, so that it can be put in parentheses."""
    text = query.encode()
    end = len(text)
    for offset, kind in reversed(duckdb.tokenize(query)):
        if text[offset : offset + 1] == b";":
            end = offset
        elif not str(kind).endswith("comment"):  # DuckDB 1.5 does not list comments
            break
    return text[:end].decode()


def _explain_unparsed(message: str) -> SqlError:
    if message.startswith("Only SELECT"):
        return SqlRefused(f"only a query can be read or explained. {ALLOWED}.")
    return SqlFailed(message)
