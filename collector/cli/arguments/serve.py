"""Arguments of `tracegrade serve`."""

from __future__ import annotations

from typing import Any

import click

from .options import config_option, store_option

__all__ = ["serve"]


@click.command()
@store_option
@config_option
@click.option("--grpc", metavar="HOST:PORT", help="Address of the OTLP/gRPC receiver.")
@click.option("--http", metavar="HOST:PORT", help="Address of the OTLP/HTTP receiver.")
@click.option("--web", metavar="HOST:PORT", help="Address of the API: SQL, annotations, metrics.")
@click.option("--quack", metavar="HOST:PORT", help="Address for clients of DuckDB's Quack; needs tracegrade[quack].")
def serve(**options: Any) -> int:
    """Run the server: receive, assemble, evaluate, answer SQL."""
    from ..serve import serve as run

    return run(**options)
