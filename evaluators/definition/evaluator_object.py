"""Evaluators as objects of the interfaces of other systems, which are taken wherever the name of one is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ..model import AgentTrace
from ..model.value import NoBuilder
from ..text.validation_errors import explain
from .registry import Options, checked_threshold

__all__ = ["EvaluatorObject", "make_options"]

M = TypeVar("M", bound=BaseModel)


class EvaluatorObject(NoBuilder):
    """An evaluator of runs with `options`; a score of at least `threshold` is a success."""

    options: Any

    def __init__(self, name: str, options: Options, *, threshold: float) -> None:
        """Raise ValueError for a threshold outside of [0, 1]."""
        self.name = name
        self.options = options
        self.threshold = checked_threshold(name, threshold)

    @property
    def function(self) -> Callable[[AgentTrace], Any]:
        """The evaluation of a recorded run. It may raise BadAnswer, if the evaluator has a judge of its own."""
        function: Callable[[AgentTrace], Any] = self.options
        return function


def make_options(model: type[M], options: Mapping[str, Any]) -> M:
    """Return a model with these fields. Raises ValueError that names the field and what to write."""
    try:
        return model.model_validate(options)
    except ValidationError as error:
        raise ValueError(explain(error, model)) from None
