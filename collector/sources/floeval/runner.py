"""A runner for agents that answer behind an OpenAI-compatible API, such as those of the FloTorch gateway."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tracegrade.evaluators.model import AgentTrace

from ...config.flotorch import read_flotorch_credentials
from ...experiments.model_task import model_task
from .provider import OpenAIProviderConfig

__all__ = ["FloTorchRunner", "create_flotorch_runner"]


@dataclass(frozen=True, slots=True)
class FloTorchRunner:
    """Runs the agent called `agent_name` on a text, in one request."""

    agent_name: str
    base_url: str
    api_key: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict)

    def run(self, text: str) -> AgentTrace:
        """Return the run of the agent on a text. Raises what the client of OpenAI raises."""
        from openai import OpenAI  # noqa: PLC0415 - of the extra, and slow to import

        with OpenAI(base_url=self.base_url, api_key=self.api_key, default_headers=self.headers) as client:
            run = model_task(self.agent_name, client=client)(text)
        assert isinstance(run, AgentTrace)  # noqa: S101 - as model_task has it
        return run


def create_flotorch_runner(
    agent_name: str,
    base_url: str | None = None,
    api_key: str | None = None,
    llm_config: OpenAIProviderConfig | Mapping[str, Any] | None = None,
    run_headers: Mapping[str, str] | None = None,
) -> FloTorchRunner:
    """Return a runner. Address and key are those of the arguments, else of `llm_config`, else of FLOTORCH_BASE_URL and
    FLOTORCH_API_KEY, each by itself. Raises ValueError if one is missing. Needs `tracegrade[server]`.
    """
    config = None if llm_config is None else OpenAIProviderConfig.model_validate(llm_config)
    of_environment = read_flotorch_credentials()
    of_config = (config.base_url, config.api_key.get_secret_value()) if config is not None else (None, None)
    address = base_url or of_config[0] or of_environment.base_url
    key = api_key or of_config[1] or of_environment.api_key
    if not (address and key):
        missing = [name for name, value in (("base_url", address), ("api_key", key)) if not value]
        raise ValueError(
            f"the runner of {agent_name!r} lacks {' and '.join(missing)}: give it as an argument or in llm_config, or "
            "set FLOTORCH_BASE_URL and FLOTORCH_API_KEY"
        )
    return FloTorchRunner(agent_name, address, key, dict(run_headers or {}))
