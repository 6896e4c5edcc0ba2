"""`tracegrade reload`: a running server goes on with what its configuration says now."""

from __future__ import annotations

from pathlib import Path

import click

from ..client.settings import load_settings
from ..client.source import post, server_of, suggested_server
from ..errors import Fault

__all__ = ["reload"]

_UNREACHABLE = 4


def reload(*, store: str | None, config: Path | None, server: str | None) -> int:
    settings = load_settings(config, store=store)
    url = server_of(settings, server)
    if url is None:
        raise Fault(
            f"no server holds {settings.store}; it reads its configuration when it starts{suggested_server()}",
            exit_code=_UNREACHABLE,
        )
    waiting = post(settings, url, "/api/v1/reload", {})["needs_a_restart"]
    click.echo("the new configuration has taken effect")
    if waiting:
        click.echo(f"but for {', '.join(waiting)}, which the next start reads")
    return 0
