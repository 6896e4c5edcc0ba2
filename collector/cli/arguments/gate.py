"""Arguments of `tracegrade gate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import config_option, gate_output_options, json_option, server_option, store_option

__all__ = ["gate"]

_LIMIT = "EVALUATOR=VALUE"


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path), help="YAML file of the gate.")
@click.option("--min", "minimums", multiple=True, metavar=_LIMIT, help="The lowest mean; repeatable.")
@click.option("--min-pass-rate", "pass_rates", multiple=True, metavar=_LIMIT, help="The lowest pass rate; repeatable.")
@click.option("--max-drop", "drops", multiple=True, metavar=_LIMIT, help="How much lower the mean may be; repeatable.")
@click.option("--min-n", type=click.IntRange(min=1), help="The least number of scores that decide.")
@click.option("--since", help="Runs that began since then, such as 24h (ago) or 2026-11-22.")
@click.option("--until", help="Runs that began before then.")
@click.option("--agent", help="Runs of this agent.")
@click.option("--agent-version", help="Runs of this version.")
@click.option("--service", help="Runs of this service.")
@click.option("--environment", help="Runs in this environment.")
@click.option("--experiment", metavar="NAME|ID", help="Scores of this experiment instead of production.")
@click.option("--baseline-since", help="Compare with runs since then.")
@click.option("--baseline-until", help="Compare with runs before then.")
@click.option("--baseline-version", help="Compare with runs of this version.")
@click.option("--baseline-experiment", metavar="NAME|ID", help="Compare with this experiment.")
@gate_output_options
@json_option
@store_option
@config_option
@server_option
def gate(**options: Any) -> int:
    """Check stored scores against thresholds, and exit with the result.

    Exits with 0 if all are reached, 1 if one is not, and 3 if there are too few scores to tell.
    """
    from ..gate import gate as run

    return run(**options)
