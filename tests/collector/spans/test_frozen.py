"""Copies of frozen values."""

from __future__ import annotations

from dataclasses import replace as replaced

import pytest
from pydantic import ValidationError

from tracegrade.collector.spans.frozen import copy_with, replace
from tracegrade.collector.spans.step import Step
from tracegrade.evaluators.model import Message, TextPart


def test_a_copied_dataclass_is_the_one_that_the_standard_library_makes() -> None:
    step = Step(kind="tool", tool_name="search")

    assert replace(step, result="found") == replaced(step, result="found")
    assert step.result is None


def test_a_copied_model_is_the_one_that_pydantic_makes() -> None:
    message = Message(role="user", parts=(TextPart(content="Hello"),))

    copy = copy_with(message, span_id="1a")

    pydantics = message.model_copy(update={"span_id": "1a"})
    assert (copy, repr(copy), hash(copy)) == (pydantics, repr(pydantics), hash(pydantics))
    assert copy.model_fields_set == pydantics.model_fields_set == {"role", "parts", "span_id"}
    assert copy.model_dump_json() == pydantics.model_dump_json()
    assert message.span_id is None


def test_a_copied_model_is_frozen_as_well() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        copy_with(Message(role="user"), span_id="1a").role = "system"  # type: ignore[misc]
