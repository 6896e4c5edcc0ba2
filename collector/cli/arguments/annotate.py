"""Arguments of `tracegrade annotate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["annotate"]


@click.command()
@click.argument("trace", required=False, help="A trace id or agent_trace_id, or the beginning of one.")
@click.option("--name", help="Name of the score, such as polite; to calibrate a judge, the name of its evaluator.")
@click.option("--value", type=float, help="From 0 to 1, higher is better.")
@click.option("--label", help="A label, such as rude.")
@click.option("--passed/--failed", default=None, help="Whether it passes.")
@click.option("--explanation", help="Why.")
@click.option("--author", help="Who gives the score; default: your user name.")
@click.option("--id", "id_", help="An id of your own: repeated scores with the same id are stored once.")
@click.option("--span", help="Score this span of the trace.")
@click.option("--tool-call", help="Score this tool call: its position, from 0, or its id.")
@click.option("--session", is_flag=True, help="Score the session that the run belongs to.")
@click.option(
    "--import",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Import many scores: CSV with a header, JSON or JSON lines.",
)
@store_option
@config_option
@server_option
def annotate(**options: Any) -> int:
    """Add your own score on a run, tool call, span or session.

    With --import, add many scores from a file.
    """
    from ..annotate import annotate as run

    return run(**options)
