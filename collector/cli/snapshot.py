"""`tracegrade snapshot`: writes a consistent copy of the store while the server keeps running."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from ..client.http_client import Incoming, Unreachable
from ..client.settings import load_settings
from ..client.source import connect_to_server, find_server_url, require_store
from ..config.settings import Settings
from ..errors import Fault
from ..store.engines.selection import locate
from ..store.maintenance.contents import Contents, count_contents
from ..system.private_file import create_private_file, move_in_place

__all__ = ["describe_contents", "snapshot"]

_USAGE: Final = 2
_UNREACHABLE: Final = 4
_SILENCE_S: Final = 600.0
"""The time that the server may send nothing: it copies the store before the first byte."""


def snapshot(*, file: Path, replace: bool, store: str | None, config: Path | None, server: str | None) -> int:
    _check(file, replace=replace)
    settings = load_settings(config, store=store)
    draft = file.with_name(f"{file.name}.part")
    draft.unlink(missing_ok=True)
    try:
        _write(draft, settings, server)
        contents = count_contents(locate(draft), memory_limit=settings.memory_limit)
        move_in_place(draft, file)
    finally:
        draft.unlink(missing_ok=True)
    click.echo(f"{file}: {describe_contents(contents)}")
    return 0


def describe_contents(contents: Contents | None) -> str:
    """Describe the contents of a copy."""
    if contents is None:
        return "complete; written by an earlier version, `tracegrade serve` migrates it"
    return (
        f"{contents.size_bytes / 2**20:,.1f} MiB, {contents.spans:,} spans, {contents.runs:,} runs, "
        f"{contents.scores:,} scores"
    )


def _check(file: Path, *, replace: bool) -> None:
    if not file.parent.is_dir():
        raise Fault(f"{file}: the folder {file.parent} does not exist", exit_code=_USAGE)
    if file.is_dir():
        raise Fault(f"{file} is a folder; name a file in it", exit_code=_USAGE)
    if file.exists() and not replace:
        raise Fault(f"{file} exists; --replace puts the snapshot in its place", exit_code=_USAGE)


def _write(draft: Path, settings: Settings, server: str | None) -> None:
    """Write the copy, through the named server or the one that holds the store; without one, from the store itself."""
    url = find_server_url(settings, server)
    if url is None:
        require_store(settings).copy_to(draft, memory_limit=settings.memory_limit)
        return
    with connect_to_server(url, settings, timeout_s=_SILENCE_S).answering("/api/v1/snapshot", {}) as answer:
        _download(answer, draft, url)


def _download(answer: Incoming, draft: Path, url: str) -> None:
    try:
        with create_private_file(draft) as target:
            target.writelines(answer.portions())
    except Unreachable as error:
        raise Fault(
            f"the server at {url} sent an incomplete snapshot: {error}. Its log says why; try again, or closer to "
            "the server",
            exit_code=_UNREACHABLE,
        ) from error
    except OSError as error:
        raise Fault(f"{draft} cannot be written: {error}", exit_code=_UNREACHABLE) from error
