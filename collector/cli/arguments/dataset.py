"""Arguments of `tracegrade dataset`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import config_option, json_option, kind_option, server_option, store_option

__all__ = ["dataset"]

_name = click.argument("name", help="Name of the dataset.")
_version = click.option("--version", type=click.IntRange(min=1), help="This version; default: the newest.")
_split = click.option("--split", help="Only items of this split.")
_tags = click.option("--tag", "tags", multiple=True, help="Only items with this tag; repeatable.")


@click.group()
def dataset() -> None:
    """Keep inputs and expected behaviour as datasets.

    Each change makes a new version; experiments name the version that they used.
    """


@dataset.command()
@_name
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), help="JSON, JSON lines or CSV.")
@kind_option
@click.option("--strict", is_flag=True, help="Add nothing if a record of a file cannot be read.")
@click.option("--from", "query", metavar="SQL", help="Add the runs or rows that a SELECT returns.")
@click.option("--run", "runs", multiple=True, help="Add this run: its id or its trace's, or the beginning; repeatable.")
@click.option(
    "--expect",
    type=click.Choice(["calls", "response"]),
    multiple=True,
    help="Expect from now on what the added runs did; repeatable.",
)
@click.option("--split", help="Put the added items without a split into this one.")
@click.option("--tag", "tags", multiple=True, help="Tag the added items; repeatable.")
@click.option("--author", help="Who changes the dataset; default: your user name.")
@store_option
@config_option
@server_option
def add(**options: Any) -> int:
    """Add items from files, from runs, or from a query."""
    from ..dataset import add as run

    return run(**options)


@dataset.command("list")
@json_option
@store_option
@config_option
@server_option
def list_(**options: Any) -> int:
    """List the datasets."""
    from ..dataset import list_ as run

    return run(**options)


@dataset.command()
@_name
@_version
@_split
@_tags
@json_option
@store_option
@config_option
@server_option
def show(**options: Any) -> int:
    """Show the items of a dataset."""
    from ..dataset import show as run

    return run(**options)


@dataset.command()
@_name
@click.argument("items", nargs=-1, metavar="[ITEM]...", help="Ids of items.")
@click.option("--all", "removes_all", is_flag=True, help="Remove all items.")
@click.option("--author", help="Who changes the dataset; default: your user name.")
@store_option
@config_option
@server_option
def remove(**options: Any) -> int:
    """Remove items; earlier versions keep them."""
    from ..dataset import remove as run

    return run(**options)


@dataset.command()
@_name
@click.argument("file", required=False, type=click.Path(path_type=Path), help="Default, and `-`: standard output.")
@click.option("--format", "kind", metavar="KIND", help="Kind of the file, such as floeval; default: items, one a line.")
@_version
@_split
@_tags
@click.option("--replace", is_flag=True, help="Replace FILE if it exists.")
@store_option
@config_option
@server_option
def export(**options: Any) -> int:
    """Write the items to a file, which `dataset add` reads."""
    from ..dataset import export as run

    return run(**options)
