"""What `tracegrade reload` takes."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["reload"]


@click.command()
@store_option
@config_option
@server_option
def reload(**options: Any) -> int:
    """Let a running server read its configuration again: evaluators, judges, references. As SIGHUP does.

    It reads the file that it was started with, and keeps what it has where that cannot be used.
    """
    from ..reload import reload as run

    return run(**options)
