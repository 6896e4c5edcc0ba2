"""`tracegrade reload`: a running server goes on with what its configuration says now."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import Fault
from ..settings import load
from .console import given
from .source import post, server_of, suggested_server

__all__ = ["reload"]

_UNREACHABLE = 4


def reload(*, store: str | None, config: Path | None, server: str | None) -> int:
    settings = load(config, **given(store=store))
    url = server_of(settings, server)
    if url is None:
        raise Fault(
            f"no server holds {settings.store}; it reads its configuration when it starts{suggested_server()}",
            exit_code=_UNREACHABLE,
        )
    waiting = post(settings, url, "/api/v1/reload", {})["needs_a_restart"]
    click.echo("the configuration is in force")
    if waiting:
        click.echo(f"but for {', '.join(waiting)}, which the next start reads")
    return 0
