"""Errors that are answered with a page: what happened, and what to do."""

from __future__ import annotations

__all__ = ["PageError", "as_sentence"]


def as_sentence(error: Exception) -> str:
    """Return the message of an error as a sentence."""
    text = str(error).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."


class PageError(Exception):
    """A page that cannot be shown. `title` says what happened, `advice` what to do; `link` leads on, under its text."""

    def __init__(
        self,
        status: int,
        title: str,
        advice: str,
        *,
        link: tuple[str, str] | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(f"{title}. {advice}")
        self.status = status
        self.title = title
        self.advice = advice
        self.link = link
        self.retry_after_s = retry_after_s
