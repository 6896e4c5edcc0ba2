"""The entries of `evaluators:` and `judges:`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    StrictBool,
    TypeAdapter,
    field_validator,
    model_validator,
)

from tracegrade.evaluators.catalog.build import WAYS
from tracegrade.evaluators.catalog.specification import Share, Spec, misplaced_option
from tracegrade.evaluators.custom.combine import How
from tracegrade.evaluators.definition.function_path import NoSuchFunction, import_function
from tracegrade.evaluators.definition.imports import NotImported
from tracegrade.evaluators.definition.registry import Scope
from tracegrade.evaluators.judges.exchange.judge import Judge

from .duration import Duration, TimeLimit
from .field_types import Name

__all__ = ["DEFAULTS", "KINDS_OF_ENTRIES", "Combine", "EvaluatorEntry", "JudgeEntry", "advise"]

DEFAULTS: Final[Mapping[str, bool]] = {
    "run_completion": False,
    "tool_call_validity": False,
    "tool_error": False,
    "tool_efficiency": False,
    "tool_name_reliability": False,
    "tool_description_reliability": False,
    "tool_correctness": True,
    "tool_trajectory": True,
}
"""The evaluators that run without a configuration, and whether each needs a reference."""

KINDS_OF_ENTRIES: Final = (*WAYS, "rubric")
"""The keys of which an entry has exactly one."""


def _refuse_command_line(value: object) -> object:
    if not isinstance(value, str):
        return value
    raise ValueError(f"write it as a list, since it is not run through a shell: [{value.replace(' ', ', ')}]")


def _refuse_text(value: object) -> object:
    if not isinstance(value, str):
        return value
    raise ValueError(f"write it as a list: [{value}]")


def _add_weights(value: object) -> object:
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return dict.fromkeys(value, 1)
    return value


class Combine(BaseModel):
    """The value of `combine`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    how: How = Field(default="mean", description="mean, product, min or all_pass")
    of: Annotated[dict[str, Annotated[float, Strict()]], BeforeValidator(_add_weights)] = Field(
        min_length=1, description="names of other entries, with or without weights"
    )


class EvaluatorEntry(BaseModel):
    """One entry of `evaluators:`: exactly one of the first six keys, and any of the others."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    use: str | None = Field(default=None, description="`defaults`, or the name of an evaluator")
    python: str | None = Field(default=None, description="`module:function`, `file.py:function`, or an entry point")
    sql: str | None = Field(default=None, description="a query, or the file that contains it")
    command: Annotated[tuple[str, ...], BeforeValidator(_refuse_command_line)] | None = Field(
        default=None, min_length=1, description="a program and its arguments"
    )
    combine: Combine | None = Field(default=None, description="several other entries as one")
    rubric: Path | None = Field(default=None, description="a file with a rubric for a judge")
    name: Name | None = Field(default=None, description="the name of its scores")
    options: dict[str, Any] | None = Field(default=None, description="options of the evaluator")
    threshold: Share | None = Field(default=None, description="the least value that passes")
    when: str | None = Field(default=None, min_length=1, description="SQL condition on the runs that are evaluated")
    sample: Share | None = Field(default=None, description="share of the runs that is evaluated")
    after: Annotated[tuple[str, ...], BeforeValidator(_refuse_text)] | None = Field(
        default=None, description="names of other entries that evaluate a run first; `when` may use their `scores`"
    )
    else_sample: Share | None = Field(
        default=None, description="share of the runs that `when` does not select which is evaluated all the same"
    )
    schedule: str | None = Field(default=None, description="when it runs: cron, or an interval")
    backfill: Duration | None = Field(default=None, description="how far back a new or changed evaluator begins")
    timeout: TimeLimit | None = Field(default=None, description="time limit per run")
    judge: str | None = Field(default=None, min_length=1, description="name of the judge that it asks")
    usd_per_day: float | None = Field(default=None, ge=0, description="most US dollars for its judge per day")
    tokens_per_day: int | None = Field(
        default=None, ge=0, description="most tokens for its judge per day, input and output"
    )
    scope: Scope | None = Field(default=None, description="what it evaluates: trace, tool_call, session or tool")
    include_sub_agents: StrictBool | None = Field(
        default=None, description="whether tool calls of sub-agents count as the run's"
    )
    include_foreign_calls: StrictBool | None = Field(
        default=None, description="whether calls that other services wrote into the run count as its own"
    )

    @model_validator(mode="after")
    def _require_one_way(self) -> EvaluatorEntry:
        present = [way for way in KINDS_OF_ENTRIES if getattr(self, way) is not None]
        if len(present) != 1:
            surplus = f", not {' and '.join(present)}" if present else ""
            raise ValueError(f"use exactly one of {', '.join(KINDS_OF_ENTRIES)}{surplus}")
        return self

    @property
    def spec(self) -> Spec:
        """The specification that `evaluators.catalog.build` takes."""
        spec = self.model_dump(exclude_none=True, exclude_defaults=True, exclude={"backfill", "timeout", "rubric"})
        for key, time in (("backfill_s", self.backfill), ("timeout_s", self.timeout)):
            if time is not None:
                spec[key] = time.total_seconds()
        if self.combine is not None:
            spec["combine"] = self.combine.model_dump()
        return spec


_OF_FLOEVAL: Final = "that is of Floeval's configuration: `tracegrade evaluate -c FILE -d DATASET` reads it; here write"
_SECTIONS_OF_OTHERS: Final = {
    "llm_config": f"{_OF_FLOEVAL} `judges`",
    "evaluation_config": f"{_OF_FLOEVAL} `evaluators`",
    "execution": "that is of an eval file of AgentV: `tracegrade evaluate FILE` reads it; here write `evaluators`",
    "evalcases": "that is of an eval file of AgentV: `tracegrade evaluate FILE` reads it",
}


def advise(keys: Sequence[str | int], entry: Any) -> str | None:
    """Suggest what to write instead of an unknown key: one of an entry that is an option of its evaluator, or a section
    of another system's configuration; else None."""
    match tuple(keys):
        case (str(word),) if word in _SECTIONS_OF_OTHERS:
            return _SECTIONS_OF_OTHERS[word]
        case "evaluators", int(), str(word) if isinstance(entry, dict):
            return misplaced_option(entry, word, EvaluatorEntry.model_fields, resolve=import_function)
    return None


_DURATION: TypeAdapter[timedelta] = TypeAdapter(Duration)


def _parse_seconds(value: object) -> object:
    return _DURATION.validate_python(value).total_seconds()


Seconds = Annotated[float, BeforeValidator(_parse_seconds)]


class JudgeEntry(Judge):
    """One entry of `judges:`, with durations as strings."""

    timeout_s: Seconds = Field(default=60, alias="timeout", gt=0, description="time limit of an answer")
    poll_every_s: Seconds = Field(
        default=30, alias="poll_every", gt=0, description="how often to look for the answers of a batch"
    )

    @field_validator("python")
    @classmethod
    def _require_function(cls, path: str | None) -> str | None:
        if path is None:
            return None
        try:
            function = import_function(path)
        except NoSuchFunction as unknown:
            raise ValueError(str(unknown)) from unknown
        except NotImported:
            return path
        if not callable(function):
            raise ValueError(f"{path} is not a function; name one that takes the prompt and returns the answer")  # noqa: TRY004 - it is the value of a setting
        return path

    @property
    def judge(self) -> Judge:
        """The judge, with durations in seconds."""
        return Judge(**{name: getattr(self, name) for name in self.model_fields_set})
