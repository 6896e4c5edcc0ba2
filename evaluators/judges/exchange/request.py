"""A question to a judge: its request, and the hash by which its answer is found in the cache."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import orjson

from ...definition.dialogue import Question
from ...model import JsonObject
from .estimate import tokens_of
from .judge import Judge
from .request_format import RequestFormat

__all__ = ["Request"]

_TOP_LOGPROBS: Final = 20


@dataclass(frozen=True, eq=False)  # Negotiation remembers its format by identity
class Request:
    """One question to one judge."""

    judge: Judge
    question: Question

    @classmethod
    def of(cls, judge: Judge, question: Question) -> Request:
        """Return the request, with lone surrogates replaced: traces may have them, and no server accepts them."""
        return cls(
            judge, replace(question, instructions=_whole(question.instructions), evidence=_whole(question.evidence))
        )

    @cached_property
    def request_hash(self) -> str:
        """The SHA-256 of all that decides the answer: equal for the same question to the same model.

        It includes the address, since another server may have another model of the same name, whose answer would give a
        wrong score. It includes neither the request format that the server accepts, nor whether the question was sent
        in a batch.
        """
        question = self.question
        known: dict[str, Any] = {
            "way": self.judge.backend,
            "address": self.judge.address,
            "model": self.judge.called,
            "messages": [question.instructions, question.evidence],
            "form": question.form,
            "weighs": question.weighs,
            "temperature": self.judge.temperature,
            "max_output_tokens": self.judge.max_output_tokens,
            "parameters": self.judge.parameters,
        }
        if query := self.judge.query:  # it may lead to another model
            known["query"] = query
        return hashlib.sha256(orjson.dumps(known, option=_CANONICAL)).hexdigest()

    @property
    def input_tokens(self) -> int:
        """The estimated tokens of the question."""
        return tokens_of(len(self.question.instructions) + len(self.question.evidence))

    def body(self, request_format: RequestFormat) -> JsonObject:
        """Return the JSON of the chat completion request in the format `request_format`."""
        question, judge, in_words = self.question, self.judge, request_format.form != "json_schema"
        body: dict[str, Any] = {
            **judge.parameters,
            "model": judge.model,
            "messages": [
                {"role": "system", "content": question.in_words if in_words else question.instructions},
                {"role": "user", "content": question.evidence},
            ],
            request_format.limit: judge.max_output_tokens,
        }
        if request_format.temperature and judge.temperature is not None:
            body["temperature"] = judge.temperature
        if question.weighs and request_format.logprobs:
            body |= {"logprobs": True, "top_logprobs": _TOP_LOGPROBS}
        if (form := question.form) is not None and request_format.form != "text":
            body["response_format"] = {"type": "json_object"} if in_words else _schema(form)
        return body


_CANONICAL: Final = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS


def _whole(text: str) -> str:
    return text if text.isascii() else text.encode(errors="replace").decode()


def _schema(form: JsonObject) -> JsonObject:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": form, "strict": _is_strict(form)}}


def _is_strict(form: Any) -> bool:
    """Return whether servers can enforce this form: objects without further fields, all fields required.

    https://platform.openai.com/docs/guides/structured-outputs
    """
    if isinstance(form, list):
        return all(map(_is_strict, form))
    if not isinstance(form, dict):
        return True
    if "properties" in form or form.get("type") == "object":
        properties = form.get("properties", {})
        if form.get("additionalProperties") is not False or set(form.get("required", ())) != set(properties):
            return False
    return all(map(_is_strict, form.values()))
