"""Arguments of `tracegrade reload`."""

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
    """Make a running server read its configuration again.

    Applies evaluators, judges and references, like SIGHUP. The server reads the file that it was started with. If the
    file is invalid, it keeps its configuration.
    """
    from ..reload import reload as run

    return run(**options)
