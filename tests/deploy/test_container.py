"""The image and the compose file, as far as they can be held to the program without a container engine."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.support.command import PROGRAM
from tests.support.server import Server, running

from tracegrade.collector.cli.commands import COMMANDS
from tracegrade.collector.config.settings import load

DEPLOY = Path(__file__).parents[2] / "deploy"
ROOT = DEPLOY.parent
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
NOBODY = "http://127.0.0.1:9"


def instructions(word: str) -> list[str]:
    """What stands behind an instruction of the Dockerfile, each time."""
    return [line.strip() for line in re.findall(rf"^{word}\s+(.*)$", DOCKERFILE, re.MULTILINE)]


def variables() -> dict[str, str]:
    """The program's settings in the image's environment."""
    return dict(
        pair.partition("=")[::2] for line in instructions("ENV") for pair in line.split() if "TRACEGRADE_" in pair
    )


def asks_for_health(url: str) -> int:
    """The exit code of the image's health check, asked of another address."""
    (line,) = re.findall(r"CMD (\[.*\])", instructions("HEALTHCHECK")[0])
    _, *arguments = json.loads(line)
    moved = [argument.replace("http://127.0.0.1:8400", url) for argument in arguments]
    return subprocess.run([sys.executable, *moved], capture_output=True, timeout=30, check=False).returncode


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with running(tmp_path / "store.duckdb") as one:
        yield one


def test_image_copies_only_what_there_is() -> None:
    sources = [source for line in instructions("COPY") if "--from" not in line for source in line.split()[:-1]]
    assert [source for source in sources if not (ROOT / source).exists()] == []


def test_image_is_built_with_the_pinned_versions_and_runs_without_root() -> None:
    installs = [step for line in instructions("RUN") for step in line.split("&&") if "install" in step]
    assert installs
    assert [step for step in installs if "-c deploy/constraints.txt" not in step] == []
    assert instructions("USER")[-1] not in {"0", "root"}


def test_image_starts_a_command_that_exists() -> None:
    (command,) = json.loads(instructions("CMD")[-1])
    assert json.loads(instructions("ENTRYPOINT")[-1]) == [Path(PROGRAM).name]
    assert command in COMMANDS


def test_variables_of_the_image_are_settings_and_open_it_to_its_ports(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in variables().items():
        monkeypatch.setenv(name, value)
    settings = load()
    addresses = settings.listen.model_dump(include={"grpc", "http", "web"}).values()
    listening = {address.rpartition(":")[2] for address in addresses}
    assert listening == set(instructions("EXPOSE")[0].split())
    assert {address.rpartition(":")[0] for address in addresses} == {"0.0.0.0"}
    assert settings.store.startswith(f"duckdb:///{instructions('VOLUME')[0]}/")


def test_health_check_tells_a_ready_server_from_none(server: Server) -> None:
    assert asks_for_health(server.web) == 0
    assert asks_for_health(NOBODY) != 0


def test_ports_are_published_on_this_machine_only() -> None:
    published = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert len(published) == 3
    assert [port for port in published if not port.startswith("127.0.0.1:")] == []


def test_agent_waits_for_a_healthy_server_and_sends_to_it() -> None:
    agent = SERVICES["agent"]
    assert agent["depends_on"] == {"tracegrade": {"condition": "service_healthy"}}
    assert agent["environment"]["OTEL_EXPORTER_OTLP_ENDPOINT"] == "http://tracegrade:4318"


def test_what_is_mounted_exists_or_is_a_volume() -> None:
    sources = [mount.partition(":")[0] for service in SERVICES.values() for mount in service.get("volumes", ())]
    assert [source for source in sources if source not in COMPOSE["volumes"] and not (DEPLOY / source).exists()] == []


def test_image_is_built_from_the_root_with_its_dockerfile() -> None:
    build = SERVICES["tracegrade"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).resolve() == DEPLOY / "Dockerfile"
