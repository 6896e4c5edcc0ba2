"""Failures that a service reports as XML or HTML: a SOAP fault, an error document, an error page."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["error_page", "xml_fault"]

_MOST: Final = 8_000
_MOST_OF_PAGE: Final = 700

_PREFIX: Final = r"(?:[\w.-]{1,40}:)?"
_PROLOGUE: Final = r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,300}-->\s*)?"
_FAULT: Final = re.compile(
    rf"{_PROLOGUE}<{_PREFIX}(?:Error|Errors|ErrorResponse|Fault|ExceptionReport|ServiceExceptionReport)"
    r"(?:\s[^>]{0,1000})?(?<!/)>\s*(?!</)\S",
    re.IGNORECASE,
)
_ENVELOPE: Final = re.compile(rf"{_PROLOGUE}<{_PREFIX}Envelope\b")
_BODY: Final = re.compile(rf"<{_PREFIX}Body\b[^>]{{0,300}}>\s*<{_PREFIX}Fault\b")
_CODE: Final = re.compile(
    rf"<{_PREFIX}(?:faultcode|code|value)\b[^>]{{0,100}}>\s*([\w.:-]{{1,60}})\s*<"
    r"|\b(?:exceptionCode|code)=[\"']([\w.:-]{1,60})[\"']",
    re.IGNORECASE,
)
_PAGE: Final = re.compile(r"\s*<(?:!doctype html|html|head|body|title|h1|center)\b", re.IGNORECASE)
_HEADLINE: Final = re.compile(
    r"""<(title|h1)\b[^>]{0,100}>\s*(?:http\s+)?(?:error\s*:?\s*)?(?:status\s+)?(?:
        ([45]\d\d)(?:\s*[:(-]?\s*[a-z']{1,20}(?:[ -][a-z']{1,20}){0,6}\)?!{0,2}1?)?
      | (?:bad\ request|unauthori[sz]ed|forbidden|access\ denied|(?:page\ )?not\ found|method\ not\ allowed
        |too\ many\ requests|internal\ server\ error|bad\ gateway|service\ (?:temporarily\ )?unavailable
        |gateway\ time-?out|server\ error|application\ error)
    )[.!]?\s*</\1>""",
    re.IGNORECASE | re.VERBOSE,
)
_INVISIBLE: Final = re.compile(r"<(style|script)\b[^>]{0,300}>[^<]{0,8000}</\1>|<[^>]{1,1000}>", re.IGNORECASE)


def xml_fault(text: str) -> str | None:
    """Return the code of the fault in an XML document; "" if it has no code; None if the text is not a fault."""
    text = text[:_MOST]
    if not (_FAULT.match(text) or (_ENVELOPE.match(text) and _BODY.search(text))):
        return None
    code = _CODE.search(text)
    return next(filter(None, code.groups())).rpartition(":")[2] if code else ""


def error_page(text: str) -> str | None:
    """Return the status of an HTML error page; "" if it has no status; None if the text is not an error page."""
    if not _PAGE.match(text) or len(text) > _MOST:
        return None
    headline = _HEADLINE.search(text)
    if headline is None or len(" ".join(_INVISIBLE.sub(" ", text).split())) > _MOST_OF_PAGE:
        return None
    return f"HTTP {headline[2]}" if headline[2] else ""
