"""Arguments of `tracegrade experiment`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import config_option, gate_output_options, json_option, server_option, store_option

__all__ = ["experiment"]

_experiment = click.argument("experiment", help="Name of the experiment (the newest of that name), or its id.")


@click.group()
def experiment() -> None:
    """Run an agent on a dataset, evaluate its runs, and compare versions of it."""


@experiment.command()
@click.argument("name", help="Name of the experiment, such as the version of the agent.")
@click.option("--dataset", metavar="NAME[@VERSION]|FILE", help="A stored dataset, or a file with items.")
@click.option("--task", metavar="MODULE:FUNCTION", help="Python function that runs the agent on an input.")
@click.option("--command", metavar="COMMAND", help="Command that runs the agent; {input} stands for the input.")
@click.option("--url", help="HTTP endpoint of the agent, which gets the input as JSON.")
@click.option("--receive", "receives_at", metavar="HOST:PORT", help="With --url: where the agent exports its spans to.")
@click.option("--model", help="Model with an OpenAI-compatible API, which is asked without an agent.")
@click.option("--runs", metavar="SQL", help="No agent: evaluate the stored runs that a SELECT of agent_trace_id names.")
@click.option(
    "--evaluator",
    "evaluators",
    multiple=True,
    metavar="EVALUATOR|FILE",
    help="An evaluator of the configuration or the catalogue, a YAML file, or module:function; repeatable. "
    "Default: those of the configuration that evaluate runs.",
)
@click.option("--repeats", type=click.IntRange(min=1), default=1, help="Runs of each item.")
@click.option("--concurrency", type=click.IntRange(min=1), default=8, help="Calls of the agent at once.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0, min_open=True),
    default=300.0,
    metavar="SECONDS",
    help="Longest time of a call.",
)
@click.option("--split", help="Only items of this split.")
@click.option("--tag", "tags", multiple=True, help="Only items with this tag; repeatable.")
@click.option("--new", "is_new", is_flag=True, help="Begin anew, even if this experiment was interrupted.")
@click.option("--author", help="Who runs the experiment; default: your user name.")
@click.option("--gate", type=click.Path(path_type=Path), metavar="FILE", help="Check the scores against this gate.")
@gate_output_options
@json_option
@store_option
@config_option
def run(**options: Any) -> int:
    """Run an agent on every item of a dataset, and evaluate the runs.

    One that was interrupted continues: only what is missing is run. Exits with 3 if nothing was evaluated, and with
    --gate as `tracegrade gate` does.
    """
    from ..experiment_run import run as run_experiment

    return run_experiment(**options)


@experiment.command("list")
@json_option
@store_option
@config_option
@server_option
def list_(**options: Any) -> int:
    """List the experiments, the newest first."""
    from ..experiment import list_ as run

    return run(**options)


@experiment.command()
@_experiment
@json_option
@store_option
@config_option
@server_option
def show(**options: Any) -> int:
    """Show the results of an experiment, and the items that failed."""
    from ..experiment import show as run

    return run(**options)


@experiment.command()
@click.argument("before", help="Name or id of an experiment.")
@click.argument("after", help="Name or id of another one.")
@json_option
@store_option
@config_option
@server_option
def compare(**options: Any) -> int:
    """Compare two experiments item by item.

    Only items that both have with the same input and expectations are compared.
    """
    from ..experiment import compare as run

    return run(**options)


@experiment.command()
@click.argument("experiments", nargs=-1, help="Names or ids, the oldest first; default: the newest of --dataset.")
@click.option("--dataset", help="Experiments on this dataset.")
@click.option("--last", type=click.IntRange(min=2), default=10, help="Number of experiments.")
@json_option
@store_option
@config_option
@server_option
def trend(**options: Any) -> int:
    """Show how scores developed over several experiments, on the items that all of them have."""
    from ..experiment import trend as run

    return run(**options)
