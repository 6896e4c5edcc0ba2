"""`tracegrade evaluators`: what can judge, and how each is asked."""

from __future__ import annotations

import inspect
from typing import Annotated

import typer
from pydantic_core import PydanticUndefined
from rich.markup import escape
from rich.table import Column, Table

from tracegrade.evaluators.registry import Definition, UnknownEvaluator, catalogue, definition_of

from ..errors import Fault
from ..settings import DEFAULTS
from .console import console

__all__ = ["evaluators"]

_USAGE = 2


def evaluators(
    name: Annotated[str | None, typer.Argument(help="Tell all about this one.", show_default=False)] = None,
) -> int:
    """List the evaluators, or describe one with its options."""
    if name is None:
        console.print(_list())
        return 0
    try:
        _describe(definition_of(name))
    except UnknownEvaluator as error:
        raise Fault(str(error), exit_code=_USAGE) from error
    return 0


def _list() -> Table:
    table = Table(Column("evaluator", no_wrap=True), "what it says", "scope", "passes at", "runs by default")
    for definition in catalogue().values():
        runs = {True: "where a reference exists", False: "yes", None: ""}[DEFAULTS.get(definition.name)]
        table.add_row(definition.name, escape(definition.summary), definition.scope, f"{definition.threshold:g}", runs)
    return table


def _describe(definition: Definition) -> None:
    console.print(f"[bold]{definition.name}[/bold]  version {definition.version}, scope {definition.scope}")
    console.print(escape(inspect.getdoc(definition.factory) or ""))
    console.print(f"\npasses at {definition.threshold:g}; source: {escape(definition.source)}\n")
    table = Table(Column("option", no_wrap=True), "default", "meaning")
    for option, field in definition.factory.model_fields.items():
        default = "" if field.default is PydanticUndefined else repr(field.get_default(call_default_factory=True))
        table.add_row(option, escape(default), escape(field.description or ""))
    console.print(table)
