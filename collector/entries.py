"""The entries of `evaluators:`, and the evaluators that they ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from tracegrade.evaluators.build import WAYS, Spec, WrongSpec, build, name_of
from tracegrade.evaluators.combine import How, WrongMembers, with_members
from tracegrade.evaluators.registry import Configured, Scope
from tracegrade.evaluators.timetable import BadSchedule, next_time

from .duration import Duration
from .yaml_file import BadConfiguration, YamlFile

__all__ = ["DEFAULTS", "Combine", "EvaluatorEntry", "configured"]

DEFAULTS: Final[Mapping[str, bool]] = {
    "tool_call_validity": False,
    "tool_error": False,
    "tool_efficiency": False,
    "tool_name_reliability": False,
    "tool_description_reliability": False,
    "tool_correctness": True,
    "tool_trajectory": True,
}
"""The evaluators of an installation without a file, and whether each only looks at runs with a reference."""

_SOME_TIME: Final = datetime(2000, 1, 1)  # noqa: DTZ001 - only to see whether a schedule can be read


def _words(value: object) -> object:
    if not isinstance(value, str):
        return value
    raise ValueError(f"write it as a list, for no shell reads it: [{value.replace(' ', ', ')}]")


def _weighed(value: object) -> object:
    return dict.fromkeys(value, 1) if isinstance(value, list) and all(isinstance(one, str) for one in value) else value


class Combine(BaseModel):
    """What `combine` says."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    how: How = Field(default="mean", description="mean, product, min or all_pass")
    of: Annotated[dict[str, float], BeforeValidator(_weighed)] = Field(
        min_length=1, description="names of other entries, with or without weights"
    )


class EvaluatorEntry(BaseModel):
    """One entry of `evaluators:`: exactly one of the first five keys, and what all of them may have."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    use: str | None = Field(default=None, description="`defaults`, or the name of an evaluator")
    python: str | None = Field(default=None, description="`module:function`, or an entry point")
    sql: str | None = Field(default=None, description="a query, or the file that holds it")
    command: Annotated[tuple[str, ...], BeforeValidator(_words)] | None = Field(
        default=None, min_length=1, description="a program and its arguments"
    )
    combine: Combine | None = Field(default=None, description="several other entries as one")
    name: str | None = Field(default=None, min_length=1, description="its name in `scores`")
    options: dict[str, Any] | None = Field(default=None, description="its options")
    threshold: float | None = Field(default=None, ge=0, le=1, description="the least value that passes")
    when: str | None = Field(default=None, min_length=1, description="only runs for which this SQL condition holds")
    sample: float | None = Field(default=None, ge=0, le=1, description="the share of the runs that is judged")
    schedule: str | None = Field(default=None, description="when it is at work: cron, or an interval")
    backfill: Duration | None = Field(default=None, description="how far back a new or changed evaluator begins")
    timeout: Annotated[Duration, Field(gt=timedelta(0))] | None = Field(
        default=None, description="the longest that it may take over one run"
    )
    scope: Scope | None = Field(default=None, description="what it judges: trace, tool_call, session or tool")
    include_sub_agents: bool = Field(default=True, description="whether calls that sub-agents made count as the run's")

    @model_validator(mode="after")
    def _says_one_thing(self) -> EvaluatorEntry:
        said = [way for way in WAYS if getattr(self, way) is not None]
        if len(said) != 1:
            surplus = f", not {' and '.join(said)}" if said else ""
            raise ValueError(f"say exactly one of {', '.join(WAYS)}{surplus}")
        return self

    @property
    def spec(self) -> Spec:
        """What `evaluators.build` takes."""
        said = self.model_dump(exclude_none=True, exclude_defaults=True, exclude={"backfill", "timeout"})
        for key, time in (("backfill_s", self.backfill), ("timeout_s", self.timeout)):
            if time is not None:
                said[key] = time.total_seconds()
        if self.combine is not None:
            said["combine"] = self.combine.model_dump()
        return said


class _Faults:
    """What is wrong with the entries, each with its place in the file."""

    def __init__(self, file: YamlFile | None) -> None:
        self._file = file
        self._texts: list[str] = []

    def add(self, text: str, *keys: str | int) -> None:
        place = f"{self._file.place(('evaluators', *keys))}: " if self._file else ""
        self._texts.append(f"{place}evaluators: {text}")

    def tell(self) -> None:
        """Raises BadConfiguration where there is any."""
        if self._texts:
            raise BadConfiguration("\n".join(self._texts))


def configured(entries: Sequence[EvaluatorEntry] | None, file: YamlFile | None = None) -> list[Configured]:
    """The evaluators that a configuration asks for. Raises BadConfiguration, with the line in `file`."""
    faults = _Faults(file)
    named: dict[str, tuple[int, Spec]] = {}
    for index, spec in _specs(entries if entries is not None else (EvaluatorEntry(use="defaults"),), faults):
        try:
            name = name_of(spec)
        except WrongSpec as wrong:
            faults.add(str(wrong), index)
            continue
        if name in named:
            both = [entries[at].use for at in (named[name][0], index)] if entries else []
            faults.add(_clash(name, with_defaults="defaults" in both), index)
        named.setdefault(name, (index, spec))
    specs = {name: spec for name, (_, spec) in named.items()}
    found = [_built(name, specs, index, faults) for name, (index, _) in named.items()]
    faults.tell()
    return [one for one in found if one is not None]


def _clash(name: str, *, with_defaults: bool) -> str:
    if with_defaults:
        return f"`defaults` already holds {name!r}; give yours a `name`, or list what you want instead of `defaults`"
    return f"two are called {name!r}; give one of them a `name`"


def _specs(entries: Sequence[EvaluatorEntry], faults: _Faults) -> Iterator[tuple[int, Spec]]:
    """Each evaluator, with the entry that asks for it."""
    for index, entry in enumerate(entries):
        if entry.use != "defaults":
            yield index, entry.spec
        elif entry.model_fields_set != {"use"}:
            faults.add("`use: defaults` stands alone; name an evaluator to give it options", index)
        else:
            yield from ((index, {"use": use, "only_with_reference": only}) for use, only in DEFAULTS.items())


def _built(name: str, specs: Mapping[str, Spec], index: int, faults: _Faults) -> Configured | None:
    try:
        if schedule := specs[name].get("schedule"):
            next_time(schedule, _SOME_TIME)
        return build(with_members(name, specs[name], specs))
    except BadSchedule as error:
        faults.add(str(error), index, "schedule")
    except WrongMembers as error:
        faults.add(str(error), index, "combine", "of", error.member)
    except WrongSpec as error:
        for keys, text in error.faults:
            faults.add(text, index, *keys)
    return None
