"""`tracegrade restore`: replaces the store with a snapshot, and keeps the former store."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from ..client.settings import load_settings
from ..client.source import alive
from ..errors import Fault
from ..store.engines.database import StoreLocked, StoreUnavailable, path_of
from ..store.maintenance.copies import Contents, contents_of, copied, in_place, locked, put_aside
from .snapshot import told

__all__ = ["restore"]

_USAGE = 2
_UNREACHABLE = 4


def restore(*, file: Path, replace: bool, store: str | None, config: Path | None) -> int:
    settings = load_settings(config, store=store)
    path = path_of(settings.store)
    _check(file, path, replace=replace)
    draft = path.with_name(f"{path.name}.restoring")
    try:
        contents = _drafted(file, draft, settings.memory_limit)
        aside = _exchange(draft, path)
    finally:
        _remove(draft)
    click.echo(f"{path}: {told(contents)}")
    if aside is not None:
        click.echo(f"the former store is {aside}; remove it when you no longer need it")
    return 0


def _check(file: Path, path: Path, *, replace: bool) -> None:
    if not file.is_file():
        raise Fault(f"{file}: file not found", exit_code=_USAGE)
    if not path.parent.is_dir():
        raise Fault(f"{path}: the folder {path.parent} does not exist; create it", exit_code=_UNREACHABLE)
    if path.exists() and file.samefile(path):
        raise Fault(f"{file} is the store itself", exit_code=_USAGE)
    if path.exists():
        _ensure_unused(path)
        if not replace:
            raise Fault(
                f"{path} exists; --replace puts the snapshot in its place, and keeps the store under another name",
                exit_code=_USAGE,
            )


def _ensure_unused(path: Path) -> None:
    try:
        with locked(path, exclusively=True):
            return
    except StoreLocked as error:
        note = alive(path)
        holder = f"the server with pid {note.pid}" if note else "a process"
        raise Fault(f"{path} is in use: {holder} has it open. Stop it first", exit_code=_UNREACHABLE) from error


def _drafted(file: Path, draft: Path, memory_limit: str | None) -> Contents | None:
    """Copy the snapshot beside the store, and open the copy."""
    _remove(draft)
    copied(file, draft, memory_limit=memory_limit)
    try:
        return contents_of(draft, memory_limit=memory_limit)
    except StoreUnavailable as error:
        raise Fault(f"{file} cannot be restored: its copy {error}", exit_code=_UNREACHABLE) from error


def _exchange(draft: Path, path: Path) -> Path | None:
    """Replace the store with the draft; give the name under which the former store is kept."""
    aside = path.with_name(f"{path.name}.{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}")
    if not path.exists():
        put_aside(path, aside)
        in_place(draft, path)
        return None
    with locked(path, exclusively=True):
        put_aside(path, aside)
        in_place(draft, path)
    return aside


def _remove(draft: Path) -> None:
    for rest in (draft, *draft.parent.glob(f"{draft.name}.wal*")):
        rest.unlink(missing_ok=True)
