"""Every setting, read once at start from command line, environment, file and defaults, in this order of precedence.

Nothing else in the program reads the environment, but for keys of judges, which settings only name, the token, which
`access` finds for commands that need no other setting, and the OTEL_EXPORTER_OTLP_* variables, which belong to the
OpenTelemetry exporters.
"""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ByteSize,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    YamlConfigSettingsSource,
)

from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.pricing.prices import Prices
from tracegrade.evaluators.text.duration import in_words
from tracegrade.queries.http import hosts

from ..otlp.limits import Limits
from .api_token import checked_token
from .duration import Duration, TimeLimit
from .evaluator_config import DEFAULTS, EvaluatorEntry, JudgeEntry, advise
from .evaluator_set import DryRun, configured
from .field_types import Address
from .location import DEFAULT_FILE, BadConfiguration, configuration_file
from .trust import SOURCES, Source

if TYPE_CHECKING:
    from .yaml_file import YamlFile

__all__ = [
    "DEFAULTS",
    "DEFAULT_FILE",
    "BadConfiguration",
    "Duration",
    "EvaluatorEntry",
    "Listen",
    "Settings",
    "configured",
    "evaluators_of",
    "judges_of",
    "load",
]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _listed(value: Any) -> Any:
    """A list that an environment variable or one line of the file names: a,b or ["a", "b"]."""
    if not isinstance(value, str):
        return value
    return json.loads(value) if value.startswith('["') else [part for part in re.split(r"[\s,]+", value) if part]


HostNames = Annotated[tuple[Annotated[str, AfterValidator(hosts.checked)], ...], NoDecode, BeforeValidator(_listed)]
"""Names by which requests may call the server; one or several, also divided by commas."""


Services = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]
"""Values of `service.name`; one or several, also divided by commas."""


class Listen(_Section):
    grpc: Address = Field(default="127.0.0.1:4317", description="address of the OTLP/gRPC receiver")
    http: Address = Field(default="127.0.0.1:4318", description="address of the OTLP/HTTP receiver")
    web: Address = Field(default="127.0.0.1:8400", description="address of the API: SQL, annotations, orders, metrics")
    allowed_hosts: HostNames = Field(
        default=(), description="further names to be called by over HTTP, such as grade.example.com; * for any"
    )


class Ingest(_Section):
    max_request_bytes: ByteSize = Field(
        default=ByteSize(16 * 2**20), description="largest export request, also after decompression"
    )
    max_request_records: int = Field(
        default=50_000, ge=1, description="most spans or log records that an export request may hold"
    )
    queue_bytes: ByteSize = Field(
        default=ByteSize(128 * 2**20), description="bytes that may wait for their commit before senders are put off"
    )

    @property
    def limits(self) -> Limits:
        """Of an export request."""
        return Limits(body_bytes=self.max_request_bytes, records=self.max_request_records)


class Assembly(_Section):
    grace: Duration = Field(default=timedelta(seconds=2), description="silence after which a complete run is assembled")
    idle: Duration = Field(
        default=timedelta(seconds=60), description="silence after which an incomplete run is assembled as it is"
    )
    judge_settle: Duration = Field(
        default=timedelta(seconds=30), description="how much longer judges that cost money wait for late spans"
    )
    max_open_traces: int = Field(default=100_000, ge=1, description="traces waited for; beyond, the oldest are taken")

    @model_validator(mode="after")
    def _waits_longer_for_what_lacks_something(self) -> Assembly:
        if self.idle < self.grace:
            raise ValueError(f"idle is {in_words(self.idle)}; write {in_words(self.grace)} or more, as grace is")
        return self


def _at_least(least: ByteSize) -> AfterValidator:
    def enough(memory: ByteSize) -> ByteSize:
        if memory < least:
            raise ValueError(f"it is {memory.human_readable()}; write {least.human_readable()} or more")
        return memory

    return AfterValidator(enough)


class Evaluation(_Section):
    every: TimeLimit = Field(default=timedelta(seconds=5), description="shortest pause between two evaluator passes")
    session_idle: Duration = Field(
        default=timedelta(minutes=5), description="silence after which a session is judged as a whole"
    )
    worker_memory: Annotated[ByteSize, _at_least(ByteSize(256 * 2**20))] | None = Field(
        default=None,
        description="memory that a worker process may take, on Linux; absent: 2GiB, at most 30 % of what there is",
    )


