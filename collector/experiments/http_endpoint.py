"""Asks an agent behind an HTTP endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tracegrade.evaluators.model import AgentTrace, JsonObject
from tracegrade.evaluators.text.messages import shortened

from .http_answer import read_answer
from .http_request import fill, fill_url

if TYPE_CHECKING:
    import httpx

__all__ = ["Endpoint"]

_LONGEST: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where and how the agent is asked, and the path of its answer in the response."""

    url: str
    method: str
    headers: Mapping[str, str]
    body: Any
    answer: str | None

    @property
    def name(self) -> str:
        """Scheme, host and path of the URL, without what may be secret in it."""
        scheme, _, rest = self.url.partition("://")
        host, slash, path = rest.partition("?")[0].partition("/")
        return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"

    async def send(self, client: httpx.AsyncClient, given: str | JsonObject, *, traceparent: str) -> httpx.Response:
        """Return the response to an input. Raises RuntimeError, which says in one line why there is none."""
        import httpx  # noqa: PLC0415 - of the extra

        url = fill_url(self.url, given)
        try:
            request = client.build_request(self.method, url, headers=self.headers, **self._content(given))
            request.headers["traceparent"] = traceparent
            return await client.send(request)
        except httpx.TimeoutException as error:
            raise RuntimeError(f"{_name(url)} did not answer in time ({type(error).__name__})") from error
        except httpx.ConnectError as error:
            raise RuntimeError(f"no connection to {_name(url)}: {_in_one_line(str(error))}") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise RuntimeError(f"{_name(url)}: {type(error).__name__}: {_in_one_line(str(error))}") from error

    def read(self, response: httpx.Response, given: str | JsonObject) -> AgentTrace | str:
        """Return the answer in a response to this input. Raises RuntimeError for a failure, ValueError without one."""
        if response.is_error:
            status = f"{response.status_code} {response.reason_phrase}".strip()
            text = _in_one_line(response.text)
            raise RuntimeError(f"the endpoint answered {status}{text and f': {text}'}")
        content = fill(self.body, given)
        asked = content.get("messages") if isinstance(content, Mapping) else None
        return read_answer(response.text, path=self.answer, asked=asked if isinstance(asked, list) else ())

    def _content(self, given: str | JsonObject) -> dict[str, Any]:
        if self.body is None and self.method.upper() in {"GET", "HEAD"}:
            return {}
        content = fill(self.body, given)
        return {"content": content} if isinstance(content, str) else {"json": content}


def _name(url: str) -> str:
    """Return host and port of a URL, without what may be secret in it."""
    return url.partition("://")[2].partition("/")[0].partition("?")[0].rpartition("@")[2]


def _in_one_line(text: str) -> str:
    return shortened(" ".join(text.split()), _LONGEST)
