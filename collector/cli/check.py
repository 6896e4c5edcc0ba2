"""`tracegrade check`: validates a configuration without starting anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from ..client.settings import load_settings
from ..config.api_token import explain_exposure
from ..config.budgets import explain_unbound_budgets
from ..config.configuration_file import BadConfiguration, find_configuration_file
from ..config.settings import Settings, evaluators_of, judges_of
from ..config.yaml_file import YamlFile
from ..config.yaml_loader import OWN_DEPTH
from ..server.config_check import faults_of
from .console import plain

__all__ = ["check"]


def check(*, store: str | None, config: Path | None) -> int:
    settings = load_settings(config, store=store)
    file = find_configuration_file(config)
    if faults := faults_of(settings, YamlFile(file, depth=OWN_DEPTH) if file else None):
        raise BadConfiguration("\n".join(faults))
    click.echo(f"{plain(str(file or 'the defaults'))} is valid")
    for name, text in _summarize(settings):
        click.echo(f"  {name:<12}{text}")
    for line in explain_unbound_budgets(settings, evaluators_of(settings)):
        click.echo(f"  {'WARNING':<12}{plain(line)}")
    return 0


def _summarize(settings: Settings) -> Iterator[tuple[str, str]]:
    yield "store", settings.store
    listen = settings.listen
    yield "listens", f"{listen.grpc} (OTLP/gRPC), {listen.http} (OTLP/HTTP), {listen.web} (API)"
    if listen.quack is not None:
        yield "", f"{listen.quack} (Quack)"
    yield "access", _describe_access(settings)
    yield "evaluators", _describe_evaluators(settings)
    yield from _describe_judges(settings)
    if settings.references is not None:
        yield "references", str(settings.references)
    if settings.export.endpoint is not None:
        yield "exports", f"scores to {settings.export.endpoint}"


def _describe_access(settings: Settings) -> str:
    if settings.token is not None:
        return "with the token"
    return explain_exposure(settings.listen.web, None) or "no token: all users of this machine have access"


def _describe_evaluators(settings: Settings) -> str:
    names = [evaluator.name for evaluator in evaluators_of(settings)]
    if not names:
        return "none: nothing is evaluated"
    origin = " (the defaults)" if settings.evaluators is None else ""
    return f"{len(names)}{origin}: {', '.join(names)}"


def _describe_judges(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield a line for each judge: whether its key is set. A server also starts without keys."""
    from tracegrade.evaluators.judges.exchange.failure import Unready  # noqa: PLC0415 - only where judges are configured
    from tracegrade.evaluators.judges.exchange.key import key_of  # noqa: PLC0415 - likewise

    for name, judge in judges_of(settings).items():
        try:
            key_of(judge)
        except Unready as error:
            yield "judge", f"{name} ({judge.called}): not ready, {error}"
        else:
            yield "judge", f"{name} ({judge.called})"
