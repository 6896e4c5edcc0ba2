from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.support.command import PROGRAM, environment
from tests.support.polling import until

UNIT = Path(__file__).parents[2] / "deploy/tracegrade.service"
SETTINGS = dict(re.findall(r"^(\w+)=(.*)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE))
DRAINS_WITHIN_S = 30


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("DynamicUser", "yes"),
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"),
        ("ProtectHome", "yes"),
        ("PrivateTmp", "yes"),
        ("CapabilityBoundingSet", ""),
        ("StateDirectory", "tracegrade"),
        ("KillSignal", "SIGTERM"),
        ("KillMode", "mixed"),
        ("OOMPolicy", "continue"),
    ],
)
def test_unit_confines_the_server_and_lets_it_end_in_order(key: str, value: str) -> None:
    assert SETTINGS[key] == value


def test_unit_gives_it_time_to_store_what_it_has_accepted() -> None:
    assert int(SETTINGS["TimeoutStopSec"]) > DRAINS_WITHIN_S


def test_command_of_the_unit_starts_a_server_that_ends_on_sigterm(tmp_path: Path) -> None:
    _, *arguments = shlex.split(SETTINGS["ExecStart"].replace("/var/lib/tracegrade", str(tmp_path)))
    ports = {f"TRACEGRADE_LISTEN__{name}": "127.0.0.1:0" for name in ("GRPC", "HTTP", "WEB")}
    with subprocess.Popen([PROGRAM, *arguments], cwd=tmp_path, env=environment(ports)) as process:
        try:
            until(lambda: (tmp_path / "tracegrade.duckdb.server").exists() or process.poll() is not None)
            process.terminate()
            assert process.wait(timeout=DRAINS_WITHIN_S) == 0
        finally:
            process.kill()
    assert (tmp_path / "tracegrade.duckdb").exists()


def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd is not installed")
    program = "/opt/tracegrade/bin/tracegrade"
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text(encoding="utf-8").replace(program, PROGRAM), encoding="utf-8")
    done = subprocess.run([analyze, "verify", unit], capture_output=True, text=True, timeout=60, check=False)
    assert [line for line in done.stderr.splitlines() if UNIT.name in line] == []
