"""Plans the runs of a history: who asks which agent what, and when, from a random generator with a seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Final

from .agents import AGENTS, FAULTY_AGENT, FAULTY_TOOL, FAULTY_VERSION, REFUSED, WEATHER, Agent, Turn, Visit

__all__ = ["Milestones", "PlannedRun", "plan_runs"]

_VISITS_PER_DAY: Final = 50
_QUIET_DAYS: Final = {2, 3}
_QUIET_SHARE: Final = 0.55
_BUSIEST: Final = timedelta(hours=4.5)
_SPREAD_HOURS: Final = 4.5
_LAST: Final = timedelta(minutes=10)
_NEW_VERSION_SHARE: Final = 0.7
_STAGING_SHARE: Final = 0.15
_REFUSED_SHARE: Final = 0.55
_USERS, _TESTERS = 60, 3
_PLACES: Final = (
    ("Paris", "CDG", "PAR"),
    ("Rome", "FCO", "ROM"),
    ("Oslo", "OSL", "OSL"),
    ("Lisbon", "LIS", "LIS"),
    ("Vienna", "VIE", "VIE"),
    ("Madrid", "MAD", "MAD"),
    ("Tokyo", "HND", "TYO"),
)
_ORIGINS: Final = ("JFK", "SFO", "ORD", "BOS")
_TOPICS: Final = ("visa", "train", "museum", "ferry")


@dataclass(frozen=True, slots=True)
class Milestones:
    """How long before the end the new version was released, and how long before it the fault began."""

    released: timedelta
    fault: timedelta

    @classmethod
    def of(cls, days: int) -> Milestones:
        """Return the milestones of a history of that many days."""
        return cls(timedelta(days=days // 3), timedelta(days=days * 5 // 28, hours=2))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRun:
    """One run of the history, which begins `before_end`."""

    before_end: timedelta
    agent: Agent
    turn: Turn
    version: str
    environment: str
    session_id: str
    user_id: str
    texts: Mapping[str, str]
    stretch: float
    token_factor: float
    slower_s: float

    @property
    def slow_tool(self) -> str | None:
        return FAULTY_TOOL if self.slower_s else None


def plan_runs(days: int, seed: int) -> list[PlannedRun]:
    """Plan the runs of these days, by time. The same seed gives the same runs, whatever the date is."""
    random = Random(f"history of {days} days, {seed}")  # noqa: S311 - nobody has to be unable to guess it
    milestones = Milestones.of(days)
    runs: list[PlannedRun] = []
    for number, before_end in enumerate(_draw_visits(random, days)):
        runs.extend(_plan_visit(random, milestones, number, before_end))
    return sorted(runs, key=lambda run: run.before_end, reverse=True)


def _draw_visits(random: Random, days: int) -> Iterator[timedelta]:
    """Yield how long before the end each visit begins: most in the busy hours, fewer on two days of seven."""
    for day in range(days):
        share = _QUIET_SHARE if day % 7 in _QUIET_DAYS else 1.0
        for _ in range(round(_VISITS_PER_DAY * share * random.uniform(0.85, 1.15))):
            of_day = (_BUSIEST + timedelta(hours=random.gauss(0, _SPREAD_HOURS))) % timedelta(days=1)
            yield timedelta(days=day) + max(of_day, _LAST)


def _plan_visit(random: Random, milestones: Milestones, number: int, before_end: timedelta) -> Iterator[PlannedRun]:
    (agent,) = random.choices(AGENTS, [agent.share for agent in AGENTS])
    is_staging = random.random() < _STAGING_SHARE
    version = _choose_version(random, agent, milestones, before_end)
    visit = _choose_visit(random, agent)
    is_faulty = version == FAULTY_VERSION and before_end < milestones.fault and visit == WEATHER
    if is_faulty and random.random() < _REFUSED_SHARE:
        visit = REFUSED
    texts = _choose_texts(random, agent)
    user = f"tester-{random.randint(1, _TESTERS)}" if is_staging else f"user-{random.randint(1, _USERS):03}"
    for turn in visit:
        yield PlannedRun(
            before_end=before_end,
            agent=agent,
            turn=turn,
            version=version,
            environment="staging" if is_staging else "production",
            session_id=f"session-{number:05}",
            user_id=user,
            texts=texts,
            stretch=8 * random.lognormvariate(0, 0.35),
            token_factor=8 * random.lognormvariate(0, 0.3),
            slower_s=random.uniform(4, 12) if is_faulty else 0.0,
        )
        before_end -= timedelta(seconds=random.uniform(45, 150))


def _choose_version(random: Random, agent: Agent, milestones: Milestones, before_end: timedelta) -> str:
    is_released = agent.name == FAULTY_AGENT and before_end < milestones.released
    return FAULTY_VERSION if is_released and random.random() < _NEW_VERSION_SHARE else agent.version


def _choose_visit(random: Random, agent: Agent) -> Visit:
    (visit,) = random.choices(list(agent.visits), list(agent.visits.values()))
    return visit


def _choose_texts(random: Random, agent: Agent) -> Mapping[str, str]:
    """Choose what differs from the texts of the recordings: the place, the topic, an order, and sometimes the model."""
    city, airport, code = random.choice(_PLACES)
    texts = {
        **dict.fromkeys(agent.recorded_names, agent.name),
        "Paris": city,
        "CDG": airport,
        "HTL-PAR": f"HTL-{code}",
        "JFK": random.choice(_ORIGINS),
        "visa": random.choice(_TOPICS),
        "(503)": f"(503) for order {random.randint(10_000, 99_999)}",
        "HTTP 503": f"HTTP 503 for order {random.randint(10_000, 99_999)}",
    }
    if agent.other_model is not None and random.random() < agent.other_model_share:
        recorded, other = agent.other_model
        texts[recorded] = other
    return texts
