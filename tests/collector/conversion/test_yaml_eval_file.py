"""AgentV's eval files in YAML become items, with the files that their messages name."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tracegrade.collector.conversion.recognition import open_file
from tracegrade.collector.errors import Fault
from tracegrade.evaluators.formats.imported import Imported, RecordFault
from tracegrade.evaluators.formats.kinds import UnknownKind

RESEARCH = """
    description: Validate research agent tool usage
    execution:
      target: codex_agent
    evalcases:
      - id: comprehensive-research
        expected_outcome: Agent thoroughly researches the topic
        input_messages:
          - role: user
            content:
              - type: text
                value: Research machine learning frameworks
              - type: file
                value: notes/frameworks.md
        execution:
          evaluators:
            - name: coverage
              type: tool_trajectory
              mode: any_order
              minimums: {webSearch: 1, documentRead: 2, noteTaking: 1}
      - id: broken
        expected_outcome: none
        input_messages: go there
        execution:
          evaluators: [{name: x, type: tool_trajectory, mode: banana}]
"""


def write(path: Path, text: str) -> Path:
    path.write_text(dedent(text), encoding="utf-8")
    return path


def read(path: Path, kind: str | None = None) -> list[Imported | RecordFault]:
    with open_file(path, kind) as file:
        assert file.kind.name == "agentv"
        return list(file.entries)


def test_cases_are_read_with_their_lines_and_the_files_that_they_name(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    write(tmp_path / "notes" / "frameworks.md", "There are two.")
    item, fault = read(write(tmp_path / "dataset.yaml", RESEARCH))
    assert isinstance(item, Imported)
    assert (item.place, item.id) == ("line 6", "comprehensive-research")
    assert item.input == "Research machine learning frameworks\nThere are two."
    assert item.expectation is not None
    assert item.expectation.minimums == {"webSearch": 1, "documentRead": 2, "noteTaking": 1}
    assert isinstance(fault, RecordFault)
    assert fault.place == "line 25"
    assert fault.reason.startswith("execution.evaluators[0]: mode: 'banana' is not one of")


def test_a_file_that_is_missing_or_led_to_by_a_link_is_a_fault_of_its_case(tmp_path: Path) -> None:
    folder = tmp_path / "evals"
    (folder / "notes").mkdir(parents=True)
    path = write(folder / "dataset.yml", RESEARCH)
    (fault, _) = read(path)
    assert isinstance(fault, RecordFault)
    assert fault.reason.startswith("input_messages[0].content[1].value: notes/frameworks.md cannot be read: ")
    (folder / "notes" / "frameworks.md").symlink_to(write(tmp_path / "secret", "secret"))
    (fault, _) = read(path)
    assert isinstance(fault, RecordFault)
    assert fault.reason.endswith("cannot be read: it is outside of the folder of the eval file")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("a: 1", "only an eval file of AgentV", id="another file"),
        pytest.param("- 1", "only an eval file of AgentV", id="a list"),
        pytest.param("", "only an eval file of AgentV", id="empty"),
        pytest.param("a: [", "not valid YAML", id="no YAML"),
        pytest.param("a:\n\t- 1", "not valid YAML", id="tabs"),
        pytest.param("evalcases: []\nevalcases: []", "evalcases", id="a key twice"),
        pytest.param(
            "a: &a [1,1,1,1,1,1,1,1,1]\n"
            + "".join(
                f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefg", "bcdefgh", strict=True)
            ),
            "more than 1,000,000 values",
            id="aliases that repeat",
        ),
    ],
)
def test_a_file_that_is_no_eval_file_is_refused(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises((UnknownKind, Fault)) as refusal:
        read(path)
    assert reason in str(refusal.value)


def test_another_kind_cannot_be_in_yaml(tmp_path: Path) -> None:
    with pytest.raises(UnknownKind, match="a file in YAML of the kind floeval cannot be read"):
        read(write(tmp_path / "x.yaml", RESEARCH), "floeval")
