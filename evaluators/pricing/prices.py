"""The configured price of a model, and the counts of tokens that it applies to."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Prices", "TokenCounts"]

_MILLION = 1e6


class TokenCounts(NamedTuple):
    """The tokens of one model call or of several. Cached and written tokens and those of a modality are part of the
    input, reasoning and those of a modality part of the output; what was written for an hour is part of what was."""

    input_tokens: int
    output_tokens: int
    cached_input_tokens: int = 0
    cache_write_input_tokens: int = 0
    audio_input_tokens: int = 0
    reasoning_tokens: int = 0
    audio_output_tokens: int = 0
    cache_write_1h_input_tokens: int = 0
    image_input_tokens: int = 0
    video_input_tokens: int = 0
    image_output_tokens: int = 0

    @property
    def whole_input(self) -> int:
        """The number of all tokens that were sent. If more tokens are cached than sent, the instrumentation passed on
        the counts of an API that counts cached tokens separately, such as Anthropic's: then it is the sum of both."""
        from_cache = self.cached_input_tokens + self.cache_write_input_tokens
        return self.input_tokens if from_cache <= self.input_tokens else self.input_tokens + from_cache

    @property
    def whole_output(self) -> int:
        """The number of all tokens of the answer; an API such as Google's may count those of reasoning separately."""
        is_separate = self.reasoning_tokens > self.output_tokens
        return self.output_tokens + self.reasoning_tokens if is_separate else self.output_tokens

    @property
    def has_special(self) -> bool:
        """Whether some tokens have a price of their own."""
        return any(self[2:])

    @property
    def written_for_minutes(self) -> int:
        """The number of tokens that were written to a cache for less than an hour."""
        return max(0, self.cache_write_input_tokens - self.cache_write_1h_input_tokens)

    @property
    def plain_input(self) -> int:
        """The number of tokens sent that have no price of their own."""
        from_cache = self.cached_input_tokens + self.written_for_minutes + self.cache_write_1h_input_tokens
        of_modalities = self.audio_input_tokens + self.image_input_tokens + self.video_input_tokens
        return max(0, self.whole_input - from_cache - of_modalities)

    @property
    def plain_output(self) -> int:
        """The number of tokens of the answer that have no price of their own."""
        special = self.reasoning_tokens + self.audio_output_tokens + self.image_output_tokens
        return max(0, self.whole_output - special)


class Prices(BaseModel):
    """The price of a model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input_usd_per_million: float = Field(ge=0, description="US dollars for a million tokens sent")
    output_usd_per_million: float = Field(ge=0, description="US dollars for a million tokens answered")
    cached_input_usd_per_million: float | None = Field(
        None, ge=0, description="US dollars for a million tokens read from a cache; null: as other tokens sent"
    )
    cache_write_input_usd_per_million: float | None = Field(
        None, ge=0, description="US dollars for a million tokens written to a cache; null: as other tokens sent"
    )
    cache_write_1h_input_usd_per_million: float | None = Field(
        None,
        ge=0,
        description="US dollars for a million tokens written to a cache for an hour; null: as others written to it",
    )

    def usd(self, counts: TokenCounts) -> float:
        """Return the price of these tokens in US dollars."""
        usual, cached = self.input_usd_per_million, self.cached_input_usd_per_million
        written, hourly = self.cache_write_input_usd_per_million, self.cache_write_1h_input_usd_per_million
        written = usual if written is None else written
        plain = counts.plain_input + counts.audio_input_tokens + counts.image_input_tokens + counts.video_input_tokens
        sent = (
            plain * usual
            + counts.cached_input_tokens * (usual if cached is None else cached)
            + counts.written_for_minutes * written
            + counts.cache_write_1h_input_tokens * (written if hourly is None else hourly)
        )
        return (sent + counts.whole_output * self.output_usd_per_million) / _MILLION
