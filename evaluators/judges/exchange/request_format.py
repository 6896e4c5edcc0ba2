"""The request format that a server accepts: not every OpenAI-compatible server and model supports every field."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Final, Literal, TypeAlias

from ...model import JsonObject

__all__ = ["Form", "RequestFormat", "features"]

Form: TypeAlias = Literal["json_schema", "json_object", "text"]
"""How a server is asked for an answer of a given form: by JSON Schema, in JSON mode, or only in the instructions."""

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
class RequestFormat:
    """The optional fields of a request. The default is the format that the most capable servers support."""

    form: Form = "json_schema"
    logprobs: bool = True
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True

    def after(self, complaint: str, body: JsonObject) -> RequestFormat | None:
        """Return the format to try next after the server refused `body` with this message: without the field that the
        message names first. None if it names none."""
        matches = ((pattern.search(complaint), changed) for pattern, changed in self._changes(body))
        candidates = [(match.start(), changed) for match, changed in matches if match is not None]
        return min(candidates, key=itemgetter(0))[1] if candidates else None

    def simpler(self, usual: RequestFormat, doubtful: Collection[str]) -> RequestFormat | None:
        """Return the format to try next if the server may not support the `doubtful` features of the `usual` format;
        None after the last."""
        return next((guess for guess in _guesses(usual, doubtful) if guess.rank < self.rank), None)

    @property
    def rank(self) -> tuple[bool, bool, int, bool]:
        """A rank that falls with every change, so that the number of attempts is limited."""
        return self.limit == "max_tokens", self.temperature, _BY_RANK.index(self.form), self.logprobs

    def as_in(self, body: JsonObject, whole: JsonObject) -> RequestFormat:
        """Return the format of `body`. Fields that `whole`, the same request with all options, lacks are as in this
        format."""
        return RequestFormat(
            form=body.get("response_format", {}).get("type", "text") if "response_format" in whole else self.form,
            logprobs="logprobs" in body if "logprobs" in whole else self.logprobs,
            limit="max_completion_tokens" if "max_completion_tokens" in body else "max_tokens",
            temperature="temperature" in body if "temperature" in whole else self.temperature,
        )

    def _changes(self, body: JsonObject) -> Iterator[tuple[re.Pattern[str], RequestFormat]]:
        """Yield the possible changes to `body`, each with the pattern of error messages that suggest it."""
        if "logprobs" in body:
            yield _ABOUT_LOGPROBS, replace(self, logprobs=False)
        if "max_tokens" in body:
            yield _ABOUT_LIMIT, replace(self, limit="max_completion_tokens")
        if "response_format" in body:
            yield _ABOUT_FORM, replace(self, form="json_object" if self.form == "json_schema" else "text")
        if "temperature" in body:
            yield _ABOUT_TEMPERATURE, replace(self, temperature=False)


def _guesses(usual: RequestFormat, doubtful: Collection[str]) -> Iterator[RequestFormat]:
    """Yield formats to try, by rank: first without one of the features, so that little is lost, then without all."""
    changes = [change for feature, change in _SIMPLER.items() if feature in doubtful]
    together = {name: value for change in changes for name, value in change.items()}
    changes = [{}, *changes, together]
    yield from (replace(usual, **change) for change in changes)
    if "max_tokens" in doubtful:
        yield from (replace(usual, limit="max_completion_tokens", **change) for change in ({}, together))


def features(body: JsonObject) -> frozenset[str]:
    """Return the features of a request that a server may not support. Support for JSON Schema includes JSON mode."""
    form = body.get("response_format", {}).get("type")
    fields = [name for name in ("logprobs", "temperature", "max_tokens", "max_completion_tokens") if name in body]
    return frozenset([*fields, *_FORMS.get(form, ())])
