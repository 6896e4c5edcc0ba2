"""Arguments of `tracegrade tail`."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["tail"]


@click.command()
@store_option
@config_option
@server_option
@click.option("--lines", type=click.IntRange(min=0), default=20, help="Number of earlier runs to show first.")
@click.option("--follow/--no-follow", default=True, help="Wait for new runs.")
def tail(**options: Any) -> int:
    """Print runs with their scores as they are evaluated."""
    from ..tail import tail as run

    return run(**options)
