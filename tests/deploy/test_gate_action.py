"""The composite action, as far as it can be run without GitHub: its steps are scripts for bash."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.support import agent_spans
from tests.support.command import PROGRAM

pytestmark = pytest.mark.exhaustive  # each test runs the steps of the action in a shell

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "deploy/gate/action.yml").read_text(encoding="utf-8"))
INSTALL, GATE = ACTION["runs"]["steps"]


def run(folder: Path, **inputs: str) -> tuple[int, str, str]:
    """Runs the step that checks; returns its exit code, what it printed and the job's summary."""
    (folder / "tracegrade/bin").mkdir(parents=True)
    (folder / "tracegrade/bin/tracegrade").symlink_to(PROGRAM)
    (folder / "spans.pb").write_bytes(agent_spans.export_request(agent_spans.trip(1)))
    (folder / "gate.yaml").write_text("evaluators: {run_completion: 0.9}\n", encoding="utf-8")
    (folder / "strict.yaml").write_text("evaluators: {run_completion: {min_mean: 0, min_n: 9}}\n", encoding="utf-8")
    given = {name.upper(): str(about.get("default", "")) for name, about in ACTION["inputs"].items()} | inputs
    files = {"GITHUB_OUTPUT": folder / "output", "GITHUB_STEP_SUMMARY": folder / "summary.md"}
    for file in files.values():
        file.touch()
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", GATE["run"]],
        cwd=folder,
        env={**os.environ, "RUNNER_TEMP": str(folder), **given, **{name: str(file) for name, file in files.items()}},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert files["GITHUB_OUTPUT"].read_text() == f"exit-code={done.returncode}\n"
    return done.returncode, done.stdout + done.stderr, files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")


def test_action_passes_with_a_summary_and_junit(tmp_path: Path) -> None:
    code, printed, summary = run(tmp_path, FILES="*.pb", GATE="gate.yaml")
    assert code == 0, printed
    assert summary.startswith("## ✅ Gate passed")
    assert (tmp_path / "tracegrade-gate.xml").exists()


@pytest.mark.parametrize(
    ("inputs", "code", "message"),
    [
        ({"FILES": "*.pb", "GATE": "strict.yaml"}, 3, "::error title=Gate%3A run_completion::"),
        ({"FILES": "*.json", "GATE": "gate.yaml"}, 3, "::error title=Gate::no file matches *.json"),
        ({"FILES": "*.pb", "GATE": "absent.yaml"}, 2, ""),
    ],
    ids=["too few scores", "no files", "no gate"],
)
def test_action_ends_as_the_gate_does(tmp_path: Path, inputs: dict[str, str], code: int, message: str) -> None:
    ended, printed, _ = run(tmp_path, **inputs)
    assert (ended, message in printed) == (code, True), printed


def test_steps_get_every_input_that_they_read() -> None:
    given = {name for step in (INSTALL, GATE) for name in step["env"]}
    assert given == {name.upper() for name in ACTION["inputs"]}
    for step in (INSTALL, GATE):
        assert all(value == f"${{{{ inputs.{name.lower()} }}}}" for name, value in step["env"].items())


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.mark.parametrize("package", ["", "tracegrade[server]==9"], ids=["beside it", "named"])
def test_action_installs_what_is_beside_it_or_named(tmp_path: Path, package: str) -> None:
    script(tmp_path / "bin/python3", "exit 0")  # makes no environment
    script(tmp_path / "tracegrade/bin/pip", 'printf "%s\\n" "$@"')
    variables = {"RUNNER_TEMP": str(tmp_path), "GITHUB_ACTION_PATH": str(ROOT / "deploy/gate"), "PACKAGE": package}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", INSTALL["run"]],
        env={"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", **variables},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    beside = ["--constraint", f"{ROOT}/deploy/constraints.txt", f"tracegrade[server] @ file://{ROOT}"]
    assert done.stdout.splitlines() == ["install", "--quiet", *([package] if package else beside)], done.stderr
