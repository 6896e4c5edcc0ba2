"""How a server likes to be asked. OpenAI-compatible servers differ, and a model may not take what another one does."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Final, Literal

from ..model import JsonObject

__all__ = ["Manner", "features"]

_ABOUT_FORM: Final = re.compile(
    r"response[_ ]?format|json[_ ]?(schema|object|mode)|structured|grammar|guided", re.IGNORECASE
)
_ABOUT_LOGPROBS: Final = re.compile(r"log_?probs", re.IGNORECASE)
_ABOUT_LIMIT: Final = re.compile(r"\bmax_(completion_)?tokens\b", re.IGNORECASE)
_ABOUT_TEMPERATURE: Final = re.compile(r"temperature", re.IGNORECASE)
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

    def without(self, doubtful: Collection[str], *, usual: Manner) -> Manner | None:
        """The next one that has less of what the server may not know; None when nothing is left to leave out. The last
        is the temperature, without which all else is tried as `usual`."""
        if "logprobs" in doubtful and self.logprobs:
            return replace(self, logprobs=False)
        if "json_schema" in doubtful and self.form == "json_schema":
            return replace(self, form="json_object")
        if "json_object" in doubtful and self.form == "json_object":
            return replace(self, form="text")
        if "temperature" in doubtful and self.temperature:
            return replace(usual, temperature=False, limit=self.limit)
        return None

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


def features(body: JsonObject) -> frozenset[str]:
    """What of a request a server may not know. One that takes a JSON Schema knows what JSON is."""
    form = body.get("response_format", {}).get("type")
    fields = [name for name in ("logprobs", "temperature", "max_tokens", "max_completion_tokens") if name in body]
    return frozenset([*fields, *_FORMS.get(form, ())])
