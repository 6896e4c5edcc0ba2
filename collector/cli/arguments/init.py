"""Arguments of `tracegrade init`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

__all__ = ["init"]


@click.command()
@click.argument("file", default=Path("tracegrade.yaml"), type=click.Path(path_type=Path), help="Where to write it.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def init(**options: Any) -> int:
    """Write a commented configuration file."""
    from ..init import init as run

    return run(**options)
