"""The options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

__all__ = ["config_option", "gate_output_options", "json_option", "kind_option", "server_option", "store_option"]

store_option = click.option("--store", metavar="URL|PATH", help="URL of the store, or path of its DuckDB file.")
config_option = click.option(
    "--config", type=click.Path(path_type=Path), help="Configuration file; default: tracegrade.yaml."
)
server_option = click.option("--server", metavar="URL", help="Address of a running server's API.")
kind_option = click.option(
    "--format", "kind", metavar="KIND", help="Kind of the files, such as floeval; default: recognised by their content."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def gate_output_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options for reports of a gate."""
    file = click.Path(path_type=Path)
    for option in (
        click.option("--github", is_flag=True, help="Print annotations of GitHub Actions for the gate."),
        click.option("--markdown", type=file, metavar="FILE", help="Write a summary of the gate in Markdown."),
        click.option("--junit", type=file, metavar="FILE", help="Write the gate as JUnit XML."),
    ):
        command = option(command)
    return command
