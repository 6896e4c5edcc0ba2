"""Judges by the name of a model, as other systems write it: `openai/gpt-4.1`, `openai:o3-mini`, `anthropic/…`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import SecretStr

from ..exchange.failure import Unready
from ..exchange.judge import Judge, JudgeWithKey
from ..exchange.key import key_of

__all__ = ["judge_named"]

_OPENAI: Final = ("openai/", "openai:")
_OF_LITELLM: Final = {
    "azure-openai": "azure",
    "azure_openai": "azure",
    "google": "gemini",
    "google-genai": "gemini",
    "google_genai": "gemini",
    "google_vertexai": "vertex_ai",
    "mistralai": "mistral",
}
"""litellm's names of providers that other systems call otherwise."""

_FINE_TUNED: Final = "ft:"
_BESIDE: Final = "default_hyperparameters"
_SETTINGS: Final = {
    "api_base": "base_url",
    "base_url": "base_url",
    "max_completion_tokens": "max_output_tokens",
    "max_output_tokens": "max_output_tokens",
    "max_tokens": "max_output_tokens",
    "max_polls": "max_polls",
    "poll_every_s": "poll_every_s",
    "temperature": "temperature",
    "timeout": "timeout_s",
    "timeout_s": "timeout_s",
}
"""The fields of a judge, by the words that a configuration of a model has for them; the others are parameters."""


def judge_named(model: str, *, key: str | None = None, settings: Mapping[str, Any] | None = None) -> Judge:
    """Return the judge that is the model of this name; one of another provider than OpenAI is asked through litellm.

    `settings` are fields of a judge, or further fields of its requests. Without `key`, the key is that of the
    environment. Raises ValueError if there is none, or for a setting with a wrong value.
    """
    given = dict(settings or {})
    given |= given.pop(_BESIDE, None) or {}
    key = given.pop("api_key", None) if key is None else key
    fields: dict[str, Any] = {_SETTINGS[name]: value for name, value in given.items() if name in _SETTINGS}
    fields["parameters"] = {name: value for name, value in given.items() if name not in _SETTINGS}
    fields |= _named(model, has_address="base_url" in fields)
    if key is not None:
        return JudgeWithKey(**fields, api_key=SecretStr(key))
    judge = Judge(**fields)
    _refuse_without_key(judge)
    return judge


def _named(model: str, *, has_address: bool) -> dict[str, Any]:
    """Return the fields `model` and, if litellm is asked, `litellm`. A server with an address gets its own name."""
    if model.startswith(_OPENAI):
        return {"model": model[len(_OPENAI[0]) :]}
    mark = next((mark for mark in "/:" if mark in model), None)
    if mark is None or has_address or model.startswith(_FINE_TUNED):
        return {"model": model}
    provider, _, name = model.partition(mark)
    return {"model": f"{_OF_LITELLM.get(provider, provider)}/{name}", "litellm": True}


def _refuse_without_key(judge: Judge) -> None:
    if not judge.names_key or judge.login is not None:
        return
    try:
        key_of(judge)
    except Unready as missing:
        raise ValueError(f"a model that is named by a text needs credentials: give its key ({missing})") from missing
