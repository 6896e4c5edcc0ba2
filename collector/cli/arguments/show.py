"""Arguments of `tracegrade show`."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["show"]


@click.command()
@click.argument("trace", help="A trace id or agent_trace_id, or the beginning of one.")
@store_option
@config_option
@server_option
def show(**options: Any) -> int:
    """Show the runs of a trace with their calls and scores."""
    from ..show import show as run

    return run(**options)
