"""Floeval's configuration file, YAML or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...config.configuration_file import BadConfiguration
from ...config.yaml_file import YamlFile, explain
from .provider import OpenAIProviderConfig

__all__ = ["FloevalConfig", "read_config"]


class EvaluationConfig(BaseModel):
    """Floeval's `evaluation_config`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    metrics: tuple[str | dict[str, Any], ...] = Field(min_length=1, description="names, or {id, provider, params}")
    metric_params: dict[str, dict[str, Any]] = Field(default={}, description="parameters by metric, such as threshold")
    agent_name: str | None = Field(default=None, description="the agent to run where a trace is missing")
    default_provider: str = Field(default="builtin", description="provider of metrics without one")


class FloevalConfig(BaseModel):
    """A configuration file of Floeval. `llm_config` is not needed for metrics that ask no model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    llm_config: OpenAIProviderConfig | None = None
    evaluation_config: EvaluationConfig


def read_config(path: Path) -> FloevalConfig:
    """Read a file. Raises BadConfiguration, with the line and the nearest key."""
    file = YamlFile(path)
    if not isinstance(file.value, dict):
        raise BadConfiguration(f"{path}: a configuration of Floeval is a mapping with llm_config and evaluation_config")
    try:
        return FloevalConfig.model_validate(file.value)
    except ValidationError as error:
        raise BadConfiguration(explain(error, FloevalConfig, file)) from error
