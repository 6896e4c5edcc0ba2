"""How a server likes to be asked. OpenAI-compatible servers differ, and a model may not take what another one does."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final, Literal

__all__ = ["Manner"]

_ABOUT_FORM: Final = re.compile(
    r"response[_ ]?format|json[_ ]?(schema|object|mode)|structured|grammar|guided", re.IGNORECASE
)
_ABOUT_LOGPROBS: Final = re.compile(r"log_?probs", re.IGNORECASE)
_ABOUT_LIMIT: Final = re.compile(r"max_completion_tokens", re.IGNORECASE)
_ABOUT_TEMPERATURE: Final = re.compile(r"temperature", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Manner:
    """What is put into a request, beginning with what the best servers take."""

    form: Literal["json_schema", "json_object", "text"] = "json_schema"
    logprobs: bool = True
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True

    def after(self, complaint: str, body: object) -> Manner | None:
        """The next one to try when the server refuses `body` with such a message; None when that is no help."""
        changed = self._changed(complaint, body)
        return None if changed == self else changed

    def without(self, doubtful: Collection[str]) -> Manner | None:
        """The next one that has less of what the server may not know; None when nothing is left to leave out."""
        if "logprobs" in doubtful and self.logprobs:
            return replace(self, logprobs=False)
        if "json_schema" in doubtful and self.form == "json_schema":
            return replace(self, form="json_object")
        if "json_object" in doubtful and self.form == "json_object":
            return replace(self, form="text")
        return None

    def _changed(self, complaint: str, body: object) -> Manner:
        asked = body if isinstance(body, dict) else {}
        if "logprobs" in asked and _ABOUT_LOGPROBS.search(complaint):
            return replace(self, logprobs=False)
        if self.limit in asked and self.limit == "max_tokens" and _ABOUT_LIMIT.search(complaint):
            return replace(self, limit="max_completion_tokens")
        if "response_format" in asked and self.form != "text" and _ABOUT_FORM.search(complaint):
            return replace(self, form="json_object" if self.form == "json_schema" else "text")
        if "temperature" in asked and _ABOUT_TEMPERATURE.search(complaint):
            return replace(self, temperature=False)
        return self
