"""What `tracegrade annotate` takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["annotate"]


@click.command()
@click.argument("trace", required=False, help="A trace id or agent_trace_id, or the beginning of one.")
@click.option("--name", help="What is judged about it, such as polite: an evaluator's name.")
@click.option("--value", type=float, help="From 0 to 1, higher is better.")
@click.option("--label", help="A word.")
@click.option("--passed/--failed", default=None, help="The score.")
@click.option("--explanation", help="Why.")
@click.option("--author", help="Who says so; default: you.")
@click.option("--id", "id_", help="Said again under the same id by its author, it is kept once.")
@click.option("--span", help="Judge this span of the trace.")
@click.option("--tool-call", help="Judge this tool call: its position, from 0, or its id.")
@click.option("--session", is_flag=True, help="Judge the conversation that it belongs to.")
@click.option(
    "--import",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Many scores: CSV with a header, JSON or JSON lines.",
)
@store_option
@config_option
@server_option
def annotate(**options: Any) -> int:
    """Give a score on a run, a tool call, a span or a conversation; or many, from a file."""
    from ..annotate import annotate as run

    return run(**options)
