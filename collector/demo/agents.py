"""The agents of the history: what each is asked, which recordings show it, and how its framework names sessions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["AGENTS", "FAULTY_AGENT", "FAULTY_TOOL", "FAULTY_VERSION", "REFUSED", "WEATHER", "Agent", "Turn", "Visit"]

FAULTY_AGENT: Final = "travel_agent"
FAULTY_VERSION: Final = "1.4.0"
FAULTY_TOOL: Final = "get_weather"


@dataclass(frozen=True, slots=True)
class Turn:
    """One run: the recording that shows it, the texts that differ from it, and whether people think it is good."""

    recording: str
    texts: tuple[tuple[str, str], ...] = ()
    is_good: bool = True


Visit = tuple[Turn, ...]
"""The turns of a user with an agent, one after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent. `share` is its part of all visits, `visits` has the part of each kind among its own.

    `session_keys` are the attributes in which its framework writes session and user; `recorded_names` are the names
    that are replaced in its recordings. Of its runs, `other_model_share` use `other_model`: (recorded model, other).
    """

    name: str
    version: str
    share: float
    visits: Mapping[Visit, float]
    recorded_names: tuple[str, ...] = ("travel_agent",)
    session_keys: tuple[str, ...] = ()
    other_model: tuple[str, str] | None = None
    other_model_share: float = 0.0


_ANSWER = "Weather is unavailable right now and I found no notes about visas."
_OUTPUT = '{"error": "weather service quota exceeded", "code": 429}'
_MILD: Final = (
    (_OUTPUT, '{"degrees_c": 18, "sky": "clear"}'),
    (_ANSWER, "It is clear and 18 degrees in Paris, and I found no notes about visas."),
)

WEATHER: Final[Visit] = (Turn("langgraph-weather-refused", _MILD),)
REFUSED: Final[Visit] = (Turn("langgraph-weather-refused", is_good=False),)
"""What `WEATHER` becomes when the tool fails: as it was recorded."""

_FLIGHTS: Final = Turn("vercel-ai-sdk-turn-flights")
_HOTEL: Final = Turn("vercel-ai-sdk-turn-hotel")
_ASKED: Final = "Great. Now book a hotel in Paris for 5 nights"
_CORRECTION: Final = "No, I meant the centre of the city: book a hotel in Paris for 5 nights"
_CORRECTED: Final = Turn("vercel-ai-sdk-turn-hotel", ((_ASKED, _CORRECTION),))

_TRAVEL: Final = Agent(
    name=FAULTY_AGENT,
    version="1.3.0",
    share=45,
    visits={
        (Turn("langgraph-trip"),): 54,
        WEATHER: 34,
        REFUSED: 1,
        (Turn("langgraph-malformed-arguments", is_good=False),): 4,
        (Turn("langgraph-loop"),): 4,
        (Turn("langgraph-crash", is_good=False),): 3,
    },
    session_keys=("session.id", "user.id"),
)
_SUPPORT: Final = Agent(
    name="support_agent",
    version="5.1.0",
    share=22,
    visits={
        (_FLIGHTS, _HOTEL): 30,
        (_FLIGHTS, _FLIGHTS, _HOTEL): 6,
        (_FLIGHTS, _HOTEL, _CORRECTED): 6,
        (Turn("vercel-ai-sdk-streamed"),): 30,
        (Turn("vercel-ai-sdk-parallel"),): 16,
        (Turn("vercel-ai-sdk-retry"),): 8,
        (Turn("vercel-ai-sdk-bad-arguments", is_good=False),): 4,
    },
    session_keys=("ai.telemetry.metadata.sessionId", "ai.telemetry.metadata.userId"),
)
_RESEARCH: Final = Agent(
    name="research_agent",
    version="0.9.2",
    share=16,
    visits={
        (Turn("crewai-trip"),): 86,
        (Turn("crewai-loop"),): 9,
        (Turn("crewai-bad-arguments", is_good=False),): 5,
    },
    other_model=("gpt-4.1-mini", "gpt-4.1"),
    other_model_share=0.2,
)
_CONCIERGE: Final = Agent(
    name="concierge",
    version="2.0.1",
    share=11,
    visits={
        (Turn("google-adk-handoff"),): 50,
        (Turn("google-adk-trip"),): 42,
        (Turn("google-adk-retry"),): 8,
    },
    recorded_names=("travel_agent", "triage_agent"),
    session_keys=("gen_ai.conversation.id", "user.id"),
    other_model=("gemini-2.5-flash", "gemini-2.5-pro"),
    other_model_share=0.25,
)
_BOOKING: Final = Agent(
    name="booking_desk", version="1.1.0", share=6, visits={(Turn("agent-framework-no-content"),): 1}
)

AGENTS: Final = (_TRAVEL, _SUPPORT, _RESEARCH, _CONCIERGE, _BOOKING)
