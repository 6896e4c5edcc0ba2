"""The command line answers at once: what a command takes is known without what it does, which is imported to run."""

from __future__ import annotations

import inspect
from importlib import import_module

import click
import pytest

from tracegrade.collector.cli.commands import COMMANDS, tracegrade


def command(name: str) -> click.Command:
    """What a command takes."""
    found = tracegrade.get_command(click.Context(tracegrade), name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_command_takes_what_its_function_asks_for(name: str) -> None:
    module = import_module(f"tracegrade.collector.cli.{COMMANDS[name]}")
    asked = inspect.signature(getattr(module, COMMANDS[name])).parameters
    assert [one.name for one in command(name).params] == list(asked)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_and_option_has_its_help(name: str) -> None:
    assert [one.name for one in command(name).params if not getattr(one, "help", None)] == []
