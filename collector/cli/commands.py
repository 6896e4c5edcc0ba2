"""The commands by name, and what their failures become."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from ..errors import Fault
from ..version import version as installed_version

__all__ = ["COMMANDS", "run"]

COMMANDS = {
    "serve": "serve",
    "demo": "demo",
    "tail": "tail",
    "import": "import_",
    "sql": "sql",
    "show": "show",
    "annotate": "annotate",
    "evaluators": "evaluators",
    "explain": "explain",
    "backlog": "backlog",
    "judges": "judges",
    "calibrate": "calibrate",
    "backfill": "backfill",
    "preview": "preview",
    "rebuild": "rebuild",
    "snapshot": "snapshot",
    "restore": "restore",
    "reload": "reload",
    "lint-tools": "lint_tools",
    "doctor": "doctor",
    "init": "init",
}
"""Each command and the function of that name, in the module of that name."""


def run(arguments: Sequence[str]) -> int:
    """Runs one command; gives its exit code. What a person has to mend is said in one line on stderr."""
    try:
        _application(arguments)(list(arguments), prog_name="tracegrade")
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 0
    except Fault as fault:
        sys.stderr.write(f"tracegrade: {fault}\n")
        return fault.exit_code
    return 0


def _application(arguments: Sequence[str]) -> typer.Typer:
    """Only the command that is asked for is imported; --help needs them all."""
    application = typer.Typer(
        help="Receives the traces of AI agents, grades what the agents did, and answers SQL over both.",
        no_args_is_help=True,
        invoke_without_command=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        callback=_tracegrade,
        result_callback=_exit,
    )
    asked = [name for name in arguments[:1] if name in COMMANDS] or COMMANDS
    for name in asked:
        function = COMMANDS[name]
        application.command(name=name)(getattr(import_module(f".{function}", __package__), function))
    return application


def _tracegrade(
    *,
    version: Annotated[bool, typer.Option("--version", help="Tell the version of this installation.")] = False,
) -> None:
    if version:
        typer.echo(f"tracegrade {installed_version()}")
        raise typer.Exit


def _exit(code: int, **_: object) -> None:
    """With what the command says; what stands before it has been heard."""
    raise typer.Exit(code)
