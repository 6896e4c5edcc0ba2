"""How a server likes to be asked. OpenAI-compatible servers differ, and a model may not take what another one does."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Final, Literal

from ..model import JsonObject

__all__ = ["Manner", "features"]

_ABOUT_FORM: Final = re.compile(
    r"response[_ ]?format|json[_ ]?(schema|object|mode)|structured|grammar|guided", re.IGNORECASE
)
_ABOUT_LOGPROBS: Final = re.compile(r"log_?probs", re.IGNORECASE)
_ABOUT_LIMIT: Final = re.compile(r"\bmax_(completion_)?tokens\b", re.IGNORECASE)
_ABOUT_TEMPERATURE: Final = re.compile(r"temperature", re.IGNORECASE)
_BY_RANK: Final = ("text", "json_object", "json_schema")
_SIMPLER: Final[Mapping[str, Mapping[str, Any]]] = {
    "logprobs": {"logprobs": False},
    "json_schema": {"form": "json_object"},
    "json_object": {"form": "text"},
    "temperature": {"temperature": False},
}
_FORMS: Final = {"json_schema": ("json_schema", "json_object"), "json_object": ("json_object",)}


@dataclass(frozen=True, slots=True)
class Manner:
    """What is put into a request, beginning with what the best servers take."""

    form: Literal["json_schema", "json_object", "text"] = "json_schema"
    logprobs: bool = True
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True

    def after(self, complaint: str, body: JsonObject) -> Manner | None:
        """The next one to try when the server refuses `body` with such a message: it is about the field that it names
        first. None when that is no help."""
        found = ((pattern.search(complaint), changed) for pattern, changed in self._changes(body))
        named = [(match.start(), changed) for match, changed in found if match is not None]
        return min(named, key=itemgetter(0))[1] if named else None

    def simpler(self, usual: Manner, doubtful: Collection[str]) -> Manner | None:
        """The next one to try where the server may not know what of the `usual` one is `doubtful`; None after the
        last."""
        return next((guess for guess in _guesses(usual, doubtful) if guess.rank < self.rank), None)

    @property
    def rank(self) -> tuple[bool, bool, int, bool]:
        """Falls with every change, whether it was guessed or named, so that there is an end of them."""
        return self.limit == "max_tokens", self.temperature, _BY_RANK.index(self.form), self.logprobs

    def as_in(self, body: JsonObject, whole: JsonObject) -> Manner:
        """The one in which `body` is put, as far as that shows: `whole` is the same with all that can be left out."""
        return Manner(
            form=body.get("response_format", {}).get("type", "text") if "response_format" in whole else self.form,
            logprobs="logprobs" in body if "logprobs" in whole else self.logprobs,
            limit="max_completion_tokens" if "max_completion_tokens" in body else "max_tokens",
            temperature="temperature" in body if "temperature" in whole else self.temperature,
        )

    def _changes(self, body: JsonObject) -> Iterator[tuple[re.Pattern[str], Manner]]:
        """What can be changed in `body`, by what a complaint about it says."""
        if "logprobs" in body:
            yield _ABOUT_LOGPROBS, replace(self, logprobs=False)
        if "max_tokens" in body:
            yield _ABOUT_LIMIT, replace(self, limit="max_completion_tokens")
        if "response_format" in body:
            yield _ABOUT_FORM, replace(self, form="json_object" if self.form == "json_schema" else "text")
        if "temperature" in body:
            yield _ABOUT_TEMPERATURE, replace(self, temperature=False)


def _guesses(usual: Manner, doubtful: Collection[str]) -> Iterator[Manner]:
    """By rank: with one thing changed, so that as little is lost as can be, and with all of them."""
    changes = [change for feature, change in _SIMPLER.items() if feature in doubtful]
    together = {name: value for change in changes for name, value in change.items()}
    changes = [{}, *changes, together]
    yield from (replace(usual, **change) for change in changes)
    if "max_tokens" in doubtful:
        yield from (replace(usual, limit="max_completion_tokens", **change) for change in ({}, together))


def features(body: JsonObject) -> frozenset[str]:
    """What of a request a server may not know. One that takes a JSON Schema knows what JSON is."""
    form = body.get("response_format", {}).get("type")
    fields = [name for name in ("logprobs", "temperature", "max_tokens", "max_completion_tokens") if name in body]
    return frozenset([*fields, *_FORMS.get(form, ())])
