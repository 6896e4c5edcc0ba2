"""`tracegrade restore`: replaces the store with a snapshot, and keeps the former store."""

from __future__ import annotations

from pathlib import Path

import click

from ..client.discovery import find_server
from ..client.settings import load_settings
from ..config.settings import Settings
from ..errors import Fault
from ..store.engines.location import Location
from ..store.engines.selection import locate
from ..store.errors import StoreLocked, StoreUnavailable
from ..store.maintenance.contents import Contents, count_contents
from .snapshot import describe_contents

__all__ = ["restore"]

_USAGE = 2
_UNREACHABLE = 4


def restore(*, file: Path, replace: bool, store: str | None, config: Path | None) -> int:
    settings = load_settings(config, store=store)
    location = locate(settings.store)
    _check(file, location, settings, replace=replace)
    draft = location.companion("restoring")
    try:
        contents = _write_draft(file, draft, settings.memory_limit)
        former = location.replace_with(draft)
    finally:
        _remove(draft)
    click.echo(f"{location.name}: {describe_contents(contents)}")
    if former is not None:
        click.echo(f"the former store is {former}; remove it when you no longer need it")
    return 0


def _check(file: Path, location: Location, settings: Settings, *, replace: bool) -> None:
    if not file.is_file():
        raise Fault(f"{file}: file not found", exit_code=_USAGE)
    if location.is_same_as(file):
        raise Fault(f"{file} is the store itself", exit_code=_USAGE)
    if (fault := location.find_fault()) is not None:
        raise Fault(fault, exit_code=_UNREACHABLE)
    if location.exists():
        _ensure_unused(location, settings)
        if not replace:
            raise Fault(
                f"{location.name} exists; --replace puts the snapshot in its place, and keeps the store under "
                "another name",
                exit_code=_USAGE,
            )


def _ensure_unused(location: Location, settings: Settings) -> None:
    try:
        location.ensure_unused()
    except StoreLocked as error:
        note = find_server(settings.store)
        holder = f"the server with pid {note.pid}" if note else "a process"
        raise Fault(
            f"{location.name} is in use: {holder} has it open. Stop it first", exit_code=_UNREACHABLE
        ) from error


def _write_draft(file: Path, draft: Path, memory_limit: str | None) -> Contents | None:
    """Copy the snapshot to `draft` and count its contents; None if an earlier version wrote it.

    Raises Fault if the copy cannot be opened.
    """
    _remove(draft)
    locate(file).copy_to(draft, memory_limit=memory_limit)
    try:
        return count_contents(locate(draft), memory_limit=memory_limit)
    except StoreUnavailable as error:
        raise Fault(f"{file} cannot be restored: its copy {error}", exit_code=_UNREACHABLE) from error


def _remove(draft: Path) -> None:
    for file in (draft, *draft.parent.glob(f"{draft.name}.wal*")):
        file.unlink(missing_ok=True)
