"""Which targets a sample takes in, and when two evaluators want the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import duckdb
import pytest

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.passes.sampling import hash_selection, is_in_else_sample, is_in_sample
from tracegrade.queries import catalog

ERRORS = configure("tool_error")
IDS = [f"{number:032x}-{number:016x}" for number in range(5000)]


def test_sample_takes_its_share_and_the_same_runs_whenever_it_is_asked() -> None:
    tenth = replace(ERRORS, sample=0.1)
    taken = [one for one in IDS if is_in_sample(tenth, one)]
    assert 400 < len(taken) < 600
    assert taken == [one for one in IDS if is_in_sample(tenth, one)]
    assert taken != [one for one in IDS if is_in_sample(replace(tenth, name="other"), one)]


def test_macro_of_the_store_takes_the_same_sample() -> None:
    tenth = replace(ERRORS, sample=0.1)
    connection = duckdb.connect()
    catalog.migrate(connection)
    asked = {"ids": IDS, "evaluator": tenth.name, "sample": tenth.sample}
    found = connection.execute(
        "select id from (select unnest($ids) as id) where sample_place($evaluator, id) < $sample", asked
    ).fetchall()
    assert sorted(one for (one,) in found) == sorted(one for one in IDS if is_in_sample(tenth, one))


@pytest.mark.parametrize("share", [0.0, 1.0], ids=["none", "all"])
def test_share_of_none_and_of_all_is_exact(share: float) -> None:
    one = replace(ERRORS, sample=share, else_sample=share)
    assert {is_in_sample(one, target) for target in IDS} == {share == 1.0}
    assert {is_in_else_sample(one, target) for target in IDS} == {share == 1.0}


@pytest.mark.parametrize(
    ("fields", "is_same"),
    [
        pytest.param({"threshold": 0.5, "config_hash": "other"}, True, id="what it makes of a run"),
        pytest.param({"when": "true"}, False, id="when"),
        pytest.param({"sample": 0.5}, False, id="sample"),
        pytest.param({"else_sample": 0.5}, False, id="else_sample"),
        pytest.param({"after": ("other",)}, False, id="after"),
    ],
)
def test_selection_changes_with_what_is_wanted_alone(fields: dict[str, Any], *, is_same: bool) -> None:
    assert (hash_selection(replace(ERRORS, **fields)) == hash_selection(ERRORS)) is is_same
