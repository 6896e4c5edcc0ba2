"""`tracegrade check`: validates a configuration without starting anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from ..client.settings import load_settings
from ..config.api_token import open_to_others
from ..config.location import BadConfiguration, configuration_file
from ..config.settings import Settings, evaluators_of, judges_of
from ..config.yaml_file import YamlFile
from ..server.config_check import faults_of
from .console import plain

__all__ = ["check"]


def check(*, store: str | None, config: Path | None) -> int:
    settings = load_settings(config, store=store)
    file = configuration_file(config)
    if faults := faults_of(settings, YamlFile(file) if file else None):
        raise BadConfiguration("\n".join(faults))
    click.echo(f"{plain(str(file or 'the defaults'))} is valid")
    for name, text in _summary(settings):
        click.echo(f"  {name:<12}{text}")
    return 0


def _summary(settings: Settings) -> Iterator[tuple[str, str]]:
    yield "store", settings.store
    listen = settings.listen
    yield "listens", f"{listen.grpc} (OTLP/gRPC), {listen.http} (OTLP/HTTP), {listen.web} (API)"
    yield "access", _access(settings)
    yield "evaluators", _evaluators(settings)
    yield from _judges(settings)
    if settings.references is not None:
        yield "references", str(settings.references)
    if settings.export.endpoint is not None:
        yield "exports", f"scores to {settings.export.endpoint}"


def _access(settings: Settings) -> str:
    if settings.token is not None:
        return "with the token"
    return open_to_others(settings.listen.web, None) or "no token: all users of this machine have access"


def _evaluators(settings: Settings) -> str:
    names = [one.name for one in evaluators_of(settings)]
    if not names:
        return "none: nothing is evaluated"
    which = " (the defaults)" if settings.evaluators is None else ""
    return f"{len(names)}{which}: {', '.join(names)}"


def _judges(settings: Settings) -> Iterator[tuple[str, str]]:
    """List the judges, and whether their keys are set. A server also starts without keys."""
    from tracegrade.evaluators.judges.exchange.failure import Unready  # noqa: PLC0415 - only where judges are configured
    from tracegrade.evaluators.judges.exchange.key import key_of  # noqa: PLC0415 - likewise

    for name, judge in judges_of(settings).items():
        try:
            key_of(judge)
        except Unready as why:
            yield "judge", f"{name} ({judge.called}): not ready, {why}"
        else:
            yield "judge", f"{name} ({judge.called})"
