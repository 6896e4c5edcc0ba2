"""What stands in the files of a batch: a question or an answer to a line, in JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from ..model import JsonObject
from ..ports import JudgeCall
from .failure import Failure, Refused, Said, brief, fields_in, of_status
from .judge import Judge
from .key import secrets_of
from .manner import features

__all__ = ["PATH", "Ended", "Outgoing", "answers", "parts"]

PATH: Final = "/v1/chat/completions"
_MOST_REQUESTS: Final = 50_000
_MOST_BYTES: Final = 100 * 2**20


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A question on its way."""

    line: bytes
    call: JudgeCall
    features: frozenset[str]

    @classmethod
    def of(cls, call: JudgeCall, body: JsonObject) -> Outgoing:
        line = {"custom_id": call.request_hash, "method": "POST", "url": PATH, "body": body}
        return cls(orjson.dumps(line), call, features(body))


@dataclass(frozen=True, slots=True)
class Ended:
    """A batch that is over: how, and the line to each request_hash that it answered. All were put in one way."""

    how: str
    lines: Mapping[str, Mapping[str, Any]]

    @property
    def proven(self) -> bool:
        """Whether the server has answered some of it, so that it takes what it was asked in."""
        return any(_object(line.get("response")).get("status_code") == 200 for line in self.lines.values())

    def completion(self, judge: Judge, call: JudgeCall) -> Any:
        """The JSON of the chat completion that answers `call`. Raises Failure where there is none."""
        if (line := self.lines.get(call.request_hash)) is None:
            raise Refused(f"batch {call.batch_id} {self.how} without an answer to this question")
        answered = _object(line.get("response"))
        if answered.get("status_code") == 200:
            return answered.get("body")
        raise _failure(judge, call, line)


def _failure(judge: Judge, call: JudgeCall, line: Mapping[str, Any]) -> Failure:
    """What it means that a line of the answers is none."""
    answered = _object(line.get("response"))
    body = _object(answered.get("body"))
    told = _object(body.get("error")) or _object(line.get("error")) or body
    code = str(told.get("code") or told.get("type") or "")
    message, status = str(told.get("message") or code), answered.get("status_code")
    fields, secrets = fields_in(told), secrets_of(judge)
    if not isinstance(status, int):
        return Refused(f"batch {call.batch_id} has not asked this question ({brief(secrets, message)})")
    return of_status(judge, Said(status=status, message=message, fields=fields, code=code, headers={}, secrets=secrets))


def answers(contents: Sequence[bytes]) -> Mapping[str, Mapping[str, Any]]:
    """The lines of these files by what they answer."""
    lines = [_line(line) for content in contents for line in content.splitlines()]
    return {str(line.get("custom_id")): line for line in lines}


def parts(outgoing: Sequence[Outgoing]) -> Iterator[list[Outgoing]]:
    """As much as one batch takes, all of it put in one way: that one is answered proves that the server takes it."""
    alike: dict[frozenset[str], list[Outgoing]] = {}
    for one in outgoing:
        alike.setdefault(one.features, []).append(one)
    for group in alike.values():
        yield from _cut(group)


def _cut(outgoing: Sequence[Outgoing]) -> Iterator[list[Outgoing]]:
    part: list[Outgoing] = []
    size = 0
    for one in outgoing:
        if part and (len(part) >= _MOST_REQUESTS or size + len(one.line) > _MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(one)
        size += len(one.line) + 1
    if part:
        yield part


def _line(line: bytes) -> Mapping[str, Any]:
    try:
        return _object(orjson.loads(line))
    except orjson.JSONDecodeError:  # as if it were not there
        return {}


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
