"""Arguments of `tracegrade evaluators`."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["evaluators"]


@click.command()
@click.argument("name", required=False, help="Describe this evaluator.")
@click.option("--pause", is_flag=True, help="Pause this evaluator of the configuration.")
@click.option("--resume", is_flag=True, help="Resume this evaluator.")
@store_option
@config_option
@server_option
def evaluators(**options: Any) -> int:
    """List, describe, pause or resume evaluators."""
    from ..evaluators import evaluators as run

    return run(**options)
