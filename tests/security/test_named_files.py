"""An eval file may come from anybody: the files that it names reveal nothing, and hold up nothing."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.command import tracegrade
from tests.support.store import opened

from tracegrade.collector.conversion.recognition import open_file
from tracegrade.collector.sources.agentv.evaluators import evaluate_case
from tracegrade.evaluators.experiments.item_file import read_item_file
from tracegrade.evaluators.formats.agentv.eval_case import read_case
from tracegrade.evaluators.formats.imported import Imported, RecordFault
from tracegrade.evaluators.model import AgentTrace


def make_pipe(folder: Path) -> str:
    os.mkfifo(folder / "pipe")
    return "pipe"


def link_to(target: str) -> Callable[[Path], str]:
    def link(folder: Path) -> str:
        (folder / "link.md").symlink_to(target)
        return "link.md"

    return link


def write(name: str, content: bytes = b"secret") -> Callable[[Path], str]:
    def write_file(folder: Path) -> str:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
        return name

    return write_file


REFUSED = [
    pytest.param(make_pipe, "not a regular file", id="pipe that nobody writes"),
    pytest.param(link_to("/dev/zero"), "outside of the folder", id="device"),
    pytest.param(link_to("/etc/hostname"), "outside of the folder", id="link out of the folder"),
    pytest.param(link_to("link.md"), "outside of the folder|levels of symbolic links", id="link to itself"),
    pytest.param(write(".env"), "hidden", id="hidden file"),
    pytest.param(write(".git/config"), "hidden", id="file of a hidden folder"),
    pytest.param(write("a.md", b"\xff\xfe\xff"), "not text", id="no text"),
    pytest.param(write("a.md", b"a\0b"), "not text", id="bytes of a program"),
    pytest.param(write("a.md", b"x" * (2**20 + 1)), "larger than 1 MiB", id="large file"),
]


@pytest.mark.parametrize(("make", "reason"), REFUSED)
def test_file_of_a_message_is_refused(tmp_path: Path, make: Callable[[Path], str], reason: str) -> None:
    content = [{"type": "file", "value": make(tmp_path)}]
    case = {"id": "a", "expected_outcome": "b", "input_messages": [{"role": "user", "content": content}]}
    path = tmp_path / "cases.yaml"
    path.write_text(json.dumps({"evalcases": [case]}))
    with open_file(path) as file:
        (fault,) = file.entries
    assert isinstance(fault, RecordFault)
    assert re.search(reason, fault.reason)
    assert str(tmp_path) not in fault.reason


@pytest.mark.parametrize(("make", "reason"), REFUSED)
def test_file_of_a_prompt_is_refused(tmp_path: Path, make: Callable[[Path], str], reason: str) -> None:
    assert re.search(reason, judge_by(make(tmp_path), tmp_path))


@pytest.mark.parametrize("prompt", ["/etc/passwd", "../secret.md"])
def test_prompt_outside_of_the_folder_is_refused(tmp_path: Path, prompt: str) -> None:
    folder = tmp_path / "evals"
    folder.mkdir()
    (tmp_path / "secret.md").write_text("secret")
    assert "outside of the folder" in judge_by(prompt, folder)


def judge_by(prompt: str, folder: Path) -> str:
    """The reason why a run is not judged by a prompt."""
    evaluators = [{"name": "a", "type": "llm_judge", "prompt": prompt}]
    case = read_case({"id": "a", "input": "b", "expected_outcome": "c", "evaluators": evaluators}, "line 1")

    def judge(_: object) -> str:
        raise AssertionError("the judge was asked")

    (result,) = evaluate_case(case, AgentTrace(input="b", final_response="c"), folder=folder, judge=judge)
    return result.reason or ""


def test_text_beside_the_eval_file_is_read(tmp_path: Path) -> None:
    content = [{"type": "file", "value": write("notes/a.md", "één".encode())(tmp_path)}]
    case = {"id": "a", "expected_outcome": "b", "input_messages": [{"role": "user", "content": content}]}
    path = tmp_path / "cases.yaml"
    path.write_text(json.dumps({"evalcases": [case]}))
    with open_file(path) as file:
        (item,) = file.entries
    assert isinstance(item, Imported)
    assert item.input == "één"


@pytest.mark.parametrize("arguments", [("dataset", "add", "trips"), ("annotate", "--import")], ids=" ".join)
def test_file_of_the_command_line_that_is_a_pipe_is_refused(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    pipe = tmp_path / "items.jsonl"
    os.mkfifo(pipe)
    with opened(tmp_path):
        pass
    done = tracegrade(*arguments, pipe, "--store", tmp_path / "store.duckdb", at=tmp_path)
    assert done.code != 0
    assert "it is not a regular file" in done.err


@pytest.mark.parametrize("path", ["/dev/zero", "."], ids=["device", "folder"])
def test_items_are_read_from_regular_files_only(path: str) -> None:
    with pytest.raises((ValueError, OSError)):
        read_item_file(Path(path))
