"""Arguments of `tracegrade snapshot`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["snapshot"]


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE", help="The file to write.")
@click.option("--replace", is_flag=True, help="Replace an existing FILE, once the copy is complete.")
@store_option
@config_option
@server_option
def snapshot(**options: Any) -> int:
    """Write a consistent copy of the store to FILE.

    The server keeps running. DuckDB can open the copy.
    """
    from ..snapshot import snapshot as run

    return run(**options)
