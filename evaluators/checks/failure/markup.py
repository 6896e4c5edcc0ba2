"""Failures that a service reports of itself: a SOAP fault, an error document, an error page, an error as JSON."""

from __future__ import annotations

import re
from typing import Any, Final
from xml.etree import ElementTree as ET

import orjson

from ...model import JsonObject

__all__ = ["error_page", "read_xml", "reports_own_failure", "xml_fault"]

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


_LONGEST_XML: Final = 20_000
_DEEPEST: Final = 12


def read_xml(text: str) -> JsonObject | None:
    """Return an XML document as an object: attributes and elements by name, several of a name as a list.

    Elements around the only one that has content are left out, except those that are named after an error. None if it
    is none, is a page, declares entities, or is long or deep.
    """
    if len(text) > _LONGEST_XML or "<!" in text.replace("<![CDATA[", "") or _PAGE.match(text):
        return None
    try:
        root = ET.fromstring(text)  # noqa: S314 - without declarations, it can expand nothing
    except ET.ParseError:
        return None
    content = _read_element(root, _DEEPEST)
    fields = {_local(root.tag): content}
    while isinstance(content, dict) and len(fields) == 1 and not _IS_FAULT.fullmatch(next(iter(fields))):
        fields = {name: part for name, part in content.items() if part != {} and name.casefold() != "header"}
        content = next(iter(fields.values()), None)
    if any(part == "" for part in fields.values()) and not any(fields.values()):
        return None
    code = _code_in(fields, _DEEPEST)
    return fields if code is None else {"error": code, **fields}


_STATUS: Final = re.compile(r"(?:\w{0,30}status|result)_?(?:cd|code)?|responseclass", re.IGNORECASE)


def _code_in(parts: JsonObject, levels: int) -> str | None:
    """Return the name of an error that is a status at any level, outside of lists, as in ACORD; else None."""
    for name, part in parts.items():
        if isinstance(part, str) and _STATUS.fullmatch(name) and part.endswith(("Error", "Exception", "Fault")):
            return part
        if isinstance(part, dict) and levels and (code := _code_in(part, levels - 1)) is not None:
            return code
    return None


_IS_FAULT: Final = re.compile(r"(?:errors?|err|fault|exception|issue)", re.IGNORECASE)


def _read_element(element: ET.Element, levels: int) -> Any:
    """Return the text of an element that only has a text, or a `value` as in FHIR; else its parts by name."""
    text = (element.text or "").strip()
    attributes = {_local(name): value for name, value in element.attrib.items()}
    if not len(element) and (not attributes or attributes.keys() == {"value"}):
        return attributes.get("value", text)
    parts: dict[str, Any] = {**attributes, **({"text": text} if text else {})}
    for child in element if levels else ():
        name, content = _local(child.tag), _read_element(child, levels - 1)
        if name not in parts:
            parts[name] = content
        elif isinstance(parts[name], list):
            parts[name].append(content)
        else:
            parts[name] = [parts[name], content]
    return parts


def _local(name: object) -> str:
    """Return a name without its namespace; a comment has none."""
    return str(name).rpartition("}")[2]


_ERROR_PAGE: Final = re.compile(
    r"\W{0,5}(?:(?:http |error |status )?[45]\d\d\W{1,3})?(?:internal server error|bad gateway|gateway time-?out"
    r"|service (?:temporarily )?unavailable|too many requests|application error)\W{0,3}"
    r"|\W{0,5}(?:sorry[,.!] )?(?:an? )?(?:unexpected |unknown |internal |server )*error (?:has )?(?:occurred|happened)"
    r"(?: (?:while|when|during) (?:processing|handling|executing|generating|serving|running) [^.\n]{1,60})?[.!]?"
    r"(?:\s*(?:please |you can |try |if |contact |request id|we )[^\n]{0,300})?"
    r"|\W{0,5}(?:the server had an error (?:while )?processing your request|something went wrong|server error"
    r"|unable to process your request|we['\u2019]re sorry, but something went wrong)[.!,]?"
    r"(?:\s*(?:please |you can |try |if |contact |sorry |we )[^\n]{0,300})?",
    re.IGNORECASE,
)
"""Answers that are nothing but the page or sentence by which a server reports its own failure."""
_LONGEST_ERROR: Final = 4_000


def reports_own_failure(text: str) -> bool:
    """Return whether a text is nothing but the page or sentence by which a server reports its own failure, or an error
    of an API as JSON."""
    return _ERROR_PAGE.fullmatch(text) is not None or _is_error_object(text)


def _is_error_object(answer: str) -> bool:
    """Return whether the answer is an error of an API as JSON and nothing else: `{"error": {"message": …}}`."""
    if not answer.startswith("{") or len(answer) > _LONGEST_ERROR:
        return False
    try:
        value = orjson.loads(answer)
    except ValueError:
        return False
    error = value.get("error") if isinstance(value, dict) else None
    others = value.keys() - {"error", "type", "status", "code", "request_id"} if isinstance(value, dict) else {""}
    return isinstance(error, dict) and isinstance(error.get("message"), str) and not others
