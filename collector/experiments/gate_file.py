"""Gates as people write them: which scores count, what they have to reach, and what they are compared with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from tracegrade.evaluators.experiments.gate import Thresholds

from ..clock import parse_time, utc_now
from ..config.configuration_file import BadConfiguration
from ..config.field_types import Name
from ..config.yaml_file import YamlFile, explain

__all__ = ["Gate", "Selection", "build_gate"]

_NAME_OTHERS: Final = "name others, such as those of an earlier agent_version"
_SHARED: Final = ("agent", "service", "environment")


def _check_time(text: str) -> str:
    parse_time(text, utc_now())
    return text


def _read_thresholds(value: Any) -> Any:
    """Read a number alone as the lowest mean."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return {"min_mean": value} if is_number else value


_Time = Annotated[str, AfterValidator(_check_time)]


class Selection(BaseModel):
    """The scores that count: those on targets for which all of this holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: _Time | None = Field(default=None, description="begun since this time, such as 24h (ago) or 2026-11-22")
    until: _Time | None = Field(default=None, description="begun before this time")
    agent: str | None = Field(default=None, description="name of the agent")
    service: str | None = Field(default=None, description="service.name")
    agent_version: str | None = Field(default=None, description="version of the agent, or service.version")
    environment: str | None = Field(default=None, description="deployment.environment.name")
    experiment: str | None = Field(
        default=None, description="scores of this experiment, by its name or id; default: those of production"
    )


class Gate(Selection):
    """A gate. Its baseline has the agent, service and environment of the gate, unless it names others."""

    min_n: int = Field(default=1, ge=1, description="the least number of scores that decide")
    evaluators: dict[Name, Annotated[Thresholds, BeforeValidator(_read_thresholds)]] = Field(min_length=1)
    baseline: Selection | None = Field(default=None, description="the scores that drops are measured from")

    @model_validator(mode="after")
    def _require_baseline(self) -> Gate:
        if self.baseline is not None and not self.baseline.model_dump(exclude_none=True):
            raise ValueError(f"baseline: it is empty, so it has the scores of the gate itself; {_NAME_OTHERS}")
        for name, thresholds in self.evaluators.items():
            for limit in ("max_mean_drop", "max_pass_rate_drop"):
                if self.baseline is None and getattr(thresholds, limit) is not None:
                    raise ValueError(f"evaluators.{name}.{limit} needs a baseline: add one, such as its agent_version")
        return self

    @property
    def selected_baseline(self) -> Selection | None:
        """The baseline with what it shares with the gate."""
        if self.baseline is None:
            return None
        shared = {name: getattr(self, name) for name in _SHARED if getattr(self.baseline, name) is None}
        return self.baseline.model_copy(update=shared)


def build_gate(path: Path | None, options: dict[str, Any]) -> Gate:
    """Build the gate of a file and of options, which override it key by key. Raises BadConfiguration."""
    file = None if path is None else YamlFile(path)
    value = (file.value or {}) if file is not None else {}
    if not isinstance(value, dict):
        raise BadConfiguration(f"{path}: a gate is a mapping with `evaluators`")
    try:
        return Gate.model_validate(_merge(value, options))
    except ValidationError as error:
        raise BadConfiguration(explain(error, Gate, file)) from error


def _merge(value: dict[Any, Any], options: dict[str, Any]) -> dict[Any, Any]:
    """Merge mappings into mappings; any other option replaces the value."""
    merged = dict(value)
    for name, option in options.items():
        if isinstance(option, dict):
            present = _read_thresholds(merged.get(name))
            merged[name] = _merge(present if isinstance(present, dict) else {}, option)
        else:
            merged[name] = option
    return merged
