"""`tracegrade export`: the content of the store as Parquet files by day."""

from __future__ import annotations

from pathlib import Path

import click

from ..client.settings import load_settings
from ..client.source import open_source
from ..parquet.export import Exported, export_days
from .console import print_json

__all__ = ["export"]

_TIMEOUT_S = 300.0
_MOST_DAYS = 100_000


def export(
    *, folder: Path, rewrites_all: bool, as_json: bool, store: str | None, config: Path | None, server: str | None
) -> int:
    settings = load_settings(config, store=store)
    with open_source(settings, server, max_rows=_MOST_DAYS, timeout_s=_TIMEOUT_S, read_only=True) as source:
        exported = export_days(source, folder, rewrites_all=rewrites_all)
    if as_json:
        print_json(_as_json(exported))
    else:
        click.echo(f"{folder}: {_describe(exported)}")
    return 0


def _describe(exported: Exported) -> str:
    files = f"{len(exported.written):,} files written, {exported.unchanged:,} unchanged"
    if exported.removed:
        files += f", {len(exported.removed):,} removed, since their days have no rows any more"
    if not exported.deleted:
        return files
    counts = ", ".join(f"{count:,} of {relation}" for relation, count in exported.deleted.items())
    return f"{files}; deleted rows: {counts}, listed in {exported.deletions_file}"


def _as_json(exported: Exported) -> dict[str, object]:
    return {
        "written": [str(file) for file in exported.written],
        "removed": [str(file) for file in exported.removed],
        "unchanged": exported.unchanged,
        "deleted": dict(exported.deleted),
        "deletions_file": None if exported.deletions_file is None else str(exported.deletions_file),
    }
