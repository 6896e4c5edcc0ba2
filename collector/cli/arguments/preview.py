"""Arguments of `tracegrade preview`."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, json_option, server_option, store_option

__all__ = ["preview"]


@click.command()
@click.argument(
    "evaluator",
    metavar="EVALUATOR|FILE",
    help="An evaluator of the configuration or the catalogue; or a draft: a YAML file with an entry of "
    "`evaluators` or with a rubric, a .sql file, module:function or path/to/file.py:function.",
)
@click.option("--since", default="7d", help="Runs that began after this: 2026-11-22, 2026-11-22T12:00 or 7d (ago).")
@click.option("--where", help="SQL condition over the columns of agent_traces.")
@click.option("--experiment", metavar="ID", help="Runs of this experiment instead of those of production.")
@click.option(
    "--limit", type=click.IntRange(min=1, max=10_000), default=200, help="Most runs; the newest are selected."
)
@click.option("--yes", is_flag=True, help="Ask the judge without confirmation.")
@json_option
@store_option
@config_option
@server_option
def preview(**options: Any) -> int:
    """Try an evaluator on stored runs, and write nothing.

    Python runs in a worker of this command. For an evaluator that asks a judge the cost is shown first; the judge is
    asked after confirmation or with --yes. Exit code 3 if no run was scored.
    """
    from ..preview import preview as run

    return run(**options)
