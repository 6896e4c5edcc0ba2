"""Arguments of `tracegrade backfill`."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["backfill"]


@click.command()
@click.option("--since", required=True, help="Runs that began after this: 2026-11-22, 2026-11-22T12:00 or 7d (ago).")
@click.option("--until", help="Runs that began before this; default: now.")
@click.option("--evaluator", multiple=True, help="Only this evaluator; can be repeated.")
@click.option("--where", help="SQL condition over the columns of agent_traces.")
@click.option("--again", is_flag=True, help="Also runs that have a score.")
@store_option
@config_option
@server_option
def backfill(**options: Any) -> int:
    """Evaluate past runs and sessions.

    Selects those without a score or with an error; new runs come first. The request is stored. The same command
    continues to watch it after an interrupt. Exit code 3 if no run matches.
    """
    from ..backfill import backfill as run

    return run(**options)
