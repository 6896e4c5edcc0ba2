"""Arguments of `tracegrade import`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import config_option, gate_output_options, store_option

__all__ = ["import_"]


@click.command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
    help="OTLP files: protobuf, JSON or JSON lines, gzipped or not.",
)
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
    """Import OTLP files into the store, and evaluate their runs."""
    from ..import_ import import_ as run

    return run(**options)
