"""The options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["config_option", "json_option", "server_option", "store_option"]

store_option = click.option("--store", metavar="URL|PATH", help="URL of the store, or path of its DuckDB file.")
config_option = click.option(
    "--config", type=click.Path(path_type=Path), help="Configuration file; default: tracegrade.yaml."
)
server_option = click.option("--server", metavar="URL", help="Address of a running server's API.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
