"""Arguments of `tracegrade check`."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, store_option

__all__ = ["check"]


@click.command()
@store_option
@config_option
def check(**options: Any) -> int:
    """Validate a configuration without starting anything. Exit code 2 with line and remedy if it is invalid.

    Imports the modules that `python:` and options of evaluators name, as `serve` does, but does not call them.
    """
    from ..check import check as run

    return run(**options)
