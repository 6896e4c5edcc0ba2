"""OpenInference, the dialect of Arize Phoenix and its instrumentors: every span names its kind.

Source: https://github.com/Arize-ai/openinference/tree/main/spec
"""

from __future__ import annotations

from . import inference
from .base import Dialect

__all__ = ["OPENINFERENCE"]


OPENINFERENCE = Dialect("openinference", inference.read, keys=(inference.KIND,))
