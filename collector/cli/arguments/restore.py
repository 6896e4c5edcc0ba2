"""What `tracegrade restore` takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import config_option, store_option

__all__ = ["restore"]


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE", help="A snapshot.")
@click.option("--replace", is_flag=True, help="Though there is a store, which is kept beside it.")
@store_option
@config_option
def restore(**options: Any) -> int:
    """Make a snapshot the store. Refuses while a process has the store open, and keeps the store that was there."""
    from ..restore import restore as run

    return run(**options)
