"""Cases of one behaviour, most of which are tried every night only: `poe e2e` leaves them to `poe nightly`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

__all__ = ["rest_at_night"]


def rest_at_night(usual: int, cases: Iterable[Any]) -> list[ParameterSet]:
    """Returns the cases for `parametrize`; all but the first `usual` ones are nightly."""
    parameters = [ParameterSet.extract_from(case) for case in cases]
    return [
        one if at < usual else one._replace(marks=(*one.marks, pytest.mark.nightly))
        for at, one in enumerate(parameters)
    ]
