"""Arguments of `tracegrade doctor`."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["doctor"]


@click.command()
@click.argument("subjects", nargs=-1, metavar="FILE|TRACE…", help="OTLP files, or a trace id or its beginning.")
@click.option("--ledger", is_flag=True, help="Audit the scores instead: report missing and duplicate ones.")
@click.option("--judges", is_flag=True, help="Test each judge with one small question instead.")
@click.option("--json", "as_json", is_flag=True, help="Print the result of --ledger or --judges as JSON.")
@store_option
@config_option
@server_option
def doctor(**options: Any) -> int:
    """Show how traces are read, and what they lack.

    Prints the dialect of each span, missing content, and the setting that enables it.

    Without arguments: show the addresses and protocols of the receivers.
    """
    from ..doctor import doctor as run

    return run(**options)
