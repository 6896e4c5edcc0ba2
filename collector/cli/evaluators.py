"""`tracegrade evaluators`: what can judge, and how each is asked."""

from __future__ import annotations

import inspect
from enum import Enum
from typing import Annotated

import orjson
import typer
from pydantic import BaseModel
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
    for definition in sorted(catalogue().values(), key=lambda one: ":" in one.name):  # other systems' metrics last
        runs = {True: "where a reference exists", False: "yes", None: ""}[DEFAULTS.get(definition.name)]
        table.add_row(definition.name, escape(definition.summary), definition.scope, f"{definition.threshold:g}", runs)
    return table


def _describe(definition: Definition) -> None:
    console.print(f"[bold]{definition.name}[/bold]  version {definition.version}, scope {definition.scope}")
    console.print(escape(inspect.getdoc(definition.factory) or ""))
    facts = Table.grid(Column(no_wrap=True), Column(), padding=(0, 2))
    facts.add_row("value", f"0 to 1, higher is better; passes at {definition.threshold:g}")
    facts.add_row("reads", ", ".join(definition.reads))
    facts.add_row("skipped when", escape(definition.skipped_when))
    facts.add_row("source", escape(definition.source))
    console.print()
    console.print(facts)
    console.print()
    console.print(_options(definition))


def _options(definition: Definition) -> Table | str:
    if not definition.factory.model_fields:
        return "It takes no options."
    table = Table(Column("option", no_wrap=True), Column("default", overflow="fold"), "meaning")
    for option, field in definition.factory.model_fields.items():
        default = "required" if field.is_required() else _shown(field.get_default(call_default_factory=True))
        table.add_row(option, escape(default), escape(field.description or ""))
    return table


def _shown(default: object) -> str:
    """A default as it is written in the configuration."""
    if isinstance(default, BaseModel):
        default = default.model_dump(mode="json", exclude_defaults=True) or default.model_dump(mode="json")
    plain = default.value if isinstance(default, Enum) else default
    return orjson.dumps(plain, default=str).decode()
