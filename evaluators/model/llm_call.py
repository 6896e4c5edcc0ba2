"""One call of a model: its tokens, cost and times."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from .value import Value

__all__ = ["LlmCall"]


class LlmCall(Value):
    """One call of a model."""

    span_id: str | None = None
    provider_name: str | None = None
    model: str | None = Field(
        default=None, description="the model that answered, else the one asked for, without provider and date"
    )
    request_model: str | None = None
    response_model: str | None = None
    response_id: str | None = None
    previous_response_id: str | None = Field(default=None, description="the response that the request continues")
    prompt_name: str | None = Field(default=None, description="the template that the prompt was made of")
    prompt_version: str | None = None
    reasoning_level: str | None = Field(default=None, description="how much the model was asked to reason")
    is_compacted: bool | None = Field(default=None, description="its conversation was shortened before the request")
    finish_reasons: tuple[str, ...] | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    cache_write_1h_input_tokens: int | None = Field(
        default=None, description="part of cache_write_input_tokens: for an hour"
    )
    audio_input_tokens: int | None = None
    image_input_tokens: int | None = None
    video_input_tokens: int | None = None
    reasoning_tokens: int | None = None
    audio_output_tokens: int | None = None
    image_output_tokens: int | None = None
    cost_usd: float | None = Field(default=None, description="as recorded, else computed from the tokens")
    started_at: datetime | None = None
    duration_ms: float | None = None
    time_to_first_token_ms: float | None = None
    is_retry: bool = False
    error: str | None = None
