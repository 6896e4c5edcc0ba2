"""Arguments of `tracegrade import`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import config_option, gate_output_options, kind_option, store_option

__all__ = ["import_"]


@click.command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
    help="OTLP (protobuf, JSON or JSON lines), or runs of other systems; gzipped or not.",
)
@kind_option
@click.option("--strict", is_flag=True, help="Import nothing if a record of a file cannot be read.")
@click.option("--dataset", metavar="NAME", help="Dataset for the expectations in files; default: the file's name.")
@store_option
@config_option
@click.option("--evaluate/--no-evaluate", default=True, help="Evaluate the imported runs.")
@click.option(
    "--gate",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Check the scores of the imported runs against this gate, and exit with its result.",
)
@gate_output_options
def import_(**options: Any) -> int:
    """Import files into the store, and evaluate their runs."""
    from ..import_ import import_ as run

    return run(**options)
