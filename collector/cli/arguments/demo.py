"""What `tracegrade demo` takes."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["demo"]


@click.command()
@click.option("--once", is_flag=True, help="Exit when the answers are shown.")
def demo(**options: Any) -> int:
    """Send recorded runs of real agents to a server of its own and show what becomes of them."""
    from ..demo import demo as run

    return run(**options)
