"""Every setting, read once at start from command line, environment, file and defaults, in this order of precedence.

Nothing else in the program reads the environment, but for the OTEL_EXPORTER_OTLP_* variables, which belong to the
OpenTelemetry exporters.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ByteSize, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, YamlConfigSettingsSource

from tracegrade.evaluators.registry import Configured, UnknownEvaluator, WrongOptions, configure

from .errors import Fault

__all__ = ["DEFAULTS", "DEFAULT_FILE", "BadConfiguration", "Duration", "Listen", "Settings", "configured", "load"]

DEFAULT_FILE = Path("tracegrade.yaml")
_UNITS_S = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_STEP = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)")


class BadConfiguration(Fault):
    """The configuration cannot be used; the message names the key, where it stands, and what to write."""


def _duration(value: object) -> object:
    """`2s`, `1h30m`, `250ms`, or a number of seconds."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return timedelta(seconds=value)
    if not isinstance(value, str):
        return value
    text = value.strip()
    if re.fullmatch(rf"(?:{_STEP.pattern}\s*)+", text):
        return timedelta(seconds=sum(float(number) * _UNITS_S[unit] for number, unit in _STEP.findall(text)))
    raise ValueError(f"{value!r} is no duration; write it as 250ms, 2s, 5m, 12h or 7d")


Duration = Annotated[timedelta, BeforeValidator(_duration), Field(ge=timedelta(0))]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Listen(_Section):
    grpc: str = Field(default="127.0.0.1:4317", description="address of the OTLP/gRPC receiver")
    http: str = Field(default="127.0.0.1:4318", description="address of the OTLP/HTTP receiver")
    web: str = Field(default="127.0.0.1:8400", description="address of the SQL endpoint and, later, the pages")


class Intake(_Section):
    max_request_bytes: ByteSize = Field(
        default=ByteSize(16 * 2**20), description="largest export request, also after decompression"
    )
    queue_bytes: ByteSize = Field(
        default=ByteSize(128 * 2**20), description="bytes that may wait for their commit before senders are put off"
    )


class Assembly(_Section):
    grace: Duration = Field(default=timedelta(seconds=2), description="silence after which a complete run is assembled")
    idle: Duration = Field(
        default=timedelta(seconds=60), description="silence after which an incomplete run is assembled as it is"
    )
    max_open_traces: int = Field(default=100_000, ge=1, description="traces waited for; beyond, the oldest are taken")


class Pass(_Section):
    every: Duration = Field(default=timedelta(seconds=5), description="shortest pause between two evaluator passes")


class Export(_Section):
    endpoint: str | None = Field(default=None, description="OTLP endpoint that verdicts are sent on to as events")
    spans: Literal["auto"] | bool = Field(
        default="auto", description="send spans with the event too: true, false, or auto where logs are not taken"
    )


class EvaluatorEntry(_Section):
    """One entry of `evaluators:`."""

    use: str = Field(description="`defaults`, or the name of an evaluator")
    name: str | None = Field(default=None, description="its name in `scores`; default: the evaluator's own")
    options: dict[str, Any] = Field(default_factory=dict, description="its options")
    threshold: float | None = Field(default=None, ge=0, le=1, description="the least value that passes")


class Settings(BaseSettings):
    """The sections of `tracegrade.yaml`; as an environment variable, TRACEGRADE_SECTION__KEY."""

    model_config = SettingsConfigDict(
        env_prefix="TRACEGRADE_",
        env_nested_delimiter="__",
        env_prefix_target="all",
        frozen=True,
        extra="forbid",
    )

    store: str = Field(default="duckdb:///tracegrade.duckdb", description="where everything is kept")
    memory_limit: str = Field(default="1GB", description="memory that DuckDB may use")
    listen: Listen = Listen()
    intake: Intake = Intake()
    assembly: Assembly = Assembly()
    pass_: Pass = Field(default=Pass(), alias="pass")
    export: Export = Export()
    evaluators: tuple[EvaluatorEntry, ...] | None = Field(
        default=None, description="absent: the defaults; present: exactly these"
    )
    token: SecretStr | None = Field(default=None, description="what a caller of the SQL endpoint has to show")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - we read no .env
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - nor secrets from a folder
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, YamlConfigSettingsSource(settings_cls)


