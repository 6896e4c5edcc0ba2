"""The commands by name, and what their failures become."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click
import typer

from ..receiver.address import CannotListen
from ..settings import BadConfiguration
from ..store.database import StoreUnavailable
from .console import Fault
from .demo import demo
from .evaluators import evaluators
from .import_ import import_
from .init import init
from .serve import serve
from .show import show
from .sql import sql
from .tail import tail

__all__ = ["app", "run"]

USAGE, UNREACHABLE, INTERRUPTED = 2, 4, 130

app = typer.Typer(
    name="tracegrade",
    help="Receives the traces of AI agents, grades what the agents did, and answers SQL over both.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(serve)
app.command()(demo)
app.command()(tail)
app.command(name="import")(import_)
app.command()(sql)
app.command()(show)
app.command()(evaluators)
app.command()(init)


def run(arguments: Sequence[str]) -> int:
    """Runs one command; gives its exit code. What went wrong is said in one line on stderr."""
    try:
        code = app(list(arguments), prog_name="tracegrade", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return USAGE
    except (BadConfiguration, CannotListen) as error:
        return _say(error, USAGE)
    except StoreUnavailable as error:
        return _say(error, UNREACHABLE)
    except Fault as fault:
        return _say(fault, fault.exit_code)
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def _say(error: Exception, exit_code: int) -> int:
    sys.stderr.write(f"tracegrade: {error}\n")
    return exit_code
