"""The files of a batch: JSON Lines, one question or answer per line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from ...model import JsonObject
from ...ports import JudgeCall
from ..exchange.failure import ErrorResponse, Failure, brief, fields_in, of_status
from ..exchange.judge import Judge
from ..exchange.key import secrets_of
from ..exchange.request_format import features
from ..servers.completion import json_in

__all__ = ["PATH", "Ended", "Outgoing", "Unanswered", "answers", "parts"]

PATH: Final = "/v1/chat/completions"
_MOST_REQUESTS: Final = 50_000
_MOST_BYTES: Final = 100 * 2**20


class Unanswered(Failure):
    """A batch ended without an answer, not because of the question. The third time is final for a question."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A question that is sent in a batch: its line, its call, and the features of its request."""

    line: bytes
    call: JudgeCall
    features: frozenset[str]

    @classmethod
    def of(cls, call: JudgeCall, body: JsonObject) -> Outgoing:
        line = {"custom_id": call.request_hash, "method": "POST", "url": PATH, "body": body}
        return cls(orjson.dumps(line), call, features(body))


@dataclass(frozen=True, slots=True)
class Ended:
    """A batch that has ended, whose requests have one format.

    `how` is text about its end, `lines` are by request_hash, and `lacks` is the Failure that a missing answer means.
    """

    how: str
    lines: Mapping[str, Mapping[str, Any]]
    lacks: type[Failure] = Unanswered

    @property
    def proven(self) -> bool:
        """Whether the server answered any of its questions, which proves that it accepts their format."""
        return any(_object(line.get("response")).get("status_code") == 200 for line in self.lines.values())

    def completion(self, judge: Judge, call: JudgeCall) -> Any:
        """Return the JSON of the chat completion that answers `call`. Raises Failure if there is none."""
        if (line := self.lines.get(call.request_hash)) is None:
            raise self.lacks(f"batch {call.batch_id} {self.how} without an answer to this question")
        answered = _object(line.get("response"))
        if answered.get("status_code") == 200:
            return answered.get("body")
        raise self._failure(judge, call, line)

    def _failure(self, judge: Judge, call: JudgeCall, line: Mapping[str, Any]) -> Failure:
        """Return the Failure of an error line. A line without a status means that the question was never asked, such as
        those to which OpenAI gives the code `batch_expired` or `batch_cancelled`."""
        answered = _object(line.get("response"))
        body = _object(answered.get("body"))
        error = _object(body.get("error")) or _object(line.get("error")) or body
        code = str(error.get("code") or error.get("type") or "")
        message, status = str(error.get("message") or code), answered.get("status_code")
        fields, secrets = fields_in(error), secrets_of(judge)
        if not isinstance(status, int):
            return self.lacks(f"batch {call.batch_id} {self.how}, this question not asked ({brief(secrets, message)})")
        response = ErrorResponse(status=status, message=message, fields=fields, code=code, headers={}, secrets=secrets)
        return of_status(judge, response)


def answers(contents: Sequence[bytes]) -> Mapping[str, Mapping[str, Any]]:
    """Return the lines of these files by request_hash."""
    lines = [_line(line) for content in contents for line in content.splitlines()]
    return {str(line.get("custom_id")): line for line in lines}


def parts(outgoing: Sequence[Outgoing]) -> Iterator[list[Outgoing]]:
    """Yield the questions in parts that fit into one batch. All questions of a part have one request format, so that
    a single answer proves that the server accepts it."""
    alike: dict[frozenset[str], list[Outgoing]] = {}
    for question in outgoing:
        alike.setdefault(question.features, []).append(question)
    for group in alike.values():
        yield from _split_group(group)


def _split_group(outgoing: Sequence[Outgoing]) -> Iterator[list[Outgoing]]:
    part: list[Outgoing] = []
    size = 0
    for question in outgoing:
        if part and (len(part) >= _MOST_REQUESTS or size + len(question.line) > _MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(question)
        size += len(question.line) + 1
    if part:
        yield part


def _line(line: bytes) -> Mapping[str, Any]:
    try:
        return _object(json_in(line))
    except ValueError:  # the line counts as missing
        return {}


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