def load(file: Path | None = None, **given: Any) -> Settings:
    """The settings: `given` beats the environment, which beats `file` (default: tracegrade.yaml where there is one).

    A section that is a word of Python is given with an underscore: `pass_={"every": "1s"}`. Raises BadConfiguration.
    """
    if file is not None and not file.is_file():
        raise BadConfiguration(f"{file}: there is no such file; `tracegrade init` writes one")
    file = file or (DEFAULT_FILE if DEFAULT_FILE.is_file() else None)
    try:
        return _reading(file)(**{name.removesuffix("_"): value for name, value in given.items()})
    except ValidationError as error:
        raise BadConfiguration(_explain(error, file)) from error
    except yaml.YAMLError as error:
        raise BadConfiguration(f"{file} is not YAML: {error}") from error


def configured(entries: Sequence[EvaluatorEntry] | None) -> list[Configured]:
    """The evaluators that a configuration asks for. Raises BadConfiguration."""
    found: dict[str, Configured] = {}
    for entry in entries if entries is not None else (EvaluatorEntry(use="defaults"),):
        for evaluator in _of(entry):
            if evaluator.name in found:
                raise BadConfiguration(f"evaluators: two are called {evaluator.name!r}; give one of them a `name`")
            found[evaluator.name] = evaluator
    return list(found.values())


def _of(entry: EvaluatorEntry) -> list[Configured]:
    if entry.use == "defaults":
        if entry.model_fields_set != {"use"}:
            raise BadConfiguration("evaluators: `use: defaults` stands alone; name an evaluator to give it options")
        return [configure(use, only_with_reference=only) for use, only in DEFAULTS.items()]
    try:
        return [configure(entry.use, name=entry.name, options=entry.options, threshold=entry.threshold)]
    except (UnknownEvaluator, WrongOptions) as error:
        raise BadConfiguration(f"evaluators: {error}") from error


DEFAULTS: Mapping[str, bool] = {
    "tool_call_validity": False,
    "tool_error": False,
    "tool_efficiency": False,
    "tool_correctness": True,
    "tool_trajectory": True,
}
"""The evaluators of an installation without a file, and whether each only looks at runs with a reference."""


def _reading(file: Path | None) -> type[Settings]:
    if file is None:
        return Settings

    class FromFile(Settings):
        model_config = SettingsConfigDict(yaml_file=file)

    return FromFile


def _explain(error: ValidationError, file: Path | None) -> str:
    place = f"{file}, " if file else ""
    return "\n".join(f"{place}{_fault(fault, file)}" for fault in error.errors())


def _fault(fault: Mapping[str, Any], file: Path | None) -> str:
    path = [str(step) for step in fault["loc"]]
    key = ".".join(path)
    line = _line(file, path[-1]) if file else None
    where = f"line {line}: {key}" if line else key
    if fault["type"] != "extra_forbidden":
        return f"{where}: {fault['msg'].removeprefix('Value error, ')}"
    close = difflib.get_close_matches(path[-1], _words(path[:-1]), n=1)
    offer = f"did you mean {close[0]!r}?" if close else f"known here: {', '.join(_words(path[:-1]))}"
    return f"{where}: there is no such setting; {offer}"


def _words(path: Sequence[str]) -> list[str]:
    """The settings of a section."""
    model: type[BaseModel] = Settings
    for step in path:
        name = "pass_" if step == "pass" else step
        kind = model.model_fields[name].annotation if name in model.model_fields else None
        model = kind if isinstance(kind, type) and issubclass(kind, BaseModel) else EvaluatorEntry
    return [field.alias or name for name, field in model.model_fields.items()]


def _line(file: Path, key: str) -> int | None:
    """The first line that sets `key`."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return next((at for at, line in enumerate(lines, 1) if re.search(rf"\b{re.escape(key)}\s*:", line)), None)
