"""Reads all settings once at start from command line, environment, file and defaults, in this order of precedence.

The rest of the program reads the environment only for keys of judges, which settings name; for the token, which
`api_token` reads for commands that need no other setting; and for the OTEL_EXPORTER_OTLP_* variables of the
OpenTelemetry exporters.
"""

from __future__ import annotations

import ipaddress
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

from tracegrade.evaluators.definition.function_path import import_function
from tracegrade.evaluators.definition.registry import Configured
from tracegrade.evaluators.judges.exchange.judge import Judge
from tracegrade.evaluators.pricing.prices import Prices
from tracegrade.evaluators.text.duration import in_words
from tracegrade.queries.http import hosts, origins

from ..otlp.limits import RequestLimits
from .api_token import validate_token
from .configuration_file import BadConfiguration, find_configuration_file
from .duration import Duration, TimeLimit
from .evaluator_config import EvaluatorEntry, JudgeEntry, advise
from .evaluator_set import DryRun, build_evaluators
from .field_types import Address
from .trust import SOURCES, Source

if TYPE_CHECKING:
    from .yaml_file import YamlFile

__all__ = [
    "Listen",
    "Settings",
    "evaluators_of",
    "judges_of",
    "load",
    "settings_file",
]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _parse_list(value: Any) -> Any:
    """Parse a list in an environment variable or one line of the file: a,b or ["a", "b"]."""
    if not isinstance(value, str):
        return value
    return json.loads(value) if value.startswith('["') else [part for part in re.split(r"[\s,]+", value) if part]


HostNames = Annotated[tuple[Annotated[str, AfterValidator(hosts.checked)], ...], NoDecode, BeforeValidator(_parse_list)]
"""Host names of the server; one or several, optionally separated by commas."""


Origins = Annotated[
    tuple[Annotated[str, AfterValidator(origins.check_origin)], ...], NoDecode, BeforeValidator(_parse_list)
]
"""Origins of pages of other sites; one or several, optionally separated by commas."""

Networks = Annotated[
    tuple[Annotated[str, AfterValidator(lambda entry: str(ipaddress.ip_network(entry)))], ...],
    NoDecode,
    BeforeValidator(_parse_list),
]
"""IP addresses or networks; one or several, optionally separated by commas."""

Services = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_parse_list)]
"""Values of `service.name`; one or several, optionally separated by commas."""


class Listen(_Section):
    grpc: Address = Field(default="127.0.0.1:4317", description="address of the OTLP/gRPC receiver")
    http: Address = Field(default="127.0.0.1:4318", description="address of the OTLP/HTTP receiver")
    web: Address = Field(
        default="127.0.0.1:8400", description="address of the API: SQL, annotations, admin commands, metrics"
    )
    quack: Address | None = Field(
        default=None, description="address for clients of DuckDB's Quack, such as 127.0.0.1:8410; null: none"
    )
    quack_beyond_loopback: bool = Field(
        default=False, description="whether other machines may reach listen.quack, behind a gate of your own"
    )
    allowed_hosts: HostNames = Field(
        default=(), description="further host names for HTTP requests, such as grade.example.com; * for any"
    )
    allowed_origins: Origins = Field(
        default=(), description="pages of other sites that may call the API, such as https://dashboards.example.com"
    )
    trusted_proxies: Networks = Field(
        default=(), description="proxies before listen.web that are believed X-Forwarded-For, such as 192.0.2.7"
    )


class Ingest(_Section):
    max_request_bytes: ByteSize = Field(
        default=ByteSize(16 * 2**20), description="largest export request, also after decompression"
    )
    max_request_records: int = Field(
        default=50_000, ge=1, description="most spans or log records in one export request"
    )
    queue_bytes: ByteSize = Field(
        default=ByteSize(128 * 2**20),
        description="bytes that may wait for their commit; beyond, requests are answered with 503",
    )

    @property
    def limits(self) -> RequestLimits:
        """The limits of an export request."""
        return RequestLimits(body_bytes=self.max_request_bytes, records=self.max_request_records)


class Assembly(_Section):
    grace: Duration = Field(default=timedelta(seconds=2), description="silence after which a complete run is assembled")
    idle: Duration = Field(
        default=timedelta(seconds=60), description="silence after which an incomplete run is assembled as it is"
    )
    judge_settle: Duration = Field(
        default=timedelta(seconds=30),
        description="additional time that evaluators which ask a judge wait for late spans",
    )
    max_open_traces: int = Field(
        default=100_000, ge=1, description="most traces that wait for spans; beyond, the oldest are assembled"
    )

    @model_validator(mode="after")
    def _require_longer_idle(self) -> Assembly:
        if self.idle < self.grace:
            raise ValueError(
                f"idle is {in_words(self.idle)}; write at least {in_words(self.grace)}, the value of grace"
            )
        return self


def _require_at_least(least: ByteSize) -> AfterValidator:
    def validate(memory: ByteSize) -> ByteSize:
        if memory < least:
            raise ValueError(f"{memory.human_readable()} is too little; write at least {least.human_readable()}")
        return memory

    return AfterValidator(validate)


