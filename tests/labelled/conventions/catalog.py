"""The conventions that a story can be written in, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..export import Convention
from .genai import GenAI
from .genai_events import GenAIEvents
from .openinference import OpenInference
from .openllmetry import OpenLLMetry
from .pydantic_ai import PydanticAI
from .vercel_ai import VercelAI

__all__ = ["CONVENTIONS"]

CONVENTIONS: Final[Mapping[str, Convention]] = {
    "genai": GenAI(),
    "genai_events": GenAIEvents(),
    "openinference": OpenInference(),
    "openllmetry": OpenLLMetry(),
    "pydantic_ai": PydanticAI(),
    "vercel_ai": VercelAI(),
}
