"""The .sql files of this package, by kind and name; macros and views are installed in a database."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from .sql_file import BadHeader, CatalogError, Kind, SqlFile, UnknownSplice, read_file

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "BadHeader",
    "CatalogError",
    "ChangedSchema",
    "ForeignFile",
    "Kind",
    "NewerSchema",
    "SqlFile",
    "UnknownSplice",
    "UnknownSql",
    "condition",
    "migrate",
    "objects",
    "reinstall",
    "report",
    "statement",
]

PACKAGE: Traversable = files("tracegrade.queries")

_FOLDERS: Mapping[Kind, str] = {
    "schema": "schema",
    "macro": "macros",
    "view": "views",
    "statement": "statements",
    "report": "reports",
    "condition": "conditions",
}
_BOOKKEEPING = ("schema_history", "schema_objects")


class UnknownSql(CatalogError, LookupError):
    """The installation does not contain a file that the program asks for."""


class NewerSchema(CatalogError):
    """The database was written by a newer version; the message says what to do."""


class ChangedSchema(CatalogError):
    """A schema file was edited after it was applied to this database. Released files are never edited."""


class ForeignFile(CatalogError):
    """The database is not a store, or has forged objects; the message names the evidence."""


def statement(name: str, **texts: str) -> str:
    """Return the text of NAME.sql in a folder of statements, with `texts` spliced in."""
    return _find("statement", name).splice(texts)


def report(name: str, **texts: str) -> str:
    """Return the text of reports/NAME.sql, with `texts` spliced in."""
    return _find("report", name).splice(texts)


def condition(name: str) -> str:
    """Return the condition of conditions/NAME.sql, with its parameters."""
    return _find("condition", name).condition


def objects(kind: Kind, *, root: Traversable = PACKAGE) -> tuple[SqlFile, ...]:
    """List the files of a kind, by file name. Raises BadHeader."""
    return tuple(read_file(kind, entry) for _, entry in sorted(_list_entries(kind, root).items()))


def migrate(connection: duckdb.DuckDBPyConnection, *, root: Traversable = PACKAGE) -> list[str]:
    """Bring a database up to date, and return the names of the schema files that were applied, oldest first.

    A new database gets all of them in one transaction. An older one gets each in a transaction of its own, because
    DuckDB does not alter a table whose rows the same transaction has updated; after a failure the next call continues
    with the file that failed. Macros and views are installed again when any definition differs from what the database
    has; those that no longer exist here are dropped. A database that is current is not written to. Raises ForeignFile
    before anything of it is evaluated, and NewerSchema or ChangedSchema before anything is touched.
    """
    schema = objects("schema", root=root)
    definitions = _sort_definitions([*objects("macro", root=root), *objects("view", root=root)])
    _check_origin(connection, schema)
    new = _find_new(connection, schema)
    if not new and _read_installed(connection) == {(each.kind, each.name): each.sha256 for each in definitions}:
        return []
    is_new_database = len(new) == len(schema)
    for each in () if is_new_database else new:
        with _transaction(connection):
            _apply(connection, [each])
    with _transaction(connection):
        if is_new_database:
            connection.execute(statement("create_schema_history"))
            connection.execute(statement("create_schema_objects"))
            _apply(connection, new)
        _install(connection, definitions)
    return [each.file for each in new]


def reinstall(connection: duckdb.DuckDBPyConnection, *, root: Traversable = PACKAGE) -> None:
    """Install our macros and views again in a current database, regardless of its `schema_objects`.

    Its macros and views may be forged, and cannot be compared: DuckDB has several spellings of one definition. Raises
    ForeignFile if a macro has the name of a built-in function of DuckDB, or a table that of a view. Evaluates none.
    """
    definitions = _sort_definitions([*objects("macro", root=root), *objects("view", root=root)])
    taken = {name for (name,) in connection.execute(statement("shadowing_macros")).fetchall()}
    if deceiving := sorted(taken - {each.name for each in definitions}):
        raise ForeignFile(f"it has a macro with the name of DuckDB's function {_quote(deceiving[0])}. Do not trust it.")
    with _transaction(connection):
        _create(connection, definitions)


@lru_cache(maxsize=512)
def _find(kind: Kind, name: str) -> SqlFile:
    entry = _list_own_entries(kind).get(f"{name}.sql")
    if entry is None:
        raise UnknownSql(f"there is no {kind} {name!r} in tracegrade/queries/{_FOLDERS[kind]}")
    return read_file(kind, entry)


@lru_cache
def _list_own_entries(kind: Kind) -> Mapping[str, Traversable]:
    return _list_entries(kind, PACKAGE)


def _list_entries(kind: Kind, root: Traversable) -> dict[str, Traversable]:
    """Find the files of a kind by file name, in its folder and its sub-folders. Raises BadHeader if a name repeats."""
    folder = root.joinpath(_FOLDERS[kind])
    entries: dict[str, Traversable] = {}
    for entry in _walk_sql_files(folder) if folder.is_dir() else ():
        if entry.name in entries:
            raise BadHeader(f"{entry.name} is in two folders of {_FOLDERS[kind]}; names of a {kind} are unique")
        entries[entry.name] = entry
    return entries


def _walk_sql_files(folder: Traversable) -> Iterator[Traversable]:
    for entry in folder.iterdir():
        if entry.name.endswith(".sql"):
            yield entry
        elif entry.is_dir():
            yield from _walk_sql_files(entry)


def _sort_definitions(definitions: Sequence[SqlFile]) -> list[SqlFile]:
    """Sort definitions after those they read, then macros before views, then by name. Raises BadHeader for a cycle."""
    by_name = {each.name: each for each in definitions}
    sorter = TopologicalSorter({name: set(each.reads) & (by_name.keys() - {name}) for name, each in by_name.items()})
    try:
        sorter.prepare()
    except CycleError as error:
        raise BadHeader(f"these read each other in a cycle: {' → '.join(error.args[1])}") from error
    ordered: list[SqlFile] = []
    while sorter.is_active():
        ready = sorted((by_name[name] for name in sorter.get_ready()), key=lambda each: (each.kind, each.name))
        ordered += ready
        sorter.done(*(each.name for each in ready))
    return ordered


def _check_origin(connection: duckdb.DuckDBPyConnection, schema: Sequence[SqlFile]) -> None:
    names_by_kind: dict[str, set[str]] = {"table": set(), "view": set()}
    for kind, name in connection.execute(statement("relations_of_database")).fetchall():
        names_by_kind[kind].add(name)
    tables = {*_BOOKKEEPING, *(each.name for each in schema if "table" in each.header)}
    if deceiving := sorted(names_by_kind["view"] & tables):
        raise ForeignFile(f"its {_quote(deceiving[0])} is a view, where a store has a table. Do not trust it.")
    if (names_by_kind["table"] or names_by_kind["view"]) and not names_by_kind["table"].issuperset(_BOOKKEEPING):
        raise ForeignFile("this is a DuckDB file, but not a store of Tracegrade. Name the file of one.")


def _find_new(connection: duckdb.DuckDBPyConnection, schema: Sequence[SqlFile]) -> list[SqlFile]:
    applied = {file: (sha256, version) for file, sha256, version in _read_bookkeeping(connection, "schema_history")}
    known = {each.file: each for each in schema}
    if unknown := sorted(applied.keys() - known.keys()):
        version = applied[unknown[-1]][1]
        raise NewerSchema(
            f"this store was written by tracegrade {version}, which knows {', '.join(unknown)}; this is tracegrade "
            f"{_find_version()}, which does not. Upgrade it with `pip install -U tracegrade`, or point --store at "
            "another file."
        )
    for file, (sha256, version) in applied.items():
        if known[file].sha256 != sha256:
            raise ChangedSchema(
                f"schema/{file} is not what tracegrade {version} applied to this store. A released schema file is "
                "never edited: restore it and put the change into a new file, or reinstall tracegrade."
            )
    return [each for each in schema if each.file not in applied]


def _read_installed(connection: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], str]:
    return {(kind, name): sha256 for kind, name, sha256 in _read_bookkeeping(connection, "schema_objects")}


def _read_bookkeeping(connection: duckdb.DuckDBPyConnection, table: str) -> list[tuple[str, ...]]:
    """Read a bookkeeping table; empty for a database that was never migrated."""
    import duckdb  # noqa: PLC0415 - reading the files needs no database

    try:
        return connection.execute(statement(table)).fetchall()
    except duckdb.CatalogException:
        return []


@contextmanager
def _transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    connection.execute("begin")
    try:
        yield
    except BaseException:
        connection.execute("rollback")
        raise
    connection.execute("commit")


def _apply(connection: duckdb.DuckDBPyConnection, schema: Sequence[SqlFile]) -> None:
    for each in schema:
        connection.execute(each.text)
    if schema:
        version = _find_version()
        applied = [[each.file, each.sha256, version] for each in schema]
        connection.executemany(statement("insert_schema_history"), applied)


def _install(connection: duckdb.DuckDBPyConnection, definitions: Sequence[SqlFile]) -> None:
    present = {(each.kind, each.name) for each in definitions}
    for kind, name in _read_installed(connection).keys() - present:
        for what in ("view",) if kind == "view" else ("macro", "macro table"):
            connection.execute(f"drop {what} if exists {_quote(name)}")
    connection.execute(statement("delete_schema_objects"))
    _create(connection, definitions)
    if definitions:
        installed = [[each.kind, each.name, each.sha256] for each in definitions]
        connection.executemany(statement("insert_schema_object"), installed)


def _create(connection: duckdb.DuckDBPyConnection, definitions: Sequence[SqlFile]) -> None:
    import duckdb  # noqa: PLC0415 - reading the files needs no database

    for each in definitions:
        try:
            connection.execute(each.text)
        except duckdb.CatalogException as error:
            if "Existing object" not in str(error):
                raise
            raise ForeignFile(f"its {_quote(each.name)} is not a {each.kind}. Do not trust it.") from error


def _quote(name: str) -> str:
    """Quote an identifier, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def _find_version() -> str:
    try:
        return importlib.metadata.version("tracegrade")
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"
