"""Splits a large export request into small ones: the same records in the same order, each with its resource and scope.

A file may be of any size, but a server accepts, and a commit holds, only a limited size at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .limits import RequestLimits
from .wire import SHORTEST_BYTES, fields, written

__all__ = ["portions"]

_SMALL_BYTES = 64 * 2**10
"""A request below this size is not split: its rows cannot take a size that matters."""

_MANY = 2
"""The number of the repeated field: the scopes in a resource, the records in a scope."""


def portions(body: bytes, limits: RequestLimits) -> Iterator[bytes]:
    """Split a request into requests within `limits`, except single records that exceed them. Raises BrokenWire."""
    if len(body) <= min(_SMALL_BYTES, SHORTEST_BYTES * limits.records):
        yield body
        return
    portion, is_whole = _Portion(), True
    for place, record in _read_records(body):
        if portion.records and not portion.has_room(place, record, limits):
            yield portion.body()
            portion, is_whole = _Portion(), False
        portion.add(place, record)
    yield body if is_whole else portion.body()  # written again, a large record would be in memory several times


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """The fields of a resource and of a scope other than their records, encoded."""

    resource: bytes
    scope: bytes

    @property
    def size_bytes(self) -> int:
        return len(self.resource) + len(self.scope)


@dataclass(slots=True)
class _Portion:
    records: int = 0
    row_bytes: int = 0
    _by_place: list[tuple[_Place, list[memoryview]]] = field(default_factory=list)

    def has_room(self, place: _Place, record: memoryview, limits: RequestLimits) -> bool:
        """Return whether a record fits; each row repeats its resource and scope."""
        return self.records < limits.records and (
            self.row_bytes + place.size_bytes + len(record) <= limits.body_bytes // 2
        )

    def add(self, place: _Place, record: memoryview) -> None:
        if not self._by_place or self._by_place[-1][0] is not place:
            self._by_place.append((place, []))
        self._by_place[-1][1].append(record)
        self.records += 1
        self.row_bytes += place.size_bytes + len(record)

    def body(self) -> bytes:
        return b"".join(_write_resource(place, records) for place, records in self._by_place)


def _read_records(body: bytes) -> Iterator[tuple[_Place, memoryview]]:
    for number, resource_part in fields(body):
        if number != 1:
            continue
        resource = _write_common_fields(resource_part)
        for level, scope_part in fields(resource_part):
            if level != _MANY:
                continue
            place = _Place(resource, _write_common_fields(scope_part))
            yield from ((place, record) for number, record in fields(scope_part) if number == _MANY)


def _write_common_fields(message: memoryview) -> bytes:
    """Encode the fields that are not repeated."""
    return b"".join(written(number, content) for number, content in fields(message) if number != _MANY)


def _write_resource(place: _Place, records: list[memoryview]) -> bytes:
    in_scope = b"".join([place.scope, *(written(_MANY, record) for record in records)])
    return written(1, place.resource + written(_MANY, in_scope))
