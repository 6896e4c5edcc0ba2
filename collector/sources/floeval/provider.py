"""The model that Floeval's metrics ask: any server with an OpenAI-compatible API."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, SecretStr

__all__ = ["OpenAIProviderConfig", "make_judge"]

_CHAT: Final = "chat/completions"


class OpenAIProviderConfig(BaseModel):
    """Floeval's `llm_config`. The embedding model is not used: no metric of agents needs embeddings."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str = Field(default="https://api.openai.com/v1", description="address of the API")
    api_key: SecretStr = Field(description="key of the API")
    chat_model: str = Field(default="gpt-3.5-turbo", description="model that the metrics ask")
    chat_endpoint: str = Field(default=_CHAT, description="path of the endpoint, below base_url")
    system_prompt: str | None = Field(default=None, description="system message before each question")
    embedding_model: str | None = Field(default=None, description="not used")
    embedding_endpoint: str | None = Field(default=None, description="not used")


def make_judge(config: OpenAIProviderConfig) -> Callable[[str], Awaitable[str]]:
    """Return a function that asks the model; it raises what the client of OpenAI raises. Needs `tracegrade[server]`."""

    async def ask(prompt: str) -> str:
        from openai import AsyncOpenAI  # noqa: PLC0415 - of the extra, and slow to import

        system = [{"role": "system", "content": config.system_prompt}] if config.system_prompt else []
        question = {"role": "user", "content": prompt}
        async with AsyncOpenAI(base_url=config.base_url, api_key=config.api_key.get_secret_value()) as client:
            answer = await client.post(
                f"/{config.chat_endpoint.strip('/')}",
                cast_to=dict[str, Any],
                body={"model": config.chat_model, "messages": [*system, question], "temperature": 0},
            )
        return str(answer["choices"][0]["message"].get("content") or "")

    return ask
