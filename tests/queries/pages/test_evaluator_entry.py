"""The entry of an evaluator in the form for a preview: YAML that people can read and change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.support.evaluators import make_evaluator
from tests.support.pages import make_pages_app, open_page
from tests.support.store import opened

from tracegrade.collector.config.yaml_loader import PlainLoader
from tracegrade.queries.pages.evaluators.entry import write_yaml

RUBRIC = "Was the answer polite?\n\n  It 'greets' the user: \"Grüße\" <b>.\n"


@pytest.mark.parametrize(
    "value",
    [
        RUBRIC,
        RUBRIC.strip(),
        f"{RUBRIC}\n\n",
        " begins with a space\nsecond",
        "\nbegins with an empty line",
        "a\n \nb",
        "a\n\tb\n",
        "a: b # c\n- d",
        "a\x07b\nc\x85d\u2028e",
        "no",
        "1",
        "0o17",
        "1e5",
        "",
        "plain",
        0.5,
        None,
        True,
        [1, "a\nb"],
        {},
        {"inner": {"text": RUBRIC, "no": 1}},
    ],
)
def test_entry_is_read_as_it_was(value: Any) -> None:
    entry = {"use": "rubric", "options": {"criteria": value, "other: key": 1}, "when": "failing"}
    assert yaml.safe_load(write_yaml(entry)) == entry
    assert yaml.load(write_yaml(entry), Loader=PlainLoader) == entry


def test_text_of_several_lines_is_written_in_lines() -> None:
    written = write_yaml({"options": {"criteria": RUBRIC}})
    assert written == (
        "options:\n  criteria: |\n    Was the answer polite?\n\n      It 'greets' the user: \"Grüße\" <b>.\n"
    )


def test_options_are_shown_as_they_were_written(tmp_path: Path) -> None:
    own = make_evaluator("own", options={"criteria": RUBRIC, "words": ["it's <b>", "Grüße"]})
    with opened(tmp_path) as store:
        store.ledger.enrol((own,))
        shown = open_page(make_pages_app(store.database, evaluators=(own,)), "/evaluators/own")
    assert "It 'greets' the user: \"Grüße\" <b>." in shown.text
    assert '[ "it\'s <b>", "Grüße" ]' in shown.text
    assert "<b>." not in shown.source
