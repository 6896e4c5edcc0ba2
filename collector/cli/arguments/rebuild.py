"""Arguments of `tracegrade rebuild`."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["rebuild"]


@click.command()
@click.option("--since", help="Only traces with a span that began since: 2026-11-22, 2026-11-22T12:00 or 7d (ago).")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@store_option
@config_option
@server_option
def rebuild(**options: Any) -> int:
    """Assemble stored spans again, for example after an upgrade.

    Unchanged runs keep revision and scores. Changed runs get a new revision and are evaluated again. While a server
    runs, new spans come first. The same command resumes an interrupted rebuild.
    """
    from ..rebuild import rebuild as run

    return run(**options)
