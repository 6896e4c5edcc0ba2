"""Arguments of `tracegrade explain`."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, json_option, server_option, store_option

__all__ = ["explain"]


@click.command()
@click.argument("trace", help="A trace id or agent_trace_id, or the beginning of one.")
@json_option
@store_option
@config_option
@server_option
def explain(**options: Any) -> int:
    """Show the scores of a run, or why there are none."""
    from ..explain import explain as run

    return run(**options)
