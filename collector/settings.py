"""Every setting, read once at start from command line, environment, file and defaults, in this order of precedence.

Nothing else in the program reads the environment, but for the OTEL_EXPORTER_OTLP_* variables, which belong to the
OpenTelemetry exporters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ByteSize, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, YamlConfigSettingsSource

from tracegrade.evaluators.registry import Configured, UnknownEvaluator, WrongOptions, configure

from .yaml_file import BadConfiguration, YamlFile, explain

__all__ = ["DEFAULTS", "DEFAULT_FILE", "BadConfiguration", "Duration", "Listen", "Settings", "configured", "load"]

DEFAULT_FILE = Path("tracegrade.yaml")
_UNITS_S = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_STEP = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)")


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
    references: Path | None = Field(default=None, description="a file of rules that say what runs are expected to do")
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
    written = YamlFile(file) if file else None
    try:
        settings = _reading(file)(**{name.removesuffix("_"): value for name, value in given.items()})
    except ValidationError as error:
        raise BadConfiguration(explain(error, Settings, written)) from error
    configured(settings.evaluators, written)
    return settings


def configured(entries: Sequence[EvaluatorEntry] | None, file: YamlFile | None = None) -> list[Configured]:
    """The evaluators that a configuration asks for. Raises BadConfiguration, with the line in `file`."""
    found: dict[str, Configured] = {}
    for index, entry in enumerate(entries if entries is not None else (EvaluatorEntry(use="defaults"),)):
        for evaluator in _of(entry, index, file):
            if evaluator.name in found:
                clash = f"two are called {evaluator.name!r}; give one of them a `name`"
                raise BadConfiguration(_said(clash, (index,), file))
            found[evaluator.name] = evaluator
    return list(found.values())


def _of(entry: EvaluatorEntry, index: int, file: YamlFile | None) -> list[Configured]:
    if entry.use == "defaults":
        if entry.model_fields_set != {"use"}:
            alone = "`use: defaults` stands alone; name an evaluator to give it options"
            raise BadConfiguration(_said(alone, (index,), file))
        return [configure(use, only_with_reference=only) for use, only in DEFAULTS.items()]
    try:
        return [configure(entry.use, name=entry.name, options=entry.options, threshold=entry.threshold)]
    except UnknownEvaluator as error:
        raise BadConfiguration(_said(str(error), (index, "use"), file)) from error
    except WrongOptions as error:
        faults = (_said(text, (index, "options", *keys), file) for keys, text in error.faults)
        raise BadConfiguration("\n".join(faults)) from error


def _said(text: str, keys: Sequence[str | int], file: YamlFile | None) -> str:
    place = f"{file.place(('evaluators', *keys))}: " if file else ""
    return f"{place}evaluators: {text}"


DEFAULTS: Mapping[str, bool] = {
    "tool_call_validity": False,
    "tool_error": False,
    "tool_efficiency": False,
    "tool_name_reliability": False,
    "tool_description_reliability": False,
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
