"""What `tracegrade doctor` takes."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["doctor"]


@click.command()
@click.argument("subjects", nargs=-1, metavar="FILE|TRACE…", help="OTLP files, or a trace id or its beginning.")
@click.option("--ledger", is_flag=True, help="Audit the scores instead: is any missing, or there twice?")
@click.option("--judges", is_flag=True, help="Ask each judge one small question instead: can it be asked?")
@click.option("--json", "as_json", is_flag=True, help="Print what --ledger or --judges found as JSON.")
@store_option
@config_option
@server_option
def doctor(**options: Any) -> int:
    """Tell how traces are read: the dialect of each span, what is missing, and the setting that turns it on.

    Without any argument: where spans are received, each port with its protocol.
    """
    from ..doctor import doctor as run

    return run(**options)
