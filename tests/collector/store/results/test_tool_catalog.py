"""Tool definitions that were seen in part of a run only, and the scores on them."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.support import agent_spans
from tests.support.store import Store, opened

from tracegrade.evaluators.catalog.configure import configure
from tracegrade.evaluators.execution.run import InProcessWorkbench

DESCRIBED = configure("tool_description_reliability")
NAMED: dict[str, Any] = {"name": "search"}
WHOLE: dict[str, Any] = {"name": "search", "description": "Finds flights by city.", "parameters": {"type": "object"}}


def offering(*definitions: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a span that offers these tools."""
    return {"gen_ai.tool.definitions": json.dumps(definitions)}


def begin(store: Store, trace: int = 1) -> None:
    """An agent that offers a tool by its name, as far as one knows."""
    store.arrive([agent_spans.agent(1, trace=trace, attributes=offering(NAMED))])
    store.revise(trace)


def go_on(store: Store, trace: int = 1) -> None:
    """Its model was told more of the tool."""
    store.arrive([agent_spans.chat(2, trace=trace, parent=1, at_s=1, attributes=offering(WHOLE))])
    store.revise(trace)


def active(store: Store) -> list[Any]:
    """The tools on which a score is active, each by its description."""
    offered = "select 'tool:' || definition_hash as target_id, description from offered_tools"
    found = store.rows(f"select description from latest_scores left join ({offered}) using (target_id) order by 1")
    return [description for (description,) in found]


def test_definition_that_the_whole_run_does_not_have_is_no_longer_offered_and_its_score_withdrawn(
    tmp_path: Path,
) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([DESCRIBED])
        begin(store)
        store.evaluate(DESCRIBED)
        assert active(store) == [None]
        go_on(store)
        assert store.rows("select description from offered_tools") == [(WHOLE["description"],)]
        assert store.rows("from latest_scores") == []
        store.evaluate(DESCRIBED)
        assert active(store) == [WHOLE["description"]]
        assert store.one("select count(*) from scores") == 2


def test_nobody_waits_for_a_tool_that_is_no_longer_offered(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([DESCRIBED])
        begin(store)
        store.defer(DESCRIBED, until=store.now() + timedelta(hours=1), reason="budget spent")
        assert store.one("select count(*) from deferrals") == 1
        go_on(store)
        assert store.rows("from deferrals") == []


def test_definition_that_another_run_offers_stays(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([DESCRIBED])
        begin(store, 1)
        begin(store, 2)
        store.evaluate(DESCRIBED)
        go_on(store, 1)
        store.evaluate(DESCRIBED)
        assert active(store) == [WHOLE["description"], None]


def test_score_on_a_definition_that_is_offered_again_is_active_again_and_stands_once(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.ledger.enrol([DESCRIBED])
        begin(store, 1)
        store.evaluate(DESCRIBED)
        go_on(store, 1)
        assert store.rows("from latest_scores") == []
        begin(store, 2)
        store.evaluate(DESCRIBED)
        assert active(store) == [WHOLE["description"], None]
        assert store.one("select count(*) from scores") == 2


def test_definition_that_comes_after_one_that_vanished_is_due(tmp_path: Path) -> None:
    """The vanished one had the highest place in the order."""
    with opened(tmp_path) as store:
        store.ledger.enrol([DESCRIBED])
        begin(store)
        store.evaluate(DESCRIBED)
        store.arrive([agent_spans.chat(3, parent=1, at_s=1, attributes=offering({**NAMED, "parameters": {}}))])
        store.revise(1)
        assert store.evaluate(DESCRIBED).scores == 1


def test_score_on_a_definition_that_vanished_while_it_was_judged_is_never_active(tmp_path: Path) -> None:
    class Slow(InProcessWorkbench):
        def evaluate(self, targets: Any, evaluators: Any) -> Any:
            go_on(store)
            return super().evaluate(targets, evaluators)

    with opened(tmp_path) as store:
        store.ledger.enrol([DESCRIBED])
        begin(store)
        store.evaluate(DESCRIBED, workbench=Slow())
        assert store.one("select count(*) from scores") == 1
        assert store.rows("from latest_scores") == []
        store.evaluate(DESCRIBED)
        assert active(store) == [WHOLE["description"]]
