"""Arguments of `tracegrade export`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import config_option, json_option, server_option, store_option

__all__ = ["export"]


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR", help="The folder of the export.")
@click.option("--all", "rewrites_all", is_flag=True, help="Write all days again, not only those that have changed.")
@json_option
@store_option
@config_option
@server_option
def export(**options: Any) -> int:
    """Write runs, calls, messages, scores and spans to DIR as Parquet files by day.

    Only days that have changed since the last export to DIR are written.
    """
    from ..export import export as run

    return run(**options)
