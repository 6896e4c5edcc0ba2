from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tracegrade.collector.settings import BadConfiguration, configured, load


def written(folder: Path, text: str) -> Path:
    path = folder / "tracegrade.yaml"
    path.write_text(dedent(text), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("stroe: x\n", ["line 1", "stroe", "'store'"], id="unknown setting"),
        pytest.param("listen:\n  gprc: x\n", ["line 2", "listen.gprc", "'grpc'"], id="unknown in a section"),
        pytest.param("assembly:\n  grace: soon\n", ["line 2", "assembly.grace", "250ms"], id="no duration"),
        pytest.param(
            "evaluators:\n  - use: defaults\n  - use: tool_eror\n", ["line 3", "'tool_error'"], id="no such evaluator"
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    options:\n      blnak: true\n",
            ["line 4", "'blnak'", "'blank'"],
            id="unknown option",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_trajectory\n    options:\n      argument_matcher:\n        triM: true\n",
            ["line 5", "'argument_matcher.triM'", "'trim'"],
            id="unknown option inside an option",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_trajectory\n    options: {mode: sorted}\n",
            ["line 3", "'mode'", "in_order"],
            id="option of the wrong kind",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n    treshold: 1\n",
            ["line 3", "treshold", "'threshold'"],
            id="in an entry",
        ),
        pytest.param(
            "evaluators:\n  - use: tool_error\n  - use: tool_error\n", ["line 3", "two are called"], id="a name twice"
        ),
        pytest.param(
            "evaluators:\n  - use: defaults\n    threshold: 1\n", ["line 2", "stands alone"], id="defaults with more"
        ),
        pytest.param("evaluators: [", ["not YAML"], id="no YAML"),
    ],
)
def test_file_that_cannot_be_used_is_refused_with_line_and_word(tmp_path: Path, text: str, said: list[str]) -> None:
    with pytest.raises(BadConfiguration) as refusal:
        load(written(tmp_path, text))
    assert all(word in str(refusal.value) for word in ("tracegrade.yaml", *said)), str(refusal.value)


def test_every_fault_of_a_file_is_told(tmp_path: Path) -> None:
    text = "evaluators:\n  - use: tool_error\n    options: {blnak: true, statsu: false}\n"
    with pytest.raises(BadConfiguration, match=r"(?s)blnak.*statsu"):
        load(written(tmp_path, text))


def test_without_a_file_the_defaults_judge(tmp_path: Path) -> None:
    judges = configured(None)
    assert {one.name: (one.scope, one.only_with_reference) for one in judges} == {
        "tool_call_validity": ("trace", False),
        "tool_error": ("trace", False),
        "tool_efficiency": ("trace", False),
        "tool_name_reliability": ("tool", False),
        "tool_description_reliability": ("tool", False),
        "tool_correctness": ("trace", True),
        "tool_trajectory": ("trace", True),
    }


def test_entries_take_the_place_of_the_defaults(tmp_path: Path) -> None:
    text = "evaluators:\n  - {use: 'deepeval:tool_correctness', name: tools, threshold: 0.8}\n"
    (judge,) = configured(load(written(tmp_path, text)).evaluators)
    assert (judge.name, judge.type, judge.threshold) == ("tools", "deepeval:tool_correctness", 0.8)
