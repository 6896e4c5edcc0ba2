"""Cases of one behaviour, most of which are tried every night only: `poe e2e` leaves them to `poe nightly`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

__all__ = ["rest_at_night"]


def rest_at_night(usual: int, cases: Iterable[Any]) -> list[ParameterSet]:
    """Returns the cases for `parametrize`; all but the first `usual` ones are nightly."""
    return [_case(case) if at < usual else _case(case, pytest.mark.nightly) for at, case in enumerate(cases)]


def _case(case: Any, *marks: pytest.MarkDecorator) -> ParameterSet:
    if isinstance(case, ParameterSet):
        return case._replace(marks=(*case.marks, *marks))
    return pytest.param(*case, marks=marks) if isinstance(case, tuple) else pytest.param(case, marks=marks)
