"""Brings the folder of an export up to date with the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tracegrade.queries.catalog import report

from ..client.answer_stream import stream_answer
from ..client.source import LocalSource, RemoteSource
from .days import DayKey, list_days
from .deleted_rows import Deleted, find_deleted, render
from .folder import ExportFolder, open_folder

__all__ = ["Exported", "export_days"]

_TIMEOUT_S: Final = 300.0


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export has changed in its folder; `unchanged` is the number of days of all relations that stayed."""

    written: tuple[Path, ...]
    removed: tuple[Path, ...]
    unchanged: int
    deleted: Mapping[str, int]
    deletions_file: Path | None


def export_days(source: LocalSource | RemoteSource, path: Path, *, rewrites_all: bool) -> Exported:
    """Write the days that have changed since the last export to `path`, or all days. Raises Fault.

    Digests are read before the rows: what changes meanwhile is written again by the next export.
    """
    with open_folder(path) as folder:
        digests = list_days(source.read)
        present = folder.list_keys()
        removed = sorted((present | folder.state.digests.keys()) - digests.keys())
        current = {key for key in present if folder.state.digests.get(key) == digests.get(key)}
        changed = sorted(digests.keys() if rewrites_all else digests.keys() - current)
        for key in changed:
            _write_draft(source, folder, key)
        deleted = find_deleted(folder, changed, removed)
        list_file = _write_list(folder, deleted)
        written = [folder.file(key) for key in changed]
        removed_files = [folder.file(key) for key in removed]
        if written or removed_files:
            outdated = [] if deleted else [folder.deletions_file()]
            folder.publish([*list_file, *written], [*removed_files, *outdated], digests)
    return Exported(
        written=tuple(written),
        removed=tuple(removed_files),
        unchanged=len(digests) - len(changed),
        deleted=_count(deleted),
        deletions_file=next(iter(list_file), None),
    )


def _write_draft(source: LocalSource | RemoteSource, folder: ExportFolder, key: DayKey) -> None:
    relation, day = key
    sql = report(f"exported_{relation}")
    with stream_answer(source, sql, "parquet", parameters={"day": day}, timeout_s=_TIMEOUT_S) as answer:
        folder.write_draft(folder.file(key), answer.portions)


def _write_list(folder: ExportFolder, deleted: Deleted) -> list[Path]:
    """Write the draft of the list of deleted rows; return its path, or nothing if no row was deleted."""
    if not deleted:
        return []
    folder.write_draft(folder.deletions_file(), [render(deleted)])
    return [folder.deletions_file()]


def _count(deleted: Deleted) -> Mapping[str, int]:
    counts: Counter[str] = Counter()
    for (relation, _), ids in deleted.items():
        counts[relation] += len(ids)
    return dict(sorted(counts.items()))
