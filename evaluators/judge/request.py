"""A question as it is put to a judge: the request, its text, and what it is known by."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import orjson

from ..dialogue import Question
from ..model import JsonObject
from .estimate import tokens_of
from .judge import Judge
from .manner import Manner

__all__ = ["Request"]

_TOP_LOGPROBS: Final = 20
_IN_FORM: Final = "Answer with one JSON object and nothing else. It must fit this JSON Schema:\n"


@dataclass(frozen=True, eq=False)  # how it is put is remembered of this one, not of what is the same
class Request:
    """One question to one judge."""

    judge: Judge
    question: Question

    @classmethod
    def of(cls, judge: Judge, question: Question) -> Request:
        """With half characters, which traces may hold and no server takes, replaced."""
        return cls(
            judge, replace(question, instructions=_whole(question.instructions), evidence=_whole(question.evidence))
        )

    @cached_property
    def request_hash(self) -> str:
        """The same for what the same model is told in the same way, whoever asks, and whatever comes of the answer.

        The address belongs to it: a model's name means something on one server only, and an answer that is taken for
        that of another model is a wrong verdict, while one that is asked for again costs a cent. How the form had to be
        put for the server to take it does not, nor whether it came in a batch.
        """
        asked = self.question
        known: dict[str, Any] = {
            "way": self.judge.way,
            "address": self.judge.address,
            "model": self.judge.called,
            "messages": [asked.instructions, asked.evidence],
            "form": asked.form,
            "weighs": asked.weighs,
            "temperature": self.judge.temperature,
            "max_output_tokens": self.judge.max_output_tokens,
            "parameters": self.judge.parameters,
        }
        if query := self.judge.query:  # it may lead to another model
            known["query"] = query
        return hashlib.sha256(orjson.dumps(known, option=_CANONICAL)).hexdigest()

    @property
    def most_tokens(self) -> int:
        """What it may cost, before anybody has counted."""
        return self.input_tokens + self.judge.max_output_tokens

    @property
    def input_tokens(self) -> int:
        """About as many as it has."""
        return tokens_of(len(self.question.instructions) + len(self.question.evidence))

    @property
    def text(self) -> str:
        """For whoever takes one text."""
        return f"{self._instructions(in_words=True)}\n\n{self.question.evidence}"

    def body(self, manner: Manner) -> JsonObject:
        """The request for a chat completion, as the server likes it."""
        judge, in_words = self.judge, manner.form != "json_schema"
        body: dict[str, Any] = {
            **judge.parameters,
            "model": judge.model,
            "messages": [
                {"role": "system", "content": self._instructions(in_words=in_words)},
                {"role": "user", "content": self.question.evidence},
            ],
            manner.limit: judge.max_output_tokens,
        }
        if manner.temperature and judge.temperature is not None:
            body["temperature"] = judge.temperature
        if self.question.weighs and manner.logprobs:
            body |= {"logprobs": True, "top_logprobs": _TOP_LOGPROBS}
        if (form := self.question.form) is not None and manner.form != "text":
            body["response_format"] = {"type": "json_object"} if in_words else _schema(form)
        return body

    def _instructions(self, *, in_words: bool) -> str:
        form = self.question.form
        if form is None or not in_words:
            return self.question.instructions
        return f"{self.question.instructions}\n\n{_IN_FORM}{orjson.dumps(form).decode()}"


_CANONICAL: Final = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS


def _whole(text: str) -> str:
    return text if text.isascii() else text.encode(errors="replace").decode()


def _schema(form: JsonObject) -> JsonObject:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": form, "strict": _is_strict(form)}}


def _is_strict(form: Any) -> bool:
    """Whether servers that hold the model to a form do so with this one: objects that are closed and have every field.

    https://platform.openai.com/docs/guides/structured-outputs
    """
    if isinstance(form, list):
        return all(map(_is_strict, form))
    if not isinstance(form, dict):
        return True
    if "properties" in form or form.get("type") == "object":
        named = form.get("properties", {})
        if form.get("additionalProperties") is not False or set(form.get("required", ())) != set(named):
            return False
    return all(map(_is_strict, form.values()))
