"""The rows that an export no longer has, by the ids in its former and its new files."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from .days import KEYS, DayKey
from .folder import ExportFolder

__all__ = ["Deleted", "find_deleted", "render"]

Deleted = Mapping[DayKey, frozenset[str]]
"""The ids of deleted rows, by relation and the day in whose file they were."""

_SCHEMA: Final = pa.schema([("relation", pa.string()), ("day", pa.date32()), ("id", pa.string())])


def find_deleted(folder: ExportFolder, changed: Collection[DayKey], removed: Collection[DayKey]) -> Deleted:
    """Return the rows of former files that no new file has. A row that has moved to another day is not deleted.

    `changed` days have a draft, `removed` ones have no rows any more. What an interrupted export had listed stays
    listed, since its files may have been replaced already.
    """
    missing = _read_listed(folder.deletions_file())
    for key in (*changed, *removed):
        if ids := _read_ids(folder.file(key), key) - _read_ids(folder.draft_of(key), key):
            missing[key] = missing.get(key, frozenset()) | ids
    for relation in {relation for relation, _ in missing}:
        _keep_missing(missing, relation, [folder.draft_of(key) for key in changed if key[0] == relation])
    return {key: ids for key, ids in missing.items() if ids}


def render(deleted: Deleted) -> bytes:
    """Return the list as a Parquet file with the columns relation, day and id."""
    rows = [
        {"relation": relation, "day": day, "id": key}
        for (relation, day), ids in sorted(deleted.items())
        for key in sorted(ids)
    ]
    days = pa.array([row["day"] for row in rows], pa.string()).cast(pa.date32())
    columns = [pa.array([row["relation"] for row in rows]), days, pa.array([row["id"] for row in rows])]
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(columns, schema=_SCHEMA), sink, compression="zstd")
    return sink.getvalue()


def _keep_missing(missing: dict[DayKey, frozenset[str]], relation: str, drafts: Iterable[Path]) -> None:
    """Remove from `missing` what is in one of the drafts of the relation."""
    keys = [key for key in missing if key[0] == relation]
    for draft in drafts:
        present = _read_ids(draft, (relation, ""))
        for key in keys:
            missing[key] -= present


def _read_ids(file: Path, key: DayKey) -> frozenset[str]:
    """Return the ids in a file; none if there is no file, or if the rows of its relation are not listed."""
    column = KEYS.get(key[0])
    if column is None or not file.exists():
        return frozenset()
    return frozenset(pq.ParquetFile(file).read([column]).column(0).to_pylist())


def _read_listed(file: Path) -> dict[DayKey, frozenset[str]]:
    listed: dict[DayKey, frozenset[str]] = {}
    for row in pq.ParquetFile(file).read().to_pylist() if file.exists() else ():
        key = (row["relation"], row["day"].isoformat())
        listed[key] = listed.get(key, frozenset()) | {row["id"]}
    return listed
