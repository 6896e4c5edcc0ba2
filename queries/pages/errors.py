"""Errors that are answered with a page: what happened, and what to do."""

from __future__ import annotations

__all__ = ["PageError"]


class PageError(Exception):
    """A page that cannot be shown. `title` says what happened, `advice` what to do; `link` leads on, under its text."""

    def __init__(self, status: int, title: str, advice: str, *, link: tuple[str, str] | None = None) -> None:
        super().__init__(f"{title}. {advice}")
        self.status = status
        self.title = title
        self.advice = advice
        self.link = link
