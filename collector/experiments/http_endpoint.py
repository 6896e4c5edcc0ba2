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
_MOST_BYTES: Final = 16 * 2**20
_MOST_REDIRECTS: Final = 10


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
            request.headers.update({"traceparent": traceparent, "accept-encoding": "identity"})
            return await _send_within_origin(client, request)
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


async def _send_within_origin(client: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
    """Return the response, after redirects to the same origin. Raises RuntimeError for one that leads elsewhere.

    Nothing is sent elsewhere: neither the headers, which may hold keys, nor the input.
    """
    origin = _origin(request.url)
    for _ in range(_MOST_REDIRECTS + 1):
        response = await client.send(request, stream=True)
        try:
            if response.next_request is None:
                return await _read_bounded(response)
            request = response.next_request
        finally:
            await response.aclose()
        if _origin(request.url) != origin:
            raise RuntimeError(
                f"{_name(str(response.url))} redirects to {_name(str(request.url))}, another origin, to which nothing "
                "is sent; write that URL if the agent is there"
            )
    raise RuntimeError(f"{_name(str(request.url))} redirects more than {_MOST_REDIRECTS} times")


async def _read_bounded(response: httpx.Response) -> httpx.Response:
    """Return the response with its body. Raises RuntimeError if that is too large, or encoded although not asked for.

    An encoded body may grow to a thousand times its size, and httpx decodes each piece as a whole.
    """
    import httpx  # noqa: PLC0415 - of the extra

    if (encoding := response.headers.get("content-encoding", "identity")).lower() != "identity":
        raise RuntimeError(f"the endpoint answered with the encoding {_in_one_line(encoding)}, which was not asked for")
    body = bytearray()
    async for piece in response.aiter_raw():
        body += piece
        if len(body) > _MOST_BYTES:
            raise RuntimeError(f"the endpoint answered more than {_MOST_BYTES // 2**20} MiB")
    return httpx.Response(response.status_code, headers=response.headers, content=bytes(body), request=response.request)


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    """Return scheme, host and port, by https://www.rfc-editor.org/rfc/rfc6454#section-4."""
    return url.scheme, url.host, url.port or {"http": 80, "https": 443}.get(url.scheme)


def _name(url: str) -> str:
    """Return host and port of a URL, without what may be secret in it."""
    return url.partition("://")[2].partition("/")[0].partition("?")[0].rpartition("@")[2]


def _in_one_line(text: str) -> str:
    return shortened(" ".join(text.split()), _LONGEST)
