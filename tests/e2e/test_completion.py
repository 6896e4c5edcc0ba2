"""The completions that a shell gets."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.support.command import inside

from tracegrade.collector.cli.commands import COMMANDS

ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_tracegrade
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script for bash."""
    folder = tmp_path_factory.mktemp("completion")
    done = inside("completion", "bash", at=folder)
    assert (done.code, done.err) == (0, "")
    file = folder / "tracegrade.bash"
    file.write_bytes(done.out)
    return file


def completions(script: Path, *words: str) -> set[str]:
    """What bash offers for the last of the words of a line."""
    command = ["bash", "--norc", "-c", ASK, "bash", str(script), "tracegrade", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert done.stderr == ""
    return set(done.stdout.split())


def test_every_command_is_completed(script: Path) -> None:
    assert completions(script, "") >= {*COMMANDS, "--help", "--version"}
    assert completions(script, "back") == {"backfill", "backlog"}


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("sql", "--exp"), {"--expanded"}),
        (("sql", "--format", "json"), {"json", "jsonl", "json-table"}),
        (("completion", ""), {"bash", "zsh", "fish"}),
        (("dataset", ""), {"add", "list", "show", "remove", "export"}),
        (("dataset", "add", "trips", "--ex"), {"--expect"}),
        (("dataset", "add", "trips", "--expect", ""), {"calls", "response"}),
        (("import", "trip"), set()),
        (("check", "--"), {"--help", "--store", "--config"}),
    ],
)
def test_options_and_their_values_are_completed(script: Path, words: tuple[str, ...], offered: set[str]) -> None:
    assert completions(script, *words) == offered


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_every_command_with_its_help(tmp_path: Path, shell: str) -> None:
    done = inside("completion", shell, at=tmp_path)
    assert done.code == 0
    assert [command for command in COMMANDS if command not in done.text] == []
    assert "Run one SELECT." in done.text


def test_shell_that_is_not_known_is_refused_with_those_that_are(tmp_path: Path) -> None:
    done = inside("completion", "tcsh", at=tmp_path)
    assert done.code == 2
    assert "fish" in done.err
