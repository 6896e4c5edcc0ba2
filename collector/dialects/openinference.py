"""OpenInference, the dialect of Arize Phoenix and its instrumentors: every span names its kind.

Source: https://github.com/Arize-ai/openinference/tree/main/spec
"""

from __future__ import annotations

from ..span import Span
from . import inference
from .base import Dialect

__all__ = ["OPENINFERENCE"]


def speaks(span: Span) -> bool:
    return inference.KIND in span.attributes


OPENINFERENCE = Dialect("openinference", speaks, inference.read)
