"""What `tracegrade tail` takes."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["tail"]


@click.command()
@store_option
@config_option
@server_option
@click.option("--lines", type=click.IntRange(min=0), default=20, help="How many earlier runs to begin with.")
@click.option("--follow/--no-follow", default=True, help="Wait for more.")
def tail(**options: Any) -> int:
    """Print agent runs with their scores, a line each, as they are graded."""
    from ..tail import tail as run

    return run(**options)