class Export(_Section):
    endpoint: str | None = Field(default=None, description="OTLP endpoint that scores are sent on to as events")
    spans: Literal["auto"] | bool = Field(
        default="auto", description="send spans with the event too: true, false, or auto where logs are not taken"
    )
    judges: bool = Field(default=False, description="send a span for each question that a judge was asked, too")


def _usable(token: SecretStr) -> SecretStr:
    return SecretStr(checked_token(token.get_secret_value()))


Token = Annotated[SecretStr, AfterValidator(_usable)]
"""What a caller of the API has to show; refused where it is empty."""


def _each_once(sources: tuple[Source, ...]) -> tuple[Source, ...]:
    if len(set(sources)) < len(sources):
        raise ValueError(f"it is {', '.join(sources)}; write each once")
    return sources


class Trust(_Section):
    """Whose word counts about runs."""

    annotators: Services = Field(
        default=(), description="services whose word is taken on who gave a score: they may bring those of people"
    )
    references: Annotated[tuple[Source, ...], NoDecode, BeforeValidator(_listed), AfterValidator(_each_once)] = Field(
        default=SOURCES,
        description="who is heard on what is expected of a run; of each field the first that says something of it",
    )


class Settings(BaseSettings):
    """The sections of `tracegrade.yaml`; as an environment variable, TRACEGRADE_SECTION__KEY."""

    model_config = SettingsConfigDict(
        env_prefix="TRACEGRADE_",
        env_nested_delimiter="__",
        frozen=True,
        extra="forbid",
    )

    store: str = Field(default="duckdb:///tracegrade.duckdb", description="where everything is kept")
    memory_limit: str | None = Field(
        default=None, description="memory that DuckDB may use; absent: 1GB, at most 40 % of what there is"
    )
    query_memory: Annotated[ByteSize, _at_least(ByteSize(64 * 2**20))] | None = Field(
        default=None,
        description="memory that DuckDB may use for one query of a user; absent: 1GB, at most 5 % of what there is",
    )
    listen: Listen = Listen()
    ingest: Ingest = Ingest()
    assembly: Assembly = Assembly()
    evaluation: Evaluation = Evaluation()
    export: Export = Export()
    evaluators: tuple[EvaluatorEntry, ...] | None = Field(
        default=None, description="absent: the defaults; present: exactly these"
    )
    judges: dict[str, JudgeEntry] = Field(default={}, description="models that evaluators may ask, by name")
    prices: dict[str, Prices] = Field(
        default={}, description="what models cost, by name or pattern; overrides the known list prices"
    )
    references: Path | None = Field(default=None, description="a file of rules that say what runs are expected to do")
    trust: Trust = Trust()
    token: Token | None = Field(default=None, description="what a caller of the API has to show")

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


def load(file: Path | None = None, *, dry_run: DryRun | None = None, **given: Any) -> Settings:
    """The settings: `given` beats the environment, which beats `file` (default: tracegrade.yaml where there is one).

    `dry_run` tries the SQL of evaluators. Raises BadConfiguration.
    """
    file = configuration_file(file)
    written = _written(file) if file else None
    try:
        settings = _reading(file)(**given)
    except ValidationError as error:
        from .yaml_file import explain  # noqa: PLC0415 - few configurations are wrong

        raise BadConfiguration(explain(error, Settings, written, advise=advise)) from error
    configured(settings.evaluators, written, judges=judges_of(settings), dry_run=dry_run)
    return settings


def evaluators_of(settings: Settings) -> list[Configured]:
    """The evaluators that the settings ask for. Raises BadConfiguration."""
    return configured(settings.evaluators, judges=judges_of(settings))


def judges_of(settings: Settings) -> dict[str, Judge]:
    """The judges, by name."""
    return {name: entry.judge for name, entry in settings.judges.items()}


def _written(file: Path) -> YamlFile:
    from .yaml_file import YamlFile  # noqa: PLC0415 - many do without a file

    return YamlFile(file)


def _reading(file: Path | None) -> type[Settings]:
    if file is None:
        return Settings

    class FromFile(Settings):
        model_config = SettingsConfigDict(yaml_file=file)

    return FromFile
