"""Arguments of `tracegrade evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

__all__ = ["evaluate"]

_path = click.Path(path_type=Path)


@click.command()
@click.option(
    "-c", "--config", type=_path, required=True, metavar="FILE", help="Configuration of Floeval, YAML or JSON."
)
@click.option("-d", "--dataset", type=_path, required=True, metavar="FILE", help="Dataset of Floeval, .json or .jsonl.")
@click.option("--agent", is_flag=True, help="Evaluate agents; the only mode, accepted as in Floeval.")
@click.option("-o", "--output", type=_path, metavar="FILE", help="Write the results as JSON; default: print a table.")
@click.option("--task", metavar="MODULE:FUNCTION", help="Run this function for samples without a trace.")
def evaluate(**options: Any) -> int:
    """Evaluate a dataset with the files and options of Floeval.

    Samples without a trace are run by --task, or by the model that `agent_name` names. Nothing is stored: `import` and
    `experiment` do that. Exits with 3 if nothing was evaluated.
    """
    from ..evaluate import evaluate as run

    return run(**options)
