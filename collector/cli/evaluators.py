"""`tracegrade evaluators`: lists and describes evaluators, pauses and resumes them."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Literal

import orjson
from pydantic import BaseModel
from rich.console import RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Column, Table

from tracegrade.evaluators.catalog.configure import catalogue, definition_of
from tracegrade.evaluators.definition.registry import Configured, Definition, UnknownEvaluator
from tracegrade.queries.path_segment import write_segment
from tracegrade.queries.ports import CommandRefused

from ..client.settings import load_settings
from ..client.source import find_server_url, open_source, post, require_store
from ..config.evaluator_config import DEFAULTS
from ..config.settings import Settings, evaluators_of
from ..errors import Fault
from ..reports.backlog import read_standings
from ..reports.reasons import describe_deferred
from ..server.commands import StoreCommands
from ..server.pipeline import Pipeline
from .console import console, plain
from .evaluator_example import describe_judge, write_example

__all__ = ["evaluators"]

_USAGE = 2


def evaluators(
    *, name: str | None, pause: bool, resume: bool, store: str | None, config: Path | None, server: str | None
) -> int:
    if pause or resume:
        if name is None or (pause and resume):
            raise Fault("name one evaluator, and either --pause or --resume", exit_code=_USAGE)
        _send_command(load_settings(config, store=store), server, name, "pause" if pause else "resume")
        console().print(f"{escape(name)} is {'paused; new runs are queued' if pause else 'resumed'}")
        return 0
    if name is None:
        for line in _list_evaluators():
            console().print(line)
        return 0
    _describe_named(name, config)
    with contextlib.suppress(Fault):  # a description needs neither a store nor a valid configuration
        _print_deferred(load_settings(config, store=store), server, name)
    return 0


def _describe_named(name: str, config: Path | None) -> None:
    try:
        _describe(definition_of(name))
    except UnknownEvaluator as error:
        configured = next((entry for entry in evaluators_of(load_settings(config)) if entry.name == name), None)
        if configured is None:
            raise Fault(str(error), exit_code=_USAGE) from error
        _describe_configured(configured)


def _print_deferred(settings: Settings, server: str | None, name: str) -> None:
    """Print how many targets the evaluator of that name deferred, and why; nothing if it is not configured.

    Raises Fault if the store cannot be read.
    """
    configured = evaluators_of(settings)
    if name not in {evaluator.name for evaluator in configured}:
        return
    with open_source(settings, server) as source:
        standings = read_standings(source.read, configured)
    if deferred := next(describe_deferred(standing) for standing in standings if standing.evaluator.name == name):
        console().print(f"\n{plain(deferred)}", soft_wrap=True)


def _send_command(settings: Settings, server: str | None, name: str, word: Literal["pause", "resume"]) -> None:
    """Pause or resume an evaluator, through the server that holds the store, else in the store."""
    if url := find_server_url(settings, server):
        post(settings, url, f"/api/v1/evaluators/{write_segment(name)}/{word}", {})
        return
    require_store(settings)
    pipeline = Pipeline(settings)
    try:
        getattr(StoreCommands(pipeline), word)(name)
    except CommandRefused as refused:
        raise Fault(str(refused), exit_code=_USAGE) from refused
    finally:
        pipeline.let_go()


def _list_evaluators() -> Iterator[RenderableType]:
    """Yield two lines per evaluator: its name with scope and default, and its summary."""
    for definition in sorted(
        catalogue().values(), key=lambda definition: ":" in definition.name
    ):  # other systems' metrics last
        runs = {True: ", by default if there is a reference", False: ", by default", None: ""}
        summary_line = f"scope {definition.scope}, {_format_threshold(definition)}{runs[DEFAULTS.get(definition.name)]}"
        yield f"[bold]{definition.name}[/bold]  [dim]{summary_line}[/dim]"
        summary = escape(definition.summary)
        yield Padding(summary, (0, 0, 0, 4)) if console().is_terminal else f"    {summary}"


def _format_threshold(definition: Definition) -> str:
    if definition.threshold is None:
        return "decides what passes"
    return f"passes at {definition.threshold:g}"


def _describe(definition: Definition) -> None:
    console().print(f"[bold]{definition.name}[/bold]  version {definition.version}, scope {definition.scope}")
    console().print(escape(inspect.getdoc(definition.factory) or ""))
    facts = Table.grid(Column(no_wrap=True), Column(), padding=(0, 2))
    facts.add_row("value", f"0 to 1, higher is better; {_format_threshold(definition)}")
    facts.add_row("judge", escape(describe_judge(definition)))
    facts.add_row("reads", ", ".join(definition.reads))
    facts.add_row("skipped when", escape(definition.skipped_when))
    facts.add_row("source", escape(definition.source))
    console().print()
    console().print(facts)
    console().print()
    console().print(_build_options_table(definition))
    console().print("\nexample:\n")
    console().print(escape(write_example(definition)), soft_wrap=True)


def _describe_configured(evaluator: Configured) -> None:
    """Print the entry of the configuration, and the definition of the evaluator that it uses."""
    console().print(f"[bold]{escape(evaluator.name)}[/bold]  scope {evaluator.scope}, from the configuration")
    facts = Table.grid(Column(no_wrap=True), Column(overflow="fold"), padding=(0, 2))
    for key, value in evaluator.spec.items():
        if key not in {"name", "scope"}:
            facts.add_row(key, escape(value if isinstance(value, str) else _format_value(value)))
    console().print(facts)
    with contextlib.suppress(UnknownEvaluator):
        definition = definition_of(evaluator.type)
        console().print()
        _describe(definition)


def _build_options_table(definition: Definition) -> Table | str:
    if not definition.factory.model_fields:
        return "It has no options."
    table = Table(Column("option", no_wrap=True), Column("default", overflow="fold"), "meaning")
    for option, field in definition.factory.model_fields.items():
        default = "required" if field.is_required() else _format_value(field.get_default(call_default_factory=True))
        table.add_row(field.alias or option, escape(default), escape(field.description or ""))
    return table


def _format_value(value: object) -> str:
    """Format a value as in the configuration."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json", exclude_defaults=True) or value.model_dump(mode="json")
    plain = value.value if isinstance(value, Enum) else value
    return orjson.dumps(plain, default=str).decode()
