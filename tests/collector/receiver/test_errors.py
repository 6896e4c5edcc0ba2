from __future__ import annotations

import re

import grpc
import pytest

from tracegrade.collector import errors
from tracegrade.collector.errors import CollectorError, Rejected, Unavailable

ROW = re.compile(r"[├└]── (?P<name>\w+) .*HTTP (?P<http>\d+)  (?P<grpc>[A-Z_]+)$", re.MULTILINE)
TABLE = [match.groupdict() for match in ROW.finditer(errors.__doc__ or "")]

TO_SENDERS = set(errors.__all__) - {"CollectorError", "Fault", "SqlRefused"}


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["name"])
def test_error_has_the_codes_of_its_row(row: dict[str, str]) -> None:
    error: type[CollectorError] = getattr(errors, row["name"])
    assert error.http_status == int(row["http"])
    assert error.grpc_code == grpc.StatusCode[row["grpc"]].value[0]


def test_table_names_every_error_that_is_raised() -> None:
    assert {row["name"] for row in TABLE} == TO_SENDERS - {"Rejected"}


@pytest.mark.parametrize("name", sorted(TO_SENDERS))
def test_error_is_either_for_the_sender_or_for_us(name: str) -> None:
    error = getattr(errors, name)
    assert issubclass(error, Rejected) != issubclass(error, Unavailable)


def test_unavailable_says_when_to_come_back() -> None:
    assert Unavailable("busy").retry_after_s == 5
    assert errors.Draining("stopping", retry_after_s=30).retry_after_s == 30
