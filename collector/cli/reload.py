"""`tracegrade reload`: makes a running server read its configuration again."""

from __future__ import annotations

from pathlib import Path

import click

from ..client.settings import load_settings
from ..client.source import find_server_url, post, suggest_server
from ..errors import Fault
from .console import plain

__all__ = ["reload"]

_UNREACHABLE = 4


def reload(*, store: str | None, config: Path | None, server: str | None) -> int:
    settings = load_settings(config, store=store)
    url = find_server_url(settings, server)
    if url is None:
        raise Fault(
            f"no server is running for {settings.store}{suggest_server()}",
            exit_code=_UNREACHABLE,
        )
    answer = post(settings, url, "/api/v1/reload", {})
    click.echo("the new configuration is active")
    if waiting := answer["needs_a_restart"]:
        click.echo(f"these changes need a restart: {', '.join(waiting)}")
    for line in answer.get("unbound_budgets", ()):
        click.echo(f"WARNING: {plain(line)}")
    return 0
