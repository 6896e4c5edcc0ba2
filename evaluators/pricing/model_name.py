"""Normalises names of models, which providers, gateways and instrumentations spell differently.

The rules are our own and few. Identifiers of price lists are unsuitable: they differ between the providers of one
model and between versions of a list, and a stored name must not change with an installed package.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = ["MOST_CHARACTERS", "has_bedrock_form", "model_name", "without_prefix"]

MOST_CHARACTERS: Final = 200
"""A longer text is not the name of a model."""

# fmt: off
_PROVIDERS: Final = frozenset({
    "ai21", "alibaba", "amazon", "anthropic", "anyscale", "azure", "azure_ai", "azure_openai", "bedrock",
    "bedrock_converse", "cerebras", "cloudflare", "cohere", "cohere_chat", "databricks", "deepinfra", "deepseek",
    "deepseek-ai", "fireworks", "fireworks_ai", "gemini", "github", "github_copilot", "google", "google-gla",
    "google-vertex", "google_genai", "google_vertexai", "googleai", "groq", "huggingface", "hosted_vllm", "litellm",
    "lm_studio", "meta", "meta-llama", "minimax", "mistral", "mistralai", "models", "moonshot", "moonshotai",
    "novita", "nvidia", "nvidia_nim", "ollama", "ollama_chat", "openai", "openrouter", "perplexity", "qwen",
    "sambanova", "together", "together_ai", "vertex", "vertex_ai", "vertexai", "vllm", "watsonx", "x-ai", "xai",
    "z-ai", "zai",
})
# fmt: on
"""Prefixes of a name, before a slash or a colon. Any other prefix, such as an organisation with models of its own, is
part of the name."""

_PATH: Final = re.compile(
    r"^(?:projects/[^/]+/locations/[^/]+/)?publishers/[^/]+/models/"
    r"|^accounts/fireworks/models/"
    r"|^arn:aws[^/]*:bedrock:[^/]*(?:inference-profile|foundation-model)/"
)
_TAG: Final = re.compile(
    r"(?:\d+(?:\.\d+)?(?:x\d+)?[bm]|v\d[\d.]*|latest|base|chat|code|instruct|text|vision)(?![a-z0-9])", re.IGNORECASE
)
"""The tag after the colon in a name of Ollama: in `mistral:7b`, `mistral` is the model, not the provider."""

_BEDROCK: Final = re.compile(
    r"^(?:(?:us|us-gov|eu|apac|ap|jp|au|ca|sa|global)\.)?"
    r"(?:ai21|amazon|anthropic|cohere|deepseek|meta|minimax|mistral|moonshot|nvidia|openai|qwen|writer|zai)\.(?=[a-z])"
)
_ENDINGS: Final = (
    re.compile(r"(?<=\d{8})-v\d+:\d+$"),  # Bedrock, after a date
    re.compile(r"-v?1:0$"),  # the first version in Bedrock; a later one may be another model
    re.compile(r"[-@](?:19|20)\d{2}-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])$"),
    re.compile(r"-(?:0[1-9]|1[0-2])-20\d{2}$"),  # Cohere, and previews of Gemini
    re.compile(r"(?<=-preview)-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$"),
    re.compile(r"[-:@]latest$"),
    re.compile(r"@default$"),
)
_ENDINGS_OF_FAMILY: Final = (
    re.compile(r"^(gpt-\d.*)-(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$"),  # gpt-4-0613
    re.compile(r"^(gemini-\d.*)-\d{3}$"),  # gemini-2.0-flash-001
    re.compile(r"^((?:open-)?[a-z]*(?:stral|xtral)(?:-.*)?)-2\d(?:0[1-9]|1[0-2])$"),  # mistral-large-2411
)
_NAMED_BY_MAKER: Final = "deepseek."
"""The maker whose model names Bedrock shortens: `deepseek.r1-v1:0`."""

_FINE_TUNED: Final = "ft:"
_AZURE: Final = re.compile(r"^gpt-35(?=-|$)")


@lru_cache(maxsize=2048)
def model_name(name: str) -> str:
    """Return the name of a model in lower case, without the provider before it and date or version after it:
    `gpt-4.1-mini` for `openai/gpt-4.1-mini-2025-04-14`. A fine-tuned model (`ft:…`) keeps its own name."""
    if len(name) > MOST_CHARACTERS:
        return name
    plain = without_prefix(name)
    if plain.startswith(_FINE_TUNED):
        return plain
    plain = _BEDROCK.sub(_replace_maker, plain.lower())
    return _AZURE.sub("gpt-3.5", _without_version(plain)) or name


def without_prefix(name: str) -> str:
    """Return the name of a model without known prefixes of providers and paths; without spaces around it."""
    left = name.strip()
    while True:
        match = _PATH.match(left)
        if match is not None:
            left = left[match.end() :]
            continue
        prefix = re.match(r"^([\w.-]+)[/:](?=[^/:\s])", left)
        if prefix is None or prefix[1].lower() not in _PROVIDERS or _is_tagged(left, prefix.end()):
            return left
        left = left[prefix.end() :]


def has_bedrock_form(name: str) -> bool:
    """Return whether it is an identifier of Amazon Bedrock, such as `us.anthropic.claude-sonnet-4-20250514-v1:0`."""
    return _BEDROCK.match(name.lower()) is not None


def _is_tagged(name: str, at: int) -> bool:
    """Return whether a colon before position `at` is followed by the tag of a model."""
    return name[at - 1] == ":" and _TAG.match(name, at) is not None


def _replace_maker(bedrock: re.Match[str]) -> str:
    return "deepseek-" if bedrock[0].endswith(_NAMED_BY_MAKER) else ""


def _without_version(name: str) -> str:
    before = None
    while before != name:
        before = name
        for ending in _ENDINGS:
            name = ending.sub("", name)
        for ending in _ENDINGS_OF_FAMILY:
            name = ending.sub(r"\1", name)
    return name
