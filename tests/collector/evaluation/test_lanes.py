from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.modules import working_in

from tracegrade.collector.config.settings import load
from tracegrade.collector.server.pipeline import Pipeline

FOUR = """
judges: {default: {model: a}, other: {model: b}}
evaluators:
  - use: tool_error
  - use: tool_efficiency
  - {name: mine, python: "checks:fine"}
  - {name: asked, sql: "select agent_trace_id, 1 as value from due"}
  - {name: reached, use: goal_achievement}
  - {name: coherent, use: response_coherence}
  - {name: again, use: goal_achievement, judge: other}
"""


@contextmanager
def opened(folder: Path, text: str) -> Iterator[Pipeline]:
    (folder / "tracegrade.yaml").write_text(text, encoding="utf-8")
    with working_in(folder, checks="def fine(trace):\n    return True\n"):
        pipeline = Pipeline(load(folder / "tracegrade.yaml", store=str(folder / "s.duckdb")))
        try:
            yield pipeline
        finally:
            pipeline.let_go()


def test_ours_share_a_lane_and_everybody_else_has_one_of_their_own_but_for_those_of_one_judge(tmp_path: Path) -> None:
    with opened(tmp_path, FOUR) as pipeline:
        lanes = [[one.name for one in lane.evaluators] for lane in pipeline.lanes.all]
    assert lanes == [["tool_error", "tool_efficiency"], ["mine"], ["asked"], ["reached", "coherent"], ["again"]]


def test_other_lanes_take_over_and_new_evaluators_begin(tmp_path: Path) -> None:
    with opened(tmp_path, "evaluators: [{use: tool_error}]\n") as pipeline:
        pipeline.enrol()
        (tmp_path / "tracegrade.yaml").write_text(FOUR, encoding="utf-8")
        lanes = pipeline.lanes_of(load(tmp_path / "tracegrade.yaml"))
        lanes.enrol()
        asyncio.run(pipeline.replace_lanes(lanes))
        assert [one.name for one in pipeline.evaluators][:3] == ["tool_error", "tool_efficiency", "mine"]
        with pipeline.database.cursor() as connection:
            enrolled = connection.execute("select count(*) from evaluator_cursors").fetchall()
    assert enrolled == [(7,)]
