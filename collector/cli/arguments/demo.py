"""Arguments of `tracegrade demo`."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["demo"]


@click.command()
@click.option("--once", is_flag=True, help="Exit after the answers.")
def demo(**options: Any) -> int:
    """Show everything on recordings of real agents.

    Starts a server with an empty store, sends it recorded runs, and shows their scores and three queries.
    """
    from ..demo import demo as run

    return run(**options)
