"""Why a judge gave no answer, sorted by who has to act, and by when asking again makes sense.

Failure
├── Refused         the question is at fault (400, 413, 422): asking it again cannot help
├── Endless         an answer came that has no end
├── Busy            the server is: too many requests or tokens (429, or 503 with Retry-After)
├── Unreachable     the server, or the way to it: 408, 409, 425, 5xx, no connection
│   ├── Late        no answer in time: it is asked twice, not five times
│   │   └── Unended     one that had begun: the third time that a question waits for its end, that is final
│   └── Strange     something answers, with what is no completion
└── Misconfigured   whoever set it up: a wrong key, an unknown model or host, no credit
    └── Unready     no key, no package, no function: nothing was sent, so no call is noted

What is Refused or Endless is final. All else waits, and Waits says until when.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from .judge import Judge

__all__ = [
    "Busy",
    "Endless",
    "Failure",
    "Late",
    "Misconfigured",
    "Refused",
    "Said",
    "Strange",
    "Unended",
    "Unreachable",
    "Unready",
    "Waits",
    "brief",
    "causes",
    "fields_in",
    "of_connection",
    "of_status",
    "without",
]

_MOST_CHARACTERS: Final = 300
_A_DAY_S: Final = 86_400.0
_NO_CREDIT: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
_NO_MODEL: Final = re.compile(
    r"model\b.*(not (be )?found|not exist|unknown|not available)|(unknown|invalid) model|provider not provided",
    re.IGNORECASE,
)
_AT_FAULT_FOR_NOW: Final = frozenset({408, 409, 425})


class Failure(Exception):
    """Base of what went wrong; the message says it without naming the judge. `posts` is how many requests it took,
    `said` the server's answer, where one came that says what is wrong."""

    posts = 1
    said: Said | None = None


class Refused(Failure):
    pass


class Endless(Failure):
    pass


class Busy(Failure):
    """`retry_after_s` as the server says it, None where it does not."""

    def __init__(self, why: str, *, retry_after_s: float | None) -> None:
        super().__init__(why)
        self.retry_after_s = retry_after_s


class Unreachable(Failure):
    pass


class Late(Unreachable):
    """No answer in time. Whoever waited that long does not do so many times."""


class Unended(Late):
    """One that had begun, be it by headers and blanks, and had no end in time."""


class Strange(Unreachable):
    pass


class Misconfigured(Failure):
    pass


class Unready(Misconfigured):
    """So that nothing was sent to anybody."""


class Waits(Exception):
    """A question that cannot be asked now: when it can be (UTC), why, and what happened if it was tried."""

    def __init__(self, until: datetime, reason: str, *, tried: Failure | None = None) -> None:
        super().__init__(reason)
        self.until = until
        self.reason = reason
        self.tried = tried


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A server's answer that is no success. No message repeats its `secrets`. `fields` are what of the request it names
    beside the message."""

    status: int
    message: str
    fields: str = ""
    code: str | None = None
    headers: Mapping[str, str]
    secrets: Sequence[str] = ()

    def __str__(self) -> str:
        return f"{self.status}: {brief(self.secrets, self.message)}"


def fields_in(error: Mapping[str, Any]) -> str:
    """What of the request an error names beside its message: in `param` as OpenAI does, in `loc` as FastAPI does."""
    detail = error.get("detail")
    places = [one.get("loc") for one in detail if isinstance(one, dict)] if isinstance(detail, list) else []
    steps = [step for place in places if isinstance(place, list) for step in place]
    return " ".join(one for one in (error.get("param"), *steps) if isinstance(one, str))


def brief(secrets: Iterable[str], text: str) -> str:
    """In one line, without the secrets, and as much as a reason needs."""
    return without(secrets, " ".join(text.split()))[:_MOST_CHARACTERS] or "no message"


def without(secrets: Iterable[str], text: str) -> str:
    """The text with the secrets made unreadable."""
    for secret in sorted(secrets, key=len, reverse=True):  # one may contain another
        text = text.replace(secret, "***")
    return text


def of_status(judge: Judge, said: Said) -> Failure:
    """What a server's refusal means, and who must do what."""
    failure = _meant(judge, said)
    failure.said = said
    return failure


def _meant(judge: Judge, said: Said) -> Failure:
    if said.code in _NO_CREDIT or said.status == 402:
        return Misconfigured(f"the account has no credit left ({said}); add some where the model is paid for")
    pause_s = retry_after_s(said.headers)
    if said.status == 429 or (said.status == 503 and pause_s is not None):
        return Busy(str(said), retry_after_s=pause_s)
    if said.status in _AT_FAULT_FOR_NOW or said.status >= 500:
        return Unreachable(f"{judge.address or judge.model} answers {said}")
    return _of_setting(judge, said) or Refused(f"the server refuses the question ({said})")


def _of_setting(judge: Judge, said: Said) -> Misconfigured | None:
    if said.status in {401, 403}:
        where = judge.address or judge.model
        if judge.login is not None:
            return Misconfigured(f"{where} does not let us in ({said}); correct the user and password in `base_url`")
        whose = f"put a valid one into {judge.api_key_env}" if judge.names_key else "name its variable in api_key_env"
        return Misconfigured(f"{where} does not accept the key ({said}); {whose}")
    if said.code == "model_not_found" or (said.status in {400, 404} and _NO_MODEL.search(said.message)):
        return Misconfigured(f"there is no model {judge.model!r} ({said}); correct `model`")
    if said.status in {404, 405} or 300 <= said.status < 400:
        return Misconfigured(f"{judge.address or judge.model} takes no chat completions ({said}); correct `base_url`")
    return None


def of_connection(judge: Judge, error: BaseException, *, secrets: Iterable[str] = ()) -> Failure:
    """What it means that a server could not be spoken to, without the `secrets`."""
    where = judge.address or judge.model
    if any(isinstance(cause, socket.gaierror) for cause in causes(error)):
        return Misconfigured(f"the host of {where} cannot be found; correct `base_url`, or this machine's network")
    deepest = list(causes(error))[-1]
    why = str(deepest).rstrip(".") or type(deepest).__name__
    return Unreachable(f"{where}: {without(secrets, why)}")


def causes(error: BaseException, *, implied: bool = True) -> Iterator[BaseException]:
    """The error, and what it came from, each once; unless `implied`, only what was said by `raise ... from`."""
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and not any(cause is one for one in seen):
        yield cause
        seen.append(cause)
        cause = cause.__cause__ or (cause.__context__ if implied else None)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to be left alone, at most a day; Retry-After as in RFC 9110 10.2.3, or in
    milliseconds. None where it does not say."""
    with suppress(KeyError, ValueError):
        return _within_a_day(float(headers["retry-after-ms"]) / 1000)
    said = headers.get("retry-after", "")
    with suppress(ValueError):
        return _within_a_day(float(said))
    with suppress(ValueError, TypeError):
        when = parsedate_to_datetime(said)
        return _within_a_day((when - datetime.now(when.tzinfo or UTC)).total_seconds())
    return None


def _within_a_day(wait_s: float) -> float:
    return min(max(0.0, wait_s), _A_DAY_S)
