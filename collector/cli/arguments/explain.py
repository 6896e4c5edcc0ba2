"""What `tracegrade explain` takes."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, server_option, store_option

__all__ = ["explain"]


@click.command()
@click.argument("trace", help="A trace id or agent_trace_id, or the beginning of one.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@store_option
@config_option
@server_option
def explain(**options: Any) -> int:
    """Tell, evaluator by evaluator, the verdict on a run or why there is none."""
    from ..explain import explain as run

    return run(**options)
