"""Arguments of `tracegrade backlog`."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, json_option, server_option, store_option

__all__ = ["backlog"]


@click.command()
@json_option
@store_option
@config_option
@server_option
def backlog(**options: Any) -> int:
    """Show how far behind each evaluator is."""
    from ..backlog import backlog as run

    return run(**options)
