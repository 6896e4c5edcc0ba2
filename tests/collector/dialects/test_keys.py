"""Tables of keys."""

from __future__ import annotations

from dataclasses import fields

import pytest

from tracegrade.collector.dialects.shared import keys
from tracegrade.collector.dialects.shared.keys import Keys

READ = {*keys._IDENTITY, *(field for of_kind in keys._OF_KIND.values() for field in of_kind)}


@pytest.mark.parametrize("field", [field.name for field in fields(Keys)])
def test_field_is_read_from_the_spans_of_some_kind(field: str) -> None:
    assert field in READ
