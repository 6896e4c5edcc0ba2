from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

FILE = Path(__file__).parents[2] / "deploy/otel-collector.yaml"
CONFIG: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
PIPELINES: dict[str, dict[str, list[str]]] = CONFIG["service"]["pipelines"]


@pytest.mark.parametrize("signal", ["traces", "logs"])
def test_signal_goes_to_the_backend_and_to_tracegrade(signal: str) -> None:
    assert set(PIPELINES[signal]["exporters"]) == {"otlp/backend", "otlp/tracegrade"}


@pytest.mark.parametrize("signal", PIPELINES)
@pytest.mark.parametrize("kind", ["receivers", "processors", "exporters"])
def test_what_a_pipeline_names_is_configured(signal: str, kind: str) -> None:
    assert set(PIPELINES[signal][kind]) <= CONFIG[kind].keys()


def test_tracegrade_has_a_queue_of_its_own_and_is_asked_again() -> None:
    exporter = CONFIG["exporters"]["otlp/tracegrade"]
    assert exporter["sending_queue"]["enabled"]
    assert exporter["retry_on_failure"]["enabled"]


def test_it_does_not_send_to_itself() -> None:
    listening = {each["endpoint"].rpartition(":")[2] for each in CONFIG["receivers"]["otlp"]["protocols"].values()}
    sending = CONFIG["exporters"]["otlp/tracegrade"]["endpoint"].rstrip("}").rpartition(":")[2]
    assert sending not in listening
