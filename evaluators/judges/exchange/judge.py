"""A judge as it is configured."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Final, Literal, Self
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from ...pricing.prices import Prices
from .env_name import is_name, shown

__all__ = ["Judge"]

_OF_AN_ADDRESS = ("base_url", "api_key_env")
_BASIC: Final = "Basic "
_LEAST_SECRET_CHARACTERS: Final = 4
"""Shorter secrets are part of too many words to be replaced."""

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
"""Fields of a request, or of litellm's call, for which a judge has a setting."""


class Judge(BaseModel):
    """Whom to ask, how, and within which limits. Budgets are per day (UTC); null means no limit.

    There is one way of asking: an OpenAI-compatible server at `base_url`, or litellm, or a Python function.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    base_url: str = Field("https://api.openai.com/v1", description="where the OpenAI-compatible server is")
    model: str = Field("gpt-4.1-mini", min_length=1, description="the model, as the server calls it")
    api_key_env: str | None = Field(
        "OPENAI_API_KEY", description="the environment variable that holds the key; null: no key is sent"
    )
    concurrency: int = Field(8, ge=1, le=1000, description="how many questions may be open at once")
    requests_per_minute: float | None = Field(500, gt=0, description="at most so many requests a minute")
    tokens_per_minute: float | None = Field(None, gt=0, description="at most so many tokens a minute, both ways")
    usd_per_day: float | None = Field(5, ge=0, description="at most so many US dollars a day")
    tokens_per_day: int | None = Field(None, ge=0, description="at most so many tokens a day, both ways")
    usd_per_day_per_agent: float | None = Field(
        None, ge=0, description="at most so many of them for the runs of one agent of a service"
    )
    max_revisions: int | None = Field(
        10, ge=0, description="how often a day one run may be evaluated again because more of it arrived"
    )
    timeout_s: float = Field(60, gt=0, description="how long an answer may take, in seconds")
    temperature: float | None = Field(0, ge=0, description="how freely it answers; null: as the server likes")
    max_output_tokens: int = Field(2000, ge=1, description="how long an answer may be")
    parameters: dict[str, Any] = Field(
        default_factory=dict, description="further fields of each request, as the server knows them"
    )
    prices: Prices | None = Field(None, description="what the model costs; overrides the known list price")
    mode: Literal["live", "batch"] = Field("live", description="batch: by the server's batch API, later and cheaper")
    poll_every_s: float = Field(30, gt=0, description="how often to ask for the answers of a batch, in seconds")
    max_polls: int = Field(120, ge=1, description="how many times `poll_every` a batch may take")
    python: str | None = Field(
        None, description="instead of a server a function `module:function` that takes the prompt and returns the text"
    )
    litellm: bool = Field(default=False, description="ask by litellm, which knows the model by its own name")

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, url: str) -> str:
        if not url.startswith(("http://", "https://")) or not _host(url):
            raise ValueError("that is no address; write it as http://host:port/v1")
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
                raise ValueError(f"{name!r} is for the question to say; leave it out")
            if name in _OF_THE_CLIENT:
                raise ValueError(f"{name!r} is not for a judge to say; what fails is asked again anyway: leave it out")
        return parameters

    @field_validator("python")
    @classmethod
    def _is_a_path(cls, path: str | None) -> str | None:
        if path is not None and not all(path.partition(":")):
            raise ValueError(f"{path!r} names no function; write it as module:function")
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
        """The address as it may be shown: without user, password and query, any of which may be secret.

        The path of a function; None where litellm finds the address by the model's name.
        """
        if self.python:
            return self.python
        if self.litellm and "base_url" not in self.model_fields_set:
            return None
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))

    @property
    def query(self) -> Mapping[str, str]:
        """The query of its address."""
        return dict(parse_qsl(urlsplit(self.base_url).query))

    @property
    def secrets(self) -> tuple[str, ...]:
        """The parts of its address that no message may repeat: the password (or else the user's name) and the query,
        also as they are decoded or encoded when they are sent."""
        parts = urlsplit(self.base_url)
        word = parts.password or parts.username or ""
        candidates = [word, unquote(word), (self.login or "").removeprefix(_BASIC), parts.query, *self.query.values()]
        return tuple(candidate for candidate in candidates if len(candidate) >= _LEAST_SECRET_CHARACTERS)

    @property
    def login(self) -> str | None:
        """The `Authorization` header (RFC 7617) where its address has a user or password."""
        parts = urlsplit(self.base_url)
        if not (parts.username or parts.password):
            return None
        credentials = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
        return _BASIC + base64.b64encode(credentials.encode()).decode()

    @property
    def names_key(self) -> bool:
        """Whether the configuration says where its key is; otherwise litellm looks for one itself."""
        return self.api_key_env is not None and (not self.litellm or "api_key_env" in self.model_fields_set)

    @property
    def called(self) -> str:
        """The name of its model; of a function without one, the function's path."""
        return self.python if self.python and "model" not in self.model_fields_set else self.model

    @property
    def identity(self) -> dict[str, Any]:
        """The settings that change its answers; its address is not among them."""
        return {"model": self.called, "temperature": self.temperature, "parameters": self.parameters}


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
