"""The commands by name, and the exit codes of their failures."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import click

from tracegrade.evaluators.definition.imports import forbidden

from ..errors import Fault
from .console import complain

__all__ = ["COMMANDS", "EVALUATING", "run", "tracegrade"]

_INTERRUPTED = 130

COMMANDS = {
    "serve": "serve",
    "demo": "demo",
    "tail": "tail",
    "import": "import_",
    "sql": "sql",
    "runs": "runs",
    "show": "show",
    "report": "report",
    "annotate": "annotate",
    "dataset": "dataset",
    "experiment": "experiment",
    "evaluate": "evaluate",
    "gate": "gate",
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
    "export": "export",
    "reload": "reload",
    "lint-tools": "lint_tools",
    "doctor": "doctor",
    "init": "init",
    "check": "check",
    "mcp": "mcp",
    "completion": "completion",
}
"""Each command with the name of its module and function: its options are in `arguments`, its action is beside it.

A sub-command that imports more than the others of its group has a module of its own, as `experiment_run`.
"""


EVALUATING = frozenset({"serve", "demo", "import", "experiment", "evaluate", "backfill", "rebuild", "preview", "check"})
"""The commands that import the functions named in a configuration: to run evaluators, or only to build them."""


def run(arguments: Sequence[str]) -> int:
    """Run one command; return its exit code. An error that the user must fix is printed as one line to stderr."""
    try:
        code = tracegrade.main(list(arguments), prog_name="tracegrade", standalone_mode=False)
    except SystemExit as ending:
        code = ending.code
    except click.ClickException as misuse:
        misuse.show()
        return misuse.exit_code
    except click.Abort:
        return _INTERRUPTED
    except Fault as fault:
        complain(f"tracegrade: {fault}")
        return fault.exit_code
    return code if isinstance(code, int) else 0


class _Commands(click.Group):
    """Imports the arguments of a command on its first use; --help imports all.

    Only commands in EVALUATING import the functions that a configuration names.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as click has it
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as click has it
        if (function := COMMANDS.get(cmd_name)) is None:
            return None
        command: click.Command = getattr(import_module(f".arguments.{function}", __package__), function)
        command.name = cmd_name
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            name, command, rest = super().resolve_command(ctx, args)
        except click.NoSuchCommand as unknown:  # click suggests only commands that are imported
            raise click.NoSuchCommand(unknown.command_name, possibilities=COMMANDS, ctx=ctx) from None
        if name not in EVALUATING:
            ctx.with_resource(forbidden())
        return name, command, rest


@click.group(cls=_Commands, context_settings={"show_default": True})
@click.version_option(package_name="tracegrade", message="%(prog)s %(version)s", help="Show the version.")
def tracegrade() -> None:
    """Receive the traces of AI agents, evaluate the runs, and query both with SQL."""
