"""The configuration of a judge."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Final, Literal, Self
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from ...pricing.prices import Prices
from .env_name import is_name, shown

__all__ = ["Judge", "JudgeWithKey"]

_OF_AN_ADDRESS = ("base_url", "api_key_env")
_BASIC: Final = "Basic "
_LEAST_SECRET_CHARACTERS: Final = 4
"""Shorter secrets are not replaced: they are part of too many words."""

_OF_THE_QUESTION: Final = frozenset({"messages", "model", "stream", "response_format", "n", "logprobs", "top_logprobs"})
_OF_THE_CLIENT: Final = frozenset({"num_retries", "max_retries"})
_SETTINGS: Final = {
    "temperature": "temperature",
    "max_tokens": "max_output_tokens",
    "max_completion_tokens": "max_output_tokens",
    "timeout": "timeout",
    "api_key": "api_key_env",
    "api_base": "base_url",
    "base_url": "base_url",
}
"""The settings of a judge for fields of a request or of the call of litellm."""


class Judge(BaseModel):
    """A judge: its model, how it is asked, and its limits. Budgets are per day (UTC); null means no limit.

    It is asked in one of three ways: an OpenAI-compatible server at `base_url`, litellm, or a Python function.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    base_url: str = Field("https://api.openai.com/v1", description="the address of the OpenAI-compatible server")
    model: str = Field("gpt-4.1-mini", min_length=1, description="the name of the model on the server")
    api_key_env: str | None = Field(
        "OPENAI_API_KEY", description="the environment variable that holds the key; null: no key is sent"
    )
    concurrency: int = Field(8, ge=1, le=1000, description="the most questions that are asked at the same time")
    requests_per_minute: float | None = Field(500, gt=0, description="the most requests per minute")
    tokens_per_minute: float | None = Field(None, gt=0, description="the most tokens per minute, input and output")
    usd_per_day: float | None = Field(5, ge=0, description="the most US dollars per day")
    tokens_per_day: int | None = Field(None, ge=0, description="the most tokens per day, input and output")
    usd_per_day_per_agent: float | None = Field(
        None, ge=0, description="the most US dollars per day for the runs of one agent of a service"
    )
    max_revisions: int | None = Field(
        10, ge=0, description="how many times per day a run may be evaluated again because more of it arrived"
    )
    timeout_s: float = Field(60, gt=0, description="how long an answer may take, in seconds")
    temperature: float | None = Field(0, ge=0, description="the sampling temperature; null: the default of the server")
    max_output_tokens: int = Field(2000, ge=1, description="the most tokens of an answer")
    parameters: dict[str, Any] = Field(
        default_factory=dict, description="further fields of each request, by the names of the server"
    )
    preview_share: float = Field(
        0.2, ge=0, le=1, description="the share of usd_per_day and tokens_per_day that previews may spend"
    )
    prices: Prices | None = Field(None, description="what the model costs; overrides the known list price")
    mode: Literal["live", "batch"] = Field(
        "live", description="batch: through the batch API of the server; later, cheaper"
    )
    poll_every_s: float = Field(30, gt=0, description="how often to ask for the answers of a batch, in seconds")
    max_polls: int = Field(120, ge=1, description="how many times `poll_every` a batch may take")
    python: str | None = Field(
        None, description="a function `module:function` instead of a server: it takes the prompt and returns the text"
    )
    litellm: bool = Field(default=False, description="ask through litellm, with its name of the model")

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, url: str) -> str:
        if not url.startswith(("http://", "https://")) or not _host(url):
            raise ValueError("that is not an address; write it as http://host:port/v1")
        return url.rstrip("/")

    @field_validator("api_key_env")
    @classmethod
    def _is_a_variable(cls, name: str | None) -> str | None:
        if name is not None and not is_name(name):
            raise ValueError(
                f"{shown(name)} is the name of no environment variable; put the key into one, and write its name"
            )
        return name

    @field_validator("parameters")
    @classmethod
    def _are_further(cls, parameters: dict[str, Any]) -> dict[str, Any]:
        for name in parameters:
            if name in _SETTINGS:
                raise ValueError(f"{name!r} has a setting of its own; write `{_SETTINGS[name]}` of the judge")
            if name in _OF_THE_QUESTION:
                raise ValueError(f"{name!r} is set for each question; leave it out")
            if name in _OF_THE_CLIENT:
                raise ValueError(f"{name!r} cannot be set; requests that fail are retried anyway: leave it out")
        return parameters

    @field_validator("python")
    @classmethod
    def _is_a_path(cls, path: str | None) -> str | None:
        if path is not None and not all(path.partition(":")):
            raise ValueError(f"{path!r} does not name a function; write it as module:function")
        return path

    @model_validator(mode="after")
    def _is_asked_one_way(self) -> Self:
        if self.python and self.litellm:
            raise ValueError("a judge is asked in one way: keep either `python` or `litellm`")
        if self.python and (fields := [name for name in _OF_AN_ADDRESS if name in self.model_fields_set]):
            raise ValueError(f"a function has no address: leave out {' and '.join(fields)}, or `python`")
        if self.login is not None and self.names_key:
            raise ValueError(
                "the user in `base_url` and a key go out in the same place: take the user out of `base_url`, or set "
                "api_key_env to null"
            )
        if self.mode == "batch" and self.backend != "endpoint":
            raise ValueError("batches are sent to a server: leave out `mode: batch`, or `python` and `litellm`")
        return self

    @property
    def backend(self) -> Literal["endpoint", "litellm", "function"]:
        if self.python:
            return "function"
        return "litellm" if self.litellm else "endpoint"

    @property
    def address(self) -> str | None:
        """The address for messages: without user, password and query, any of which may be secret.

        Of a function it is the path; None if litellm finds the address by the name of the model.
        """
        if self.python:
            return self.python
        if self.litellm and "base_url" not in self.model_fields_set:
            return None
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    @property
    def query(self) -> Mapping[str, str]:
        """The query parameters of the address."""
        return dict(parse_qsl(urlsplit(self.base_url).query))

    @property
    def secrets(self) -> tuple[str, ...]:
        """The parts of the address that no message may repeat: the password (or else the user name) and the query, as
        written and as sent."""
        parts = urlsplit(self.base_url)
        word = parts.password or parts.username or ""
        candidates = [word, unquote(word), (self.login or "").removeprefix(_BASIC), parts.query, *self.query.values()]
        return tuple(candidate for candidate in candidates if len(candidate) >= _LEAST_SECRET_CHARACTERS)

    @property
    def login(self) -> str | None:
        """The `Authorization` header (RFC 7617) if the address has a user or password; else None."""
        parts = urlsplit(self.base_url)
        if not (parts.username or parts.password):
            return None
        credentials = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
        return _BASIC + base64.b64encode(credentials.encode()).decode()

    @property
    def names_key(self) -> bool:
        """Whether the configuration names the variable of the key; otherwise litellm may look for a key itself."""
        return self.api_key_env is not None and (not self.litellm or "api_key_env" in self.model_fields_set)

    @property
    def called(self) -> str:
        """The name of the model; the path of a function if no model is configured for it."""
        return self.python if self.python and "model" not in self.model_fields_set else self.model

    @property
    def identity(self) -> dict[str, Any]:
        """The settings that change the answers, without the address."""
        return {"model": self.called, "temperature": self.temperature, "parameters": self.parameters}


class JudgeWithKey(Judge):
    """A judge whose key a program gives, instead of naming the environment variable that holds it."""

    api_key: SecretStr = Field(exclude=True, repr=False, description="the key, which is never stored or logged")

    @property
    def names_key(self) -> bool:
        return True


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
