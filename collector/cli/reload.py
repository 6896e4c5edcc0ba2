"""`tracegrade reload`: a running server goes on with what its configuration says now."""

from __future__ import annotations

import typer

from ..errors import Fault
from ..settings import load
from ..store.database import path_of
from .console import Config, Server, Store, given
from .source import alive, post

__all__ = ["reload"]

_UNREACHABLE = 4


def reload(store: Store = None, config: Config = None, server: Server = None) -> int:
    """Let a running server read its configuration again: evaluators, judges, references. As SIGHUP does.

    It reads the file that it was started with, and keeps what it has where that cannot be used.
    """
    settings = load(config, **given(store=store))
    url = server or ((note := alive(path_of(settings.store))) and note.url)
    if not url:
        raise Fault(
            f"no server holds {settings.store}; it reads its configuration when it starts", exit_code=_UNREACHABLE
        )
    waiting = post(settings, url, "/api/v1/reload", {})["needs_a_restart"]
    typer.echo("the configuration is in force")
    if waiting:
        typer.echo(f"but for {', '.join(waiting)}, which the next start reads")
    return 0
