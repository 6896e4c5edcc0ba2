"""Arguments of `tracegrade calibrate`."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, json_option, server_option, store_option

__all__ = ["calibrate"]


@click.command()
@click.option("--evaluator", help="Only this evaluator.")
@json_option
@store_option
@config_option
@server_option
def calibrate(**options: Any) -> int:
    """Compare the scores of judges with those of people.

    Shows agreement, Cohen's kappa and confusion. Exit code 3 if there is nothing to compare.
    """
    from ..calibrate import calibrate as run

    return run(**options)
