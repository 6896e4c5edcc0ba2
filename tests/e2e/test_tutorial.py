"""The tutorial works as it stands: its files are written, its commands run, and they print what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from tests.support.command import environment
from tests.support.polling import until
from tests.support.server import JUDGES, running

PAGE = Path(__file__).parents[2] / "collector/docs/tutorial.md"
_BLOCK = re.compile(r"^```(\w+) ?(.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_COMMAND_S = 60.0
_SCORED = f"select count(*) from latest_scores where evaluator in {tuple(sorted(JUDGES))}"


@dataclass(frozen=True)
class Block:
    """A block of the page. `about` stands behind its language: the name of a file, or how the commands end."""

    language: str
    about: str
    text: str


def blocks() -> list[Block]:
    return [Block(*found) for found in _BLOCK.findall(PAGE.read_text(encoding="utf-8"))]


def run(block: Block, folder: Path, variables: Mapping[str, str]) -> str:
    """Runs the commands of a block; gives what they print."""
    done = subprocess.run(
        ["bash", "-e", "-c", block.text],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        timeout=_COMMAND_S,
        check=False,
    )
    is_failing = "fails" in block.about or ("pytest" in block.text and " failed" in done.stdout)
    assert (done.returncode != 0) == is_failing, done.stdout + done.stderr
    return done.stdout


def says(printed: str, wanted: str) -> bool:
    """Whether the lines of `wanted` were printed, in their order; `…` stands for anything."""
    lines = [re.escape(line.strip()).replace("…", ".*") for line in wanted.splitlines() if line.strip()]
    return re.search(".*".join(lines), printed, re.DOTALL) is not None


def change(file: Path, diff: str) -> None:
    """Replaces lines of a file as a diff says."""
    text = file.read_text(encoding="utf-8")
    for old, new in re.findall(r"^-(.*)\n\+(.*)$", diff, re.MULTILINE):
        assert f"{old}\n" in text, old
        text = text.replace(f"{old}\n", f"{new}\n")
    file.write_text(text, encoding="utf-8")


@pytest.mark.nightly
def test_tutorial_prints_what_it_says(tmp_path: Path) -> None:
    install, *page = blocks()
    assert install.text == "pip install 'tracegrade[server,pytest]'\n"
    printed, asked = 0, 0
    with running(tmp_path / "tracegrade.duckdb") as server:
        path = f"{Path(sys.executable).parent}:{environment({})['PATH']}"
        variables = environment({"OTEL_EXPORTER_OTLP_ENDPOINT": server.otlp, "PATH": path})
        for block, following in pairwise([*page, Block("", "", "")]):
            if block.language == "py":
                (tmp_path / block.about.removeprefix("title=")).write_text(block.text, encoding="utf-8")
            elif block.language == "diff":
                change(tmp_path / block.about.removeprefix("title="), block.text)
            elif block.language == "sh" and block.text != "tracegrade serve\n":
                text = run(block, tmp_path, variables)
                if following.language == "text":
                    assert says(text, following.text), text
                    printed += 1
                if block.text.startswith("python agent.py"):
                    asked += len(text.splitlines())
                    until(lambda wanted=asked: server.one(_SCORED) == wanted * len(JUDGES))  # type: ignore[misc]
    assert printed == sum(block.language == "text" for block in page)
