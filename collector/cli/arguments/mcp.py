"""Arguments of `tracegrade mcp`."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["mcp"]


@click.command()
@store_option
@config_option
@server_option
def mcp(**options: Any) -> int:
    """Answer coding agents by the Model Context Protocol, over standard input and output; needs tracegrade[mcp]."""
    from ..mcp import mcp as run

    return run(**options)
