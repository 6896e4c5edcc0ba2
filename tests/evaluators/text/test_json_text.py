"""What a Python tool returns is stored as JSON that reads back as the same value, or is refused."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel

from tracegrade.evaluators.model import ToolCall


class Flight(BaseModel):
    number: str
    price: Decimal = Decimal("1.10")
    leaves: datetime | None = None
    delay: float = 0


@dataclass
class Trip:
    flights: list[Flight]
    tags: set[str] = field(default_factory=set)


class Cabin(enum.Enum):
    ECONOMY = "economy"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param(None, "null", id="nothing"),
        pytest.param({"a": [1, True, None, "é"]}, '{"a":[1,true,null,"é"]}', id="JSON's own types"),
        pytest.param({1: "a", None: "b"}, '{"1":"a","null":"b"}', id="names that are not text"),
        pytest.param(Flight(number="AF1"), '{"number":"AF1","price":"1.10","leaves":null,"delay":0.0}', id="model"),
        pytest.param(
            Trip([Flight(number="AF1")], {"b", "a"}),
            '{"flights":[{"number":"AF1","price":"1.10","leaves":null,"delay":0.0}],"tags":["a","b"]}',
            id="dataclass",
        ),
        pytest.param(Decimal("1.10"), '"1.10"', id="decimal"),
        pytest.param(Decimal("1E+400"), '"1E+400"', id="decimal beyond all floats"),
        pytest.param(datetime(2026, 1, 31, 12, tzinfo=UTC), '"2026-01-31T12:00:00Z"', id="time"),
        pytest.param(timedelta(seconds=3), '"PT3S"', id="duration"),
        pytest.param(UUID(int=1), '"00000000-0000-0000-0000-000000000001"', id="uuid"),
        pytest.param(b"abc", '"abc"', id="bytes"),
        pytest.param({3, 1, 2}, "[1,2,3]", id="set"),
        pytest.param(2**70, "1180591620717411303424", id="large integer"),
        pytest.param(Cabin.ECONOMY, '"economy"', id="enum"),
        pytest.param(MappingProxyType({"a": (1, 2)}), '{"a":[1,2]}', id="mapping of another type"),
    ],
)
def test_what_a_tool_returns_is_one_line_of_json(value: Any, text: str) -> None:
    assert ToolCall.result_json(value) == text


@pytest.mark.parametrize(
    "value",
    [Flight(number="AF1"), Trip([Flight(number="AF1")], {"b", "a"}), Decimal("1.10"), {3, 1}, 2**70, Cabin.ECONOMY],
    ids=lambda value: type(value).__name__,
)
def test_result_reads_back_as_the_same_value(value: Any) -> None:
    assert ToolCall(name="any", result=ToolCall.result_json(value)).result_as(type(value)) == value


def endless() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        pytest.param(float("nan"), "the value is nan, which JSON cannot represent; give None, or text", id="NaN"),
        pytest.param({"a": [float("-inf")]}, "the value at a.0 is -inf", id="infinity inside"),
        pytest.param([Decimal("NaN")], "the value at 0 is NaN", id="decimal that is not a number"),
        pytest.param({"a": Flight(number="x", delay=float("nan"))}, "the value at a.delay is nan", id="NaN in a model"),
        pytest.param(Trip([], {object()}), "the value at tags is of type object", id="object"),  # type: ignore[arg-type]  # that is the point
        pytest.param("\ud800", "half a character", id="half a character"),
        pytest.param(endless(), "nested without end", id="cycle"),
        pytest.param(10**5000, "4300 digits", id="more digits than Python writes"),
    ],
)
def test_what_json_has_no_word_for_is_refused(value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ToolCall.result_json(value)
