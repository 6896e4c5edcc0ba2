"""Arguments of `tracegrade annotate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["annotate"]


@click.command()
@click.argument(
    "target",
    required=False,
    metavar="[ID]",
    help="A trace id or agent_trace_id, or the beginning of one; or a target_id such as session:ID.",
)
@click.option("--good/--bad", "passed", default=None, help="Whether it is good.")
@click.option("--score", "value", type=float, help="From 0 to 1, higher is better.")
@click.option("--label", help="A label, such as rude.")
@click.option("--comment", "explanation", help="Why, or a remark without a score.")
@click.option(
    "--name",
    help="The quality, such as polite; for a judge, the name of its evaluator; default: overall, or comment for "
    "a comment without a score.",
)
@click.option("--author", help="Who gives the score; default: your user name.")
@click.option("--id", "id_", help="An id of your own: repeated scores with the same id are stored once.")
@click.option("--call", help="Annotate this tool call: its position, from 0, or its id.")
@click.option("--span", help="Annotate this span of the trace.")
@click.option("--session", is_flag=True, help="Annotate the session that the run belongs to.")
@click.option("--remove", "removes", is_flag=True, help="Remove the annotation of the author; it stays in the history.")
@click.option("--queue", "lists_queue", is_flag=True, help="List runs that are worth a label, and why.")
@click.option("--evaluator", help="With --queue: only runs to label for this evaluator.")
@click.option("--since", metavar="TIME", help="With --queue: only runs since then: 30d, today, a date; default 7d.")
@click.option("--limit", type=click.IntRange(1, 1000), help="With --queue: at most this many; default 20.")
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

    With --remove, take it back; with --import, add many from a file; with --queue, list what is worth a score.
    """
    from ..annotate import annotate as run

    return run(**options)
