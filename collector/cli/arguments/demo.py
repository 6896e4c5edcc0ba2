"""Arguments of `tracegrade demo`."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["demo"]


@click.command()
@click.option("--once", is_flag=True, help="Exit after the answers.")
@click.option(
    "--history", metavar="DAYS", help="Instead, fill the store with runs of so many days: 7d to 90d, such as 28d."
)
@click.option("--seed", type=int, help="Number from which the history is made: the same gives the same runs.")
@click.option("--store", metavar="FILE", help="New DuckDB file for the history; default: a temporary one.")
def demo(**options: Any) -> int:
    """Show everything on recordings of real agents.

    Starts a server with an empty store, sends it recorded runs, and shows their scores and three queries. With
    --history the store contains varied recordings of several weeks, two versions of an agent, a fault that begins on
    a day, a scripted judge and labels of two people: for reports and queries.
    """
    from ..demo import demo as run

    return run(**options)
