"""The style sheets of the pages have no rule that styles nothing."""

from __future__ import annotations

import re
from pathlib import Path

import tracegrade.queries.pages

PAGES = Path(tracegrade.queries.pages.__file__).parent
DEPTH = re.compile(r"d\d+")
"""The classes of the rows of the waterfall by their depth, which a template makes of a number."""


def test_every_class_of_a_style_sheet_is_used() -> None:
    sources = [*PAGES.glob("templates/**/*.html"), *PAGES.glob("static/*.js"), *PAGES.glob("**/*.py")]
    used = set(re.findall(r"[\w-]+", " ".join(path.read_text(encoding="utf-8") for path in sources)))
    unused = {
        f"{path.name}: .{name}"
        for path in PAGES.glob("static/*.css")
        for selector in re.findall(r"([^{}]+)\{", path.read_text(encoding="utf-8"))
        for name in re.findall(r"\.([A-Za-z_][\w-]*)", selector)
        if name not in used and not DEPTH.fullmatch(name)
    }
    assert not unused


def test_every_template_is_used() -> None:
    sources = [*PAGES.glob("templates/**/*.html"), *PAGES.glob("**/*.py")]
    text = " ".join(path.read_text(encoding="utf-8") for path in sources)
    names = {path.relative_to(PAGES / "templates").as_posix() for path in PAGES.glob("templates/**/*.html")}
    assert {name for name in names if f'"{name}"' not in text} == set()
