"""What `tracegrade demo` takes."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["demo"]


@click.command()
@click.option("--once", is_flag=True, help="Exit after the answers.")
def demo(**options: Any) -> int:
    """Start a server, send it recorded runs of real agents, and show their scores."""
    from ..demo import demo as run

    return run(**options)
