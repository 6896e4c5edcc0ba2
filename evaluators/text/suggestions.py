"""Suggests the nearest known word for an unknown one."""

from __future__ import annotations

import difflib
import typing
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic import BaseModel

__all__ = ["fields_at", "hint", "most_similar", "nearest"]


def most_similar(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is most similar to `word`, in upper or lower case; None if none is similar."""
    by_lower_case = {each.casefold(): each for each in known}
    close = difflib.get_close_matches(word.casefold(), list(by_lower_case), n=1)
    return by_lower_case[close[0]] if close else None


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)`, or an empty text if no known word is similar."""
    close = most_similar(word, known)
    return "" if close is None else f" (did you mean {close!r}?)"


def hint(word: str, known: Sequence[str]) -> str:
    """Return the suggestion of `nearest`; if no word is similar, the list of all known words."""
    return nearest(word, known) or f" (known here: {', '.join(known) or 'nothing'})"


def fields_at(model: type[BaseModel], steps: Iterable[str | int]) -> list[str]:
    """Return the names, as users write them, of the fields of the model at these steps below `model`."""
    for step in steps:
        field = next(
            (candidate for name, candidate in model.model_fields.items() if step == (candidate.alias or name)), None
        )
        model = next(_models(field.annotation), model) if field else model
    return [field.alias or name for name, field in model.model_fields.items()]


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models within a type annotation."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in typing.get_args(annotation):
        yield from _models(inner)
