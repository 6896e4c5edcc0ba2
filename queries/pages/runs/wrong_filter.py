"""The page for a list whose filter cannot be read."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from ...filter import FIELDS
from ..choices import Choices
from ..visit import Visit
from .query import BadFilter

__all__ = ["show_wrong_filter"]

_BAD_REQUEST: Final = 400


def show_wrong_filter(visit: Visit, error: BadFilter, choices: Choices) -> Response:
    """Answer with the filter as it was written, and where it is wrong."""
    return visit.render(
        "runs/wrong_filter.html",
        status=_BAD_REQUEST,
        error=error,
        text=error.text,
        choices=choices,
        fields=FIELDS.values(),
    )
