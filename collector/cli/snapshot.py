"""`tracegrade snapshot`: a copy of the store that is whole, while the server goes on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import Fault
from .console import given

if TYPE_CHECKING:
    from ..settings import Settings
    from ..store.copies import Contents

__all__ = ["snapshot", "told"]

_USAGE = 2


def snapshot(*, file: Path, replace: bool, store: str | None, config: Path | None, server: str | None) -> int:
    from ..settings import load  # noqa: PLC0415 - a server needs only the token
    from ..store.copies import contents_of, in_place  # noqa: PLC0415

    _check(file, replace=replace)
    settings = load(config, **given(store=store))
    draft = file.with_name(f"{file.name}.part")
    draft.unlink(missing_ok=True)
    try:
        _write(draft, settings, server)
        contents = contents_of(draft, memory_limit=settings.memory_limit)
        in_place(draft, file)
    finally:
        draft.unlink(missing_ok=True)
    click.echo(f"{file}: {told(contents)}")
    return 0


def told(contents: Contents | None) -> str:
    """What a copy holds, in words."""
    if contents is None:
        return "complete; an earlier version wrote it, and `tracegrade serve` migrates it"
    return (
        f"{contents.size_bytes / 2**20:,.1f} MiB, {contents.spans:,} spans, {contents.runs:,} runs, "
        f"{contents.scores:,} scores"
    )


def _check(file: Path, *, replace: bool) -> None:
    if not file.parent.is_dir():
        raise Fault(f"{file}: the folder {file.parent} does not exist", exit_code=_USAGE)
    if file.exists() and not replace:
        raise Fault(f"{file} exists; --replace puts the snapshot in its place", exit_code=_USAGE)


def _write(draft: Path, settings: Settings, server: str | None) -> None:
    """Through the server that is named or holds the store; else from the file, which nobody has open."""
    from ..store.copies import copied  # noqa: PLC0415
    from ..store.database import path_of  # noqa: PLC0415
    from .source import alive, require_store  # noqa: PLC0415

    url = server or ((note := alive(path_of(settings.store))) and note.url)
    if not url:
        copied(require_store(settings), draft, memory_limit=settings.memory_limit)
        return
    from .download import download  # noqa: PLC0415

    token = settings.token.get_secret_value() if settings.token else None
    download(url, "/api/v1/snapshot", draft, token=token)
