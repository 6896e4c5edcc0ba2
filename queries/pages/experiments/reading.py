"""Reads experiments for their pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ...http.reads import answer_read
from ...read.experiments import UnknownExperiment
from ...read.source import Sources
from ..errors import PageError, as_sentence
from ..visit import Visit

__all__ = ["read_experiments"]

T = TypeVar("T")


async def read_experiments(visit: Visit, work: Callable[[Sources], T]) -> T:
    """Return what `work` reads. Raises PageError if there is no such experiment."""
    try:
        return await answer_read(visit.site.api, visit.request, work)
    except UnknownExperiment as error:
        link = (visit.links.to("experiments"), "All experiments")
        raise PageError(404, "There is no such experiment", as_sentence(error), link=link) from error
