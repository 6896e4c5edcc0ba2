"""The files of an export, read as other tools read them, and compared with the store."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
from tests.support.store import Store

from tracegrade.collector.client.source import LocalSource
from tracegrade.collector.parquet.days import RELATIONS
from tracegrade.collector.parquet.export import Exported, export_days

__all__ = ["find_differences", "list_deleted", "run_export"]


def run_export(store: Store, folder: Path, *, rewrites_all: bool = False) -> Exported:
    """Exports an open store."""
    source = LocalSource(store.database, max_rows=1_000)
    return export_days(source, folder, rewrites_all=rewrites_all)


def find_differences(store: Store, folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Lists by relation the rows that only one of the two has, or has more often."""
    found = {}
    for relation in RELATIONS:
        stored = Counter(store.rows(f"select columns(*)::varchar from {relation}"))
        exported = Counter(_read(folder, relation))
        if differing := [*(stored - exported), *(exported - stored)]:
            found[relation] = differing
    return found


def list_deleted(folder: Path) -> list[tuple[Any, ...]]:
    """Lists the deleted rows: export, relation, id."""
    return _query(folder, "deletions", "select export, relation, id from {files} order by all")


def _read(folder: Path, relation: str) -> list[tuple[Any, ...]]:
    return _query(folder, relation, "select columns(* exclude (day))::varchar from {files}")


def _query(folder: Path, relation: str, sql: str) -> list[tuple[Any, ...]]:
    if not any(folder.glob(f"{relation}/**/*.parquet")):
        return []
    files = f"read_parquet('{folder}/{relation}/**/*.parquet', hive_partitioning=true)"
    with duckdb.connect() as connection:
        return connection.execute(sql.format(files=files)).fetchall()
