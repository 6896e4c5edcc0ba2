"""What `tracegrade evaluators` takes."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["evaluators"]


@click.command()
@click.argument("name", required=False, help="Tell all about this one.")
@click.option("--pause", is_flag=True, help="Stop the one of that name in the configuration.")
@click.option("--resume", is_flag=True, help="Let it go on.")
@store_option
@config_option
@server_option
def evaluators(**options: Any) -> int:
    """List the evaluators, describe one with its options, or pause and resume one of the configuration."""
    from ..evaluators import evaluators as run

    return run(**options)
