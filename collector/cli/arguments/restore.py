"""Arguments of `tracegrade restore`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import config_option, store_option

__all__ = ["restore"]


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE", help="A snapshot.")
@click.option("--replace", is_flag=True, help="Replace an existing store, which is kept under another name.")
@store_option
@config_option
def restore(**options: Any) -> int:
    """Replace the store with a snapshot, and keep the former one.

    Refused while a process has the store open.
    """
    from ..restore import restore as run

    return run(**options)
