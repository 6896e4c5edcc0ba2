"""What `tracegrade backlog` takes."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["backlog"]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@store_option
@config_option
@server_option
def backlog(**options: Any) -> int:
    """Show what each evaluator has still to judge, and how long that has been waiting."""
    from ..backlog import backlog as run

    return run(**options)
