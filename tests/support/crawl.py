"""Follows the links of all pages, a few of each kind, so that a new page is tried as soon as something links to it."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Final
from urllib.parse import parse_qsl, urljoin, urlsplit

import httpx
from starlette.routing import compile_path

from tracegrade.queries.pages.page import Page
from tracegrade.queries.pages.routes import PAGES
from tracegrade.queries.pages.selection import Selection

__all__ = ["GET_PAGES", "Answer", "Crawl", "crawl"]

_STREAMS: Final = ("/live",)
GET_PAGES: Final = {
    page.path: page
    for page in PAGES
    if page.method == "GET" and ":page}" not in page.path and page.path not in _STREAMS
}
"""The pages that are read, by the form of their path, without the one for unknown paths and streams of events."""

_MOST_OF_A_KIND: Final = 2
_CHOSEN: Final = frozenset(Selection.parameters())
"""Parameters that all pages have, in many combinations."""

_PATTERNS: Final = [(compile_path(page.path)[0], page) for page in GET_PAGES.values()]


@dataclass(frozen=True)
class Answer:
    """What the server has answered to a link, which was found at `source`. The text is that of HTML."""

    address: str
    source: str
    status: int
    headers: httpx.Headers
    page: Page | None
    text: str | None


@dataclass(frozen=True)
class Crawl:
    """The answers to the links of a server."""

    answers: list[Answer]

    def of(self, path: str) -> list[Answer]:
        """The HTML of the page with a path of this form."""
        return [each for each in self.answers if each.page is GET_PAGES[path] and each.text is not None]


def crawl(url: str, *begin: str) -> Crawl:
    """Follows the links of a server from `begin`, at most two with the same page and the same parameters."""
    once = httpx.Limits(max_keepalive_connections=0)  # the server ends a connection on which it has made an error
    with httpx.Client(base_url=url, trust_env=False, timeout=30, follow_redirects=True, limits=once) as client:
        return Crawl(_follow(client, *begin))


def _follow(client: httpx.Client, *begin: str) -> list[Answer]:
    waiting = deque((address, "the beginning") for address in begin)
    seen, kinds, answers = set(begin), Counter[object](), list[Answer]()
    while waiting:
        address, source = waiting.popleft()
        kind = _kind_of(address)
        if kinds[kind] < _MOST_OF_A_KIND:
            kinds[kind] += 1
            answer = _ask(client, address, source)
            answers.append(answer)
            links = dict.fromkeys(_find_links(answer))
            waiting.extend((link, address) for link in links if link not in seen)
            seen.update(links)
    return answers


def _ask(client: httpx.Client, address: str, source: str) -> Answer:
    with client.stream("GET", address) as response:
        is_html = response.headers.get("content-type", "").startswith("text/html")
        text = response.read().decode() if is_html else None
        return Answer(address, source, response.status_code, response.headers, _page_of(address), text)


def _find_links(answer: Answer) -> list[str]:
    """The links to this server, without their fragments; `#main` and links to others are left out."""
    reader = _Reader()
    reader.feed(answer.text or "")
    links = [urljoin(answer.address, href.partition("#")[0]) for href in reader.links if not href.startswith("#")]
    return [link for link in links if link.startswith("/") and not link.startswith("//")]


def _page_of(address: str) -> Page | None:
    path = urlsplit(address).path
    return next((page for pattern, page in _PATTERNS if pattern.match(path)), None)


def _kind_of(address: str) -> object:
    page, parts = _page_of(address), urlsplit(address)
    segments = parts.path.split("/")
    form = (*segments[: 4 if segments[1] == "api" else 2], len(segments)) if page is None else (page.path,)
    if page is not None and page.parameters is None:  # those of a statement
        return form
    return (*form, *sorted({name for name, _ in parse_qsl(parts.query)} - _CHOSEN))


class _Reader(HTMLParser):
    """Collects the addresses of links."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a" and (href := dict(attrs).get("href")):
            self.links.append(href)
