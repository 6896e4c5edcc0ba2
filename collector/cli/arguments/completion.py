"""Arguments of `tracegrade completion`."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["completion"]


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), help="Your shell.")
def completion(**options: Any) -> int:
    """Print the completion script of a shell.

    Use it with: source <(tracegrade completion bash)
    """
    from ..completion import completion as run

    return run(**options)
