"""Arguments of `tracegrade judges`."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, json_option, server_option, store_option

__all__ = ["judges"]


@click.command()
@json_option
@store_option
@config_option
@server_option
def judges(**options: Any) -> int:
    """Show cost, limits and failures of judges today (UTC)."""
    from ..judges import judges as run

    return run(**options)