class Evaluation(_Section):
    every: TimeLimit = Field(
        default=timedelta(seconds=5), description="shortest time from one evaluation pass to the next"
    )
    session_idle: Duration = Field(
        default=timedelta(minutes=5), description="silence after which a session is evaluated as a whole"
    )
    worker_memory: Annotated[ByteSize, _require_at_least(ByteSize(256 * 2**20))] | None = Field(
        default=None,
        description="memory that a worker process may use, on Linux; null: 2GiB, at most 30 % of the available memory",
    )


class Export(_Section):
    endpoint: str | None = Field(default=None, description="OTLP endpoint to which scores are sent as events")
    spans: Literal["auto"] | bool = Field(
        default="auto", description="also send a span with each event: true, false, or auto (if logs are not accepted)"
    )
    judges: bool = Field(default=False, description="also send a span for each question that a judge was asked")


def _validate_token(token: SecretStr) -> SecretStr:
    return SecretStr(validate_token(token.get_secret_value()))


Token = Annotated[SecretStr, AfterValidator(_validate_token)]
"""The token that callers of the API send; it must not be empty."""


def _refuse_repeated(sources: tuple[Source, ...]) -> tuple[Source, ...]:
    if len(set(sources)) < len(sources):
        raise ValueError(f"{', '.join(sources)}: write each once")
    return sources


class Trust(_Section):
    """Trusted sources of scores and references."""

    annotators: Services = Field(default=(), description="services that may send scores in the name of people")
    references: Annotated[
        tuple[Source, ...], NoDecode, BeforeValidator(_parse_list), AfterValidator(_refuse_repeated)
    ] = Field(
        default=SOURCES,
        description="sources of references, the most trusted first; for each field the first that defines it counts",
    )


class Settings(BaseSettings):
    """The sections of `tracegrade.yaml`; as an environment variable, TRACEGRADE_SECTION__KEY."""

    model_config = SettingsConfigDict(
        env_prefix="TRACEGRADE_",
        env_nested_delimiter="__",
        frozen=True,
        extra="forbid",
    )

    store: str = Field(default="duckdb:///tracegrade.duckdb", description="where spans, runs and scores are stored")
    memory_limit: str | None = Field(
        default=None, description="memory that DuckDB may use; null: 1GB, at most 25 % of the available memory"
    )
    query_memory: Annotated[ByteSize, _require_at_least(ByteSize(64 * 2**20))] | None = Field(
        default=None,
        description="memory that DuckDB may use for one user query; null: 1GB, at most 5 % of the available memory",
    )
    listen: Listen = Listen()
    ingest: Ingest = Ingest()
    assembly: Assembly = Assembly()
    evaluation: Evaluation = Evaluation()
    export: Export = Export()
    evaluators: tuple[EvaluatorEntry, ...] | None = Field(
        default=None, description="null: the defaults; otherwise exactly these"
    )
    judges: dict[str, JudgeEntry] = Field(default={}, description="models that evaluators may ask, by name")
    prices: dict[str, Prices] = Field(
        default={}, description="prices of models, by name or pattern; they override list prices"
    )
    references: Path | None = Field(default=None, description="file with rules that say what runs are expected to do")
    reports: Path = Field(default=Path("reports"), description="folder of your own reports, beside this file")
    trust: Trust = Trust()
    token: Token | None = Field(default=None, description="token that callers of the API send")

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


def load(file: Path | None = None, *, dry_run: DryRun | None = None, **options: Any) -> Settings:
    """Load the settings: `options` override the environment, which overrides `file` (default: tracegrade.yaml).

    `dry_run` tries the SQL of evaluators. Raises BadConfiguration.
    """
    file = find_configuration_file(file)
    content = _read_file(file) if file else None
    try:
        settings = _make_class(file)(**options)
    except ValidationError as error:
        from .yaml_file import explain  # noqa: PLC0415 - most configurations are valid

        raise BadConfiguration(explain(error, Settings, content, advise=advise)) from error
    build_evaluators(settings.evaluators, content, judges=judges_of(settings), dry_run=dry_run, resolve=import_function)
    return settings


def evaluators_of(settings: Settings) -> list[Configured]:
    """Build the evaluators of the settings. Raises BadConfiguration."""
    return build_evaluators(settings.evaluators, judges=judges_of(settings), resolve=import_function)


def settings_file(settings: Settings) -> Path | None:
    """Return the file that settings were loaded from; None if there was none."""
    file = type(settings).model_config.get("yaml_file")
    return file if isinstance(file, Path) else None


def judges_of(settings: Settings) -> dict[str, Judge]:
    """Return the judges by name."""
    return {name: entry.judge for name, entry in settings.judges.items()}


def _read_file(file: Path) -> YamlFile:
    from .yaml_file import YamlFile  # noqa: PLC0415 - a file is optional
    from .yaml_loader import OWN_DEPTH  # noqa: PLC0415 - likewise

    return YamlFile(file, depth=OWN_DEPTH)


def _make_class(file: Path | None) -> type[Settings]:
    if file is None:
        return Settings

    class FromFile(Settings):
        model_config = SettingsConfigDict(yaml_file=file)

    return FromFile
