"""Arguments of `tracegrade evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

__all__ = ["evaluate"]

_path = click.Path(path_type=Path)


@click.command()
@click.argument("suite", required=False, type=_path, metavar="[FILE]", help="Eval file of AgentV, YAML or JSON.")
@click.option("-c", "--config", type=_path, metavar="FILE", help="Configuration of Floeval, YAML or JSON.")
@click.option(
    "-d", "--dataset", type=_path, metavar="FILE", help="Recorded runs, or samples, in the file of any system."
)
@click.option("--agent", is_flag=True, help="Evaluate agents; the only mode, accepted as in Floeval.")
@click.option(
    "--evaluator",
    "evaluators",
    multiple=True,
    help="Without -c: evaluate the runs with this: an evaluator of the configuration or the catalogue, a YAML file, or "
    "module:function; repeatable.",
)
@click.option("--task", metavar="MODULE:FUNCTION", help="Run this function where a run is missing.")
@click.option("--command", metavar="COMMAND", help="Run this command where a run is missing.")
@click.option("-o", "--output", type=_path, metavar="FILE", help="Write the results as JSON; default: print a table.")
@click.option(
    "--dump-traces",
    type=_path,
    is_flag=False,
    flag_value=Path(".agentv/traces"),
    metavar="[DIR]",
    help="Write the run of each case to a file.",
)
@click.option("--include-trace", is_flag=True, help="Write the messages of each run into its result.")
def evaluate(**options: Any) -> int:
    """Evaluate files with the options of Floeval and AgentV.

    With an eval FILE of AgentV, its cases are evaluated on the runs of --dataset, or on those of --task or --command;
    with -c and -d, a dataset of Floeval; with -d and --evaluator, the runs in a file of any system. Nothing is stored:
    `import` and `experiment` do that. Exits with 3 if nothing was evaluated.
    """
    from ..evaluate import evaluate as run

    return run(**options)
