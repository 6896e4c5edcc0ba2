"""Arguments of `tracegrade lint-tools`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["lint_tools"]


@click.command()
@click.argument(
    "files",
    nargs=-1,
    type=click.Path(path_type=Path),
    help="JSON or YAML files with tool definitions; default: the tools in the store.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@store_option
@config_option
@server_option
def lint_tools(**options: Any) -> int:
    """Check tool definitions: names, descriptions, schemas. Exit code 1 if there are findings."""
    from ..lint_tools import lint_tools as run

    return run(**options)
