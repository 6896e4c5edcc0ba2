"""The judge of the configuration as a function from a prompt to an answer."""

from __future__ import annotations

from typing import Final

from pydantic import SecretStr

from tracegrade.evaluators.judges.backends.in_process import JudgeFunction
from tracegrade.evaluators.judges.exchange.key import key_of

from ..config.settings import Settings, judges_of
from .floeval.provider import OpenAIProviderConfig, make_judge

__all__ = ["find_judge"]

_DEFAULT: Final = "default"
_NO_KEY: Final = "none"


def find_judge(settings: Settings, name: str | None = _DEFAULT) -> JudgeFunction | None:
    """Return the judge of that name, else the one called `default`, else the only one; None if there is none.

    It is asked without limits or a cache.
    Raises a Failure if its key is not set.
    """
    judges = judges_of(settings)
    judge = judges.get(name or _DEFAULT) or judges.get(_DEFAULT) or next(iter(judges.values()), None)
    if judge is None:
        return None
    key = key_of(judge) or _NO_KEY
    return make_judge(OpenAIProviderConfig(base_url=judge.base_url, api_key=SecretStr(key), chat_model=judge.model))
