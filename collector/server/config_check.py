"""Checks a configuration without starting a server: the errors that `serve` finds after it has read the settings."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import TypeAlias

from ..config.settings import Settings
from ..config.yaml_file import YamlFile
from ..errors import Fault
from ..receiver.address import parted
from ..references.rules import References
from ..store.engines.selection import locate, open_in_memory
from ..store.errors import first_line
from ..store.ledger.references import ReferenceLookup
from .quack import explain_refusal

__all__ = ["faults_of"]

_Fault: TypeAlias = tuple[tuple[str, ...], str]
"""The keys of a setting, and the error in its value."""


def faults_of(settings: Settings, file: YamlFile | None) -> list[str]:
    """Return the errors, each with its place in `file` if the value is set there. Opens no store and no port."""
    parts: tuple[Callable[[Settings], Iterator[_Fault]], ...] = (_of_store, _of_addresses, _of_quack, _of_database)
    return [_told(keys, text, settings, file) for part in parts for keys, text in part(settings)]


def _told(keys: tuple[str, ...], text: str, settings: Settings, file: YamlFile | None) -> str:
    value: object = settings
    for key in keys:
        value = getattr(value, key)
    name = ".".join(keys)
    if file is None or not file.may_contain(value if isinstance(value, str) else str(value), keys):
        return f"{name}: {text}"
    return f"{file.place(keys)}: {name}: {text}"


def _of_store(settings: Settings) -> Iterator[_Fault]:
    try:
        fault = locate(settings.store).find_fault()
    except Fault as error:
        fault = str(error)
    if fault is not None:
        yield ("store",), fault


def _of_addresses(settings: Settings) -> Iterator[_Fault]:
    taken: dict[str, str] = {}
    for name in ("grpc", "http", "web", "quack"):
        address: str | None = getattr(settings.listen, name)
        if address is None:
            continue
        host, port = parted(address)
        if port and address in taken:
            yield ("listen", name), f"{address} is what {taken[address]} has; give each a port of its own"
        taken.setdefault(address, f"listen.{name}")
        if (fault := _unbindable(host)) is not None:
            yield ("listen", name), f"{host} is not an address of this machine: {fault}"


def _of_quack(settings: Settings) -> Iterator[_Fault]:
    if (refusal := explain_refusal(settings)) is not None:
        yield ("listen", "quack"), refusal


def _unbindable(host: str) -> str | None:
    """Return why a server cannot listen on this host; None if it can. The probe uses any free port and releases it."""
    fault: OSError | None = None
    try:
        found = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)
    except OSError as error:
        return str(error)
    for family, _, _, _, target in found:
        try:
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.bind(target)
        except OSError as error:
            fault = error
        else:
            return None
    return str(fault)


def _of_database(settings: Settings) -> Iterator[_Fault]:
    """Yield the errors of DuckDB for its memory limit and for conditions of references, on an empty store in memory."""
    try:
        empty = open_in_memory(memory_limit=settings.memory_limit)
    except Fault as fault:
        yield ("memory_limit",), f"DuckDB does not take it: {first_line(fault.__cause__ or fault)}"
        return
    try:
        references = References.read(settings.references, sources=settings.trust.references)
        ReferenceLookup(empty, references).check()
    except Fault as fault:
        yield ("references",), str(fault)
    finally:
        empty.close()
