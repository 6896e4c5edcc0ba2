"""What `tracegrade backfill` takes."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["backfill"]


@click.command()
@click.option("--since", required=True, help="Runs that began after this: 2026-11-22, 2026-11-22T12:00 or 7d (ago).")
@click.option("--until", help="And before this; default: now.")
@click.option("--evaluator", multiple=True, help="Only this one, by its name; may be given again.")
@click.option("--where", help="SQL condition over the columns of agent_traces.")
@click.option("--again", is_flag=True, help="Also runs that have their score.")
@store_option
@config_option
@server_option
def backfill(**options: Any) -> int:
    """Judge runs and sessions of the past. Only errors and what has no score, unless --again. New ones go before.

    Given once more, it watches what was asked for and is not judged yet. Ends with 3 when no run is meant.
    """
    from ..backfill import backfill as run

    return run(**options)
