"""Pictures of every page in light and dark, from the history of the demo: `poe screenshots`.

They are written to `queries/docs/images`, which README and documentation show. Those of pages that exist no more are
removed.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tracegrade.collector.clock import utc_now
from tracegrade.collector.demo.history import History
from tracegrade.evaluators.text.messages import counted

from .support.browser import Browser, browsing
from .support.crawl import GET_PAGES, crawl
from .support.history import make_history_store
from .support.page_client import serve_history

IMAGES: Final = Path(__file__).parents[1] / "queries" / "docs" / "images"
DAYS: Final = 28
BEGIN: Final = ("/?since=7d", "/runs?since=7d&q=is%3Afailing")
"""Where the links begin: the first link to a page decides what its picture shows."""

MOST_BYTES: Final = 1_750_000
WIDTH, HEIGHT = 1200, 800
_PARAMETER: Final = re.compile(r"\{\w+(:\w+)?\}")


def main() -> int:
    """Makes the pictures; returns the exit code."""
    with TemporaryDirectory() as folder:
        store = make_history_store(History.until(utc_now(), days=DAYS, seed=1), Path(folder) / "history")
        with serve_history(store) as url, browsing() as browser:
            pictures = {IMAGES / name: content for name, content in take_pictures(browser, url)}
    IMAGES.mkdir(exist_ok=True)
    for old in set(IMAGES.glob("*.webp")) - set(pictures):
        old.unlink()
    for path, content in pictures.items():
        path.write_bytes(content)
    size = sum(map(len, pictures.values()))
    print(f"{counted(len(pictures), 'picture')} in {IMAGES}, {size / 1e6:.2f} MB of at most {MOST_BYTES / 1e6:.2f} MB")
    return 0 if size <= MOST_BYTES else 1


def take_pictures(browser: Browser, url: str) -> list[tuple[str, bytes]]:
    """The names and contents of the pictures of all pages that a link leads to."""
    crawled = crawl(url, *BEGIN)
    pictures = []
    for path in GET_PAGES:
        for answer in crawled.of(path)[:1]:
            for scheme in ("light", "dark"):
                browser.open(f"{url}{answer.address}", width=WIDTH, scheme=scheme)
                pictures.append((f"{name_page(path)}-{scheme}.webp", browser.picture(HEIGHT)))
    return pictures


def name_page(path: str) -> str:
    """The name of the picture: `runs` for /runs, `run` for one of them, `overview` for the first page."""
    words = [word for word in _PARAMETER.sub("", path).split("/") if word]
    name = "-".join(words) or "overview"
    return name.removesuffix("s") if path.endswith("}") else name


if __name__ == "__main__":
    sys.exit(main())
