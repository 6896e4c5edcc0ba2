"""The reasons why a judge gave no answer, classified by who has to act and when a retry makes sense.

Failure
├── Refused         the question is at fault (400, 413, 422): a retry cannot help
├── Endless         an answer that is too large, or never ends
├── Busy            the server is busy: too many requests or tokens (429, or 503 with Retry-After)
├── Unreachable     the server or the network fails: 408, 409, 425, 5xx, no connection
│   ├── Late        no answer in time: tried twice, not five times
│   │   └── Unended     an answer that began and did not end in time: final at the third time for a question
│   └── Strange     an answer that is not a chat completion: tried twice; if it may have cost something, as Unended
└── Misconfigured   the setup is wrong: a wrong key, an unknown model or host, no credit
    └── Unready     no key, package, function or HTTP client, too many hanging calls: nothing was sent, nothing recorded

Refused and Endless are final. After any other failure the question is deferred, by Waits.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

from ...ports import DeferralKind
from .judge import Judge, JudgeWithKey

if TYPE_CHECKING:
    from .reply import Reply

__all__ = [
    "Busy",
    "Endless",
    "ErrorResponse",
    "Failure",
    "Late",
    "Misconfigured",
    "Refused",
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
_NO_SUPPORT: Final = re.compile(r"\bparameters?\b|\bendpoints?\b.*\bsupport", re.IGNORECASE)
_AT_FAULT_FOR_NOW: Final = frozenset({408, 409, 425})


class Failure(Exception):
    """Base of the failures of a call; the message does not name the judge. `posts` is how many requests were made,
    `response` the error response of the server, if any, `took` the tokens that may be charged anyway."""

    posts = 1
    response: ErrorResponse | None = None
    took: Reply | None = None


class Refused(Failure):
    pass


class Endless(Failure):
    pass


class Busy(Failure):
    """`retry_after_s` is the pause that the server asks for, None if it asks for none."""

    def __init__(self, why: str, *, retry_after_s: float | None) -> None:
        super().__init__(why)
        self.retry_after_s = retry_after_s


class Unreachable(Failure):
    pass


class Late(Unreachable):
    """There was no answer in time. Since it took long, it is retried less often."""


class Unended(Late):
    """An answer began, even if only with headers and blanks, and did not end in time."""


class Strange(Unreachable):
    pass


class Misconfigured(Failure):
    pass


class Unready(Misconfigured):
    """Nothing was sent."""


class Waits(Exception):
    """A question cannot be asked before `until` (UTC), for `reason`. `tried` is the failure if it was asked."""

    def __init__(self, until: datetime, reason: str, *, kind: DeferralKind, tried: Failure | None = None) -> None:
        super().__init__(reason)
        self.until = until
        self.reason = reason
        self.kind = kind
        self.tried = tried


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorResponse:
    """The error response of a server. No message repeats its `secrets`. `fields` are the fields of the request that it
    names beside its message."""

    status: int
    message: str
    fields: str = ""
    code: str | None = None
    headers: Mapping[str, str]
    secrets: Sequence[str] = ()

    def __str__(self) -> str:
        return f"{self.status}: {brief(self.secrets, self.message)}"

    @property
    def is_about_support(self) -> bool:
        """Whether a gateway has no server of the model that supports every field of the request.

        OpenRouter then answers 404 with an error object.
        """
        return self.status == 404 and bool(self.code) and _NO_SUPPORT.search(self.message) is not None


def fields_in(error: Mapping[str, Any]) -> str:
    """Return the fields of the request that an error names: OpenAI in `param`, FastAPI in `loc`."""
    detail = error.get("detail")
    places = [item.get("loc") for item in detail if isinstance(item, dict)] if isinstance(detail, list) else []
    steps = [step for place in places if isinstance(place, list) for step in place]
    return " ".join(item for item in (error.get("param"), *steps) if isinstance(item, str))


def brief(secrets: Iterable[str], text: str) -> str:
    """Return the text on one line, without the secrets, cut to 300 characters."""
    return without(secrets, " ".join(text.split()))[:_MOST_CHARACTERS] or "no message"


def without(secrets: Iterable[str], text: str) -> str:
    """Return the text with each secret replaced by `***`."""
    for secret in sorted(secrets, key=len, reverse=True):  # one may contain another
        text = text.replace(secret, "***")
    return text


def of_status(judge: Judge, response: ErrorResponse) -> Failure:
    """Return the Failure of an error response; its message says who must do what."""
    failure = _classify(judge, response)
    failure.response = response
    return failure


def _classify(judge: Judge, response: ErrorResponse) -> Failure:
    if response.code in _NO_CREDIT or response.status == 402:
        return Misconfigured(f"the account has no credit left ({response}); add some where the model is paid for")
    pause_s = retry_after_s(response.headers)
    if response.status == 429 or (response.status == 503 and pause_s is not None):
        return Busy(str(response), retry_after_s=pause_s)
    if response.status in _AT_FAULT_FOR_NOW or response.status >= 500:
        return Unreachable(f"{judge.address or judge.model} answers {response}")
    return _of_setting(judge, response) or Refused(f"the server refuses the question ({response})")


def _of_setting(judge: Judge, response: ErrorResponse) -> Misconfigured | None:
    if response.status in {401, 403}:
        where = judge.address or judge.model
        if judge.login is not None:
            return Misconfigured(
                f"{where} does not let us in ({response}); correct the user and password in `base_url`"
            )
        return Misconfigured(f"{where} does not accept the key ({response}); {_advice_on_key(judge)}")
    if response.code == "model_not_found" or (response.status in {400, 404} and _NO_MODEL.search(response.message)):
        return Misconfigured(f"there is no model {judge.model!r} ({response}); correct `model`")
    if response.is_about_support:
        return Misconfigured(
            f"no server of {judge.model} supports such requests ({response}); correct `model` or `parameters`"
        )
    if response.status in {404, 405} or 300 <= response.status < 400:
        return Misconfigured(
            f"{judge.address or judge.model} does not serve chat completions ({response}); correct `base_url`"
        )
    return None


def _advice_on_key(judge: Judge) -> str:
    if isinstance(judge, JudgeWithKey):
        return "give a valid one"
    return f"put a valid one into {judge.api_key_env}" if judge.names_key else "name its variable in api_key_env"


def of_connection(
    judge: Judge, error: BaseException, *, proxy: str | None = None, secrets: Iterable[str] = ()
) -> Failure:
    """Return the Failure of a failed connection, whose message contains none of the `secrets`.

    `proxy` is the environment variable of the proxy, None for a direct connection.
    """
    where = judge.address or judge.model
    at, setting = (where, "`base_url`") if proxy is None else (f"the proxy of {proxy}", proxy)
    if any(isinstance(cause, socket.gaierror) for cause in causes(error)):
        return Misconfigured(f"the host of {at} cannot be found; correct {setting}, or this machine's network")
    deepest = list(causes(error))[-1]
    why = str(deepest).rstrip(".") or type(deepest).__name__
    through = "" if proxy is None else f" through {at}"
    return Unreachable(f"{where}{through}: {without(secrets, why)}")


def causes(error: BaseException, *, implied: bool = True) -> Iterator[BaseException]:
    """Yield the error and its chain of causes, each once. Unless `implied`, only causes given by `raise ... from`."""
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and not any(cause is earlier for earlier in seen):
        yield cause
        seen.append(cause)
        cause = cause.__cause__ or (cause.__context__ if implied else None)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the pause in seconds that a response asks for, at most a day; None if it asks for none.

    The headers are Retry-After (RFC 9110 10.2.3) and retry-after-ms.
    """
    with suppress(KeyError, ValueError):
        return _within_a_day(float(headers["retry-after-ms"]) / 1000)
    header = headers.get("retry-after", "")
    with suppress(ValueError):
        return _within_a_day(float(header))
    with suppress(ValueError, TypeError):
        when = parsedate_to_datetime(header)
        return _within_a_day((when - datetime.now(when.tzinfo or UTC)).total_seconds())
    return None


def _within_a_day(wait_s: float) -> float:
    return min(max(0.0, wait_s), _A_DAY_S)
