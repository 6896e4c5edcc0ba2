from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.llm import llm
from tests.support.modules import installed, working_in

from tracegrade.evaluators.catalog.build import build
from tracegrade.evaluators.catalog.configure import catalogue, definition_of
from tracegrade.evaluators.catalog.specification import WrongSpec
from tracegrade.evaluators.custom.user_code import offered
from tracegrade.evaluators.definition.function_path import import_function
from tracegrade.evaluators.definition.registry import UnknownEvaluator
from tracegrade.evaluators.definition.score_record import ScoreRecord
from tracegrade.evaluators.execution.run import evaluate
from tracegrade.evaluators.model import AgentTrace, ToolCall

RUN = AgentTrace(
    agent_trace_id="t-1",
    tool_calls=(ToolCall.of("search", q="x"), ToolCall.of("refund", order="A1")),
    final_response="done",
)

RULES = """
    import asyncio
    import functools

    LIMIT = 3

    def few_calls(trace, *, most: int = 1):
        "Whether there were few calls."
        return len(trace.tool_calls) <= most

    async def slowly(trace):
        await asyncio.sleep(0)
        return {"value": 0.5, "explanation": "slept on it"}

    def label(run, prefix="seen", **others):
        return prefix + "".join(sorted(others))

    def nothing(): ...

    def keyword(*, trace): ...

    def everything(*args, **options):
        return len(args) == 1

    def awkward(trace, *, json: str = "j", model_config: str = "m", copy: str = "c"):
        return json + model_config + copy

    def strange(trace, *, kind: "NoSuchType" = None, client=object()):
        return kind or "none"

    def alters(trace):
        trace.tool_calls[0].args.clear()
        return not trace.tool_calls[0].args

    class Longest:
        "Whether the answer is short."
        version = 7
        made = 0

        def __init__(self, limit: int, *, strict=False):
            Longest.made += 1
            self.limit = limit

        def __call__(self, trace):
            return len(trace.final_response) <= self.limit

        def twice(trace):
            return True

    class Patient:
        async def __call__(self, trace):
            return "patient"

    class Silent:
        pass

    class Broken:
        def __init__(self):
            raise OSError("no model on this machine")

        def __call__(self, trace): ...

    instance = Longest(2)
    partial = functools.partial(few_calls, most=5)
"""

OURS = """
    from pydantic import Field

    from tracegrade.evaluators.definition.dialogue import Asking, Question
    from tracegrade.evaluators.model import AgentTrace, Score
    from tracegrade.evaluators.definition.registry import Options, evaluator

    @evaluator("test_answer_length", version=4, source="house rule", threshold=0.4)
    class AnswerLength(Options):
        "Whether the answer is short."

        most: int = Field(default=10, ge=1, description="the longest that passes")

        def __call__(self, trace: AgentTrace) -> Score:
            return Score(value=0.5)

    class Graded(Asking):
        def ask(self, given):
            given.tool_calls[0].args.clear()
            [answer] = yield [Question(instructions="grade it", evidence="", read=float)]
            return Score(value=answer.value)

    class Mute(Options):
        pass

    class Unnamed(Options):
        async def __call__(self, trace: AgentTrace) -> Score:
            trace.tool_calls[0].args.clear()
            return Score(value=1.0)
"""


def evaluate_path(path: str, *, run: AgentTrace = RUN, **spec: Any) -> ScoreRecord:
    [score] = evaluate(build({"python": path, "name": "mine", **spec}, resolve=import_function), run)
    return score


def catch_refusal(path: str, **spec: Any) -> str:
    with pytest.raises(WrongSpec) as refusal:
        build({"python": path, **spec}, resolve=import_function)
    return str(refusal.value)


@pytest.mark.parametrize(
    ("path", "options", "said"),
    [
        pytest.param("rules:few_calls", {}, (0.0, None), id="function"),
        pytest.param("rules:few_calls", {"most": 2}, (1.0, None), id="with-an-option"),
        pytest.param("rules:slowly", {}, (0.5, None), id="async"),
        pytest.param("rules:label", {"prefix": "a", "c": 1, "b": 2}, (None, "abc"), id="any-options"),
        pytest.param("rules:everything", {"x": 1}, (1.0, None), id="any-arguments"),
        pytest.param("rules:awkward", {"json": "1", "copy": "2"}, (None, "1m2"), id="names-that-pydantic-keeps"),
        pytest.param("rules:strange", {"kind": "odd"}, (None, "odd"), id="types-that-are-not-there"),
        pytest.param("rules:Longest", {"limit": 4}, (1.0, None), id="class"),
        pytest.param("rules:Longest.twice", {}, (1.0, None), id="within-a-class"),
        pytest.param("rules:Patient", {}, (None, "patient"), id="class-with-an-async-call"),
        pytest.param("rules:instance", {}, (0.0, None), id="instance"),
        pytest.param("rules:partial", {}, (1.0, None), id="partial"),
    ],
)
def test_anything_that_takes_a_run_judges_it(
    tmp_path: Path, path: str, options: dict[str, Any], said: tuple[float | None, str | None]
) -> None:
    with working_in(tmp_path, rules=RULES):
        score = evaluate_path(path, options=options)
        assert (score.value, score.label, score.reason) == (*said, None)


@pytest.mark.parametrize(
    ("path", "options", "why"),
    [
        pytest.param("rules:few_cals", {}, "rules has no 'few_cals' (did you mean 'few_calls'?)", id="misspelt"),
        pytest.param("rules:zzz", {}, "(known here: Broken, Longest, ", id="unlike-any"),
        pytest.param("rules:Longest.thrice", {}, "did you mean 'twice'?", id="misspelt-within-a-class"),
        pytest.param("rulez:few_calls", {}, "no module 'rulez', neither installed nor in the working", id="no-module"),
        pytest.param("rules.deep:few_calls", {}, "rules.deep", id="no-submodule"),
        pytest.param("faulty:x", {}, "faulty cannot be imported: ZeroDivisionError", id="module-that-fails"),
        pytest.param("leaving:x", {}, "leaving cannot be imported: SystemExit", id="module-that-ends-the-program"),
        pytest.param("lacking:x", {}, "lacking cannot be imported: ModuleNotFoundError", id="module-that-lacks-one"),
        pytest.param(":few_calls", {}, "cannot be imported", id="no-module-named"),
        pytest.param("rules:LIMIT", {}, "not a function or class, but of type int", id="no-function"),
        pytest.param("rules:nothing", {}, "takes no arguments", id="takes-no-run"),
        pytest.param("rules:keyword", {}, "takes no arguments", id="takes-the-run-by-keyword"),
        pytest.param("rules:Silent", {}, "cannot be called; give it `__call__(self, trace)`", id="class-without-call"),
        pytest.param("rules:few_calls", {"mots": 1}, "has no option 'mots' (did you mean 'most'?)", id="no-option"),
        pytest.param("rules:few_calls", {"most": "many"}, "option 'most' of rules:few_calls", id="option-of-a-type"),
        pytest.param("rules:Longest", {}, "option 'limit' of rules:Longest: ", id="option-missing"),
        pytest.param("few_calls", {}, "not an entry point of the group tracegrade.evaluators", id="no-entry-point"),
    ],
)
def test_what_cannot_judge_is_refused_at_the_start(
    tmp_path: Path, path: str, options: dict[str, Any], why: str
) -> None:
    others = {"faulty": "1 / 0", "leaving": "raise SystemExit(1)", "lacking": "import no_such_module_anywhere"}
    with working_in(tmp_path, rules=RULES, **others):
        assert why in catch_refusal(path, options=options)


def test_class_is_made_when_it_first_judges_and_once(tmp_path: Path) -> None:
    with working_in(tmp_path, rules=RULES):
        evaluator = build({"python": "rules:Longest", "options": {"limit": 4}}, resolve=import_function)
        made = sys.modules["rules"].Longest
        before = made.made
        evaluate(evaluator, RUN)
        evaluate(evaluator, RUN)
        assert made.made - before == 1


def test_class_that_cannot_be_made_is_an_error_of_each_run(tmp_path: Path) -> None:
    with working_in(tmp_path, rules=RULES):
        score = evaluate_path("rules:Broken")
        assert (score.status, score.reason) == ("error", "OSError: no model on this machine")


@pytest.mark.parametrize("path", ["rules:alters", "ours:Unnamed"])
def test_what_is_done_to_a_run_reaches_nobody_else(tmp_path: Path, path: str) -> None:
    with working_in(tmp_path, rules=RULES, ours=OURS):
        assert evaluate_path(path).value == 1.0
        assert RUN.tool_calls[0].args == {"q": "x"}


@pytest.mark.parametrize("said", [{}, {"judge": "strict"}], ids=["no judge named", "judge named"])
def test_class_that_asks_is_given_a_judge_and_a_run_of_its_own(tmp_path: Path, said: dict[str, Any]) -> None:
    with working_in(tmp_path, ours=OURS):
        evaluator = build({"python": "ours:Graded", **said}, resolve=import_function)
        [score] = evaluate(evaluator, RUN, judge=lambda _: "0.75")
        assert (evaluator.kind, evaluator.asks) == ("llm", said.get("judge", "default"))
        assert (score.value, score.reason) == (0.75, None)
        assert RUN.tool_calls[0].args == {"q": "x"}


def test_class_that_asks_nobody_takes_no_judge(tmp_path: Path) -> None:
    with working_in(tmp_path, ours=OURS):
        assert "asks no judge; leave `judge` out" in catch_refusal("ours:Unnamed", judge="strict")


def test_class_that_neither_asks_nor_can_be_called_is_refused(tmp_path: Path) -> None:
    with working_in(tmp_path, ours=OURS):
        assert "cannot be called; give it `__call__(self, trace)`" in catch_refusal("ours:Mute")


def test_async_function_is_run_to_its_end_also_within_a_loop(tmp_path: Path) -> None:
    async def within() -> ScoreRecord:
        return evaluate_path("rules:slowly")

    with working_in(tmp_path, rules=RULES):
        assert asyncio.run(within()).explanation == "slept on it"


ASKING = """
    import httpx

    class Asking:
        def __init__(self, url: str):
            self.url = url
            self.client = httpx.AsyncClient()

        async def __call__(self, trace):
            response = await self.client.get(f"{self.url}/models")
            if trace.final_response == "the last":
                await self.client.aclose()
            return response.status_code == 200
"""


def test_client_that_an_async_evaluator_keeps_works_for_every_run_also_within_a_loop(tmp_path: Path) -> None:
    with llm(lambda _: "") as server, working_in(tmp_path, asking=ASKING):
        evaluator = build({"python": "asking:Asking", "options": {"url": server.url}}, resolve=import_function)

        async def in_a_notebook() -> list[ScoreRecord]:
            return evaluate(evaluator, RUN.model_copy(update={"final_response": "the last"}))

        scores = [*evaluate(evaluator, RUN), *evaluate(evaluator, RUN), *asyncio.run(in_a_notebook())]
        assert [(score.value, score.reason) for score in scores] == [(1.0, None)] * 3
        assert server.opened == 1


def test_async_evaluator_that_is_interrupted_does_not_go_on_with_the_next_run(tmp_path: Path) -> None:
    rules = """
        import asyncio

        seen = []

        async def slowly(trace):
            if trace.final_response == "interrupt":
                asyncio.get_running_loop().call_soon(interrupt)
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                seen.append("went on")
            await asyncio.sleep(0)
            return not seen

        def interrupt():
            raise KeyboardInterrupt
    """
    with working_in(tmp_path, slow=rules):
        evaluator = build({"python": "slow:slowly"}, resolve=import_function)
        with pytest.raises(KeyboardInterrupt):
            evaluate(evaluator, RUN.model_copy(update={"final_response": "interrupt"}))
        [score] = evaluate(evaluator, RUN)
        assert (score.value, score.reason) == (1.0, None)


def test_version_of_a_function_is_its_own_word(tmp_path: Path) -> None:
    with working_in(tmp_path, rules=RULES):
        assert build({"python": "rules:few_calls"}, resolve=import_function).version == 1
        assert build({"python": "rules:Longest", "options": {"limit": 1}}, resolve=import_function).version == 7


def test_class_of_ours_keeps_what_it_was_registered_with(tmp_path: Path) -> None:
    with working_in(tmp_path, ours=OURS):
        evaluator = build({"python": "ours:AnswerLength"}, resolve=import_function)
        assert (evaluator.version, evaluator.threshold) == (4, 0.4)
        assert "option 'most' of ours:AnswerLength" in catch_refusal("ours:AnswerLength", options={"most": 0})


def test_module_beside_the_configuration_hides_nothing_that_is_installed(tmp_path: Path) -> None:
    with working_in(tmp_path, pydantic="raise SystemExit", rules=RULES):
        build({"python": "rules:few_calls"}, resolve=import_function)
        assert sys.path[-1] == ""


def test_function_may_stand_in_a_file_that_finds_what_lies_beside_it(tmp_path: Path) -> None:
    drafts = tmp_path / "drafts"
    drafts.mkdir()
    (drafts / "limits_of_mine.py").write_text("MOST = 2\n")
    (drafts / "few.py").write_text(
        "from limits_of_mine import MOST\ndef few(run):\n    return len(run.tool_calls) <= MOST\n"
    )
    with working_in(tmp_path):
        evaluator = build({"python": "drafts/few.py:few"}, resolve=import_function)
        assert (evaluator.name, evaluator.type) == ("few", "drafts/few.py:few")
        assert evaluate(evaluator, RUN)[0].value == 1.0
        sys.modules.pop("limits_of_mine")
        assert "drafts/few.py has no 'fwe' (did you mean 'few'?)" in catch_refusal("drafts/few.py:fwe")
        assert (
            "drafts/many.py cannot be imported: FileNotFoundError: there is no such file; the working directory"
            in catch_refusal("drafts/many.py:x")
        )


def test_file_that_cannot_be_imported_is_told_and_read_anew_the_next_time(tmp_path: Path) -> None:
    with working_in(tmp_path, broken="1 / 0"):
        for _ in range(2):
            assert "broken.py cannot be imported: ZeroDivisionError" in catch_refusal("broken.py:x")
        (tmp_path / "broken.py").write_text("def x(run):\n    return True\n")
        assert evaluate(build({"python": "broken.py:x"}, resolve=import_function), RUN)[0].passed


def test_package_offers_evaluators_by_name(tmp_path: Path) -> None:
    points = "house:few_calls = rules:few_calls\nhouse:answer = ours:AnswerLength\n"
    with installed(tmp_path, points, rules=RULES, ours=OURS):
        few = build({"use": "house:few_calls", "options": {"most": 2}}, resolve=import_function)
        assert (few.name, few.type, evaluate(few, RUN)[0].value) == ("house:few_calls", "house:few_calls", 1.0)
        assert build({"use": "house:answer"}, resolve=import_function).version == 4
        assert catalogue()["house:few_calls"].summary == "Whether there were few calls."
        assert catalogue()["house:few_calls"].source == "house-rules 1.2"


def test_entry_point_can_be_named_where_a_function_is(tmp_path: Path) -> None:
    with installed(tmp_path, "few = rules:few_calls\n", rules=RULES):
        assert build({"python": "few"}, resolve=import_function).name == "few"
        assert "(did you mean 'few'?)" in catch_refusal("fwe")


def test_broken_entry_point_is_named_when_it_is_asked_for_and_only_then(tmp_path: Path) -> None:
    points = "broken = faulty:x\nlost = nowhere_at_all:x\nodd = rules:LIMIT\nsound = rules:few_calls\n"
    with installed(tmp_path, points, rules=RULES, faulty="1 / 0"):
        assert set(offered()) == {"sound"}
        assert {"sound", "tool_error"} <= set(catalogue())
        with pytest.raises(UnknownEvaluator, match=r"'broken' of house-rules 1\.2 cannot be loaded: ZeroDivision"):
            definition_of("broken")
        with pytest.raises(UnknownEvaluator, match="'lost' of house-rules"):
            definition_of("lost")


def test_entry_point_takes_no_name_of_ours(tmp_path: Path) -> None:
    with installed(tmp_path, "tool_error = rules:few_calls\n", rules=RULES):
        assert definition_of("tool_error").source == catalogue()["tool_error"].source != "house-rules 1.2"


def test_misspelt_name_is_told_the_nearest_of_a_package_too(tmp_path: Path) -> None:
    with (
        installed(tmp_path, "house_rule = rules:few_calls\n", rules=RULES),
        pytest.raises(UnknownEvaluator, match="did you mean 'house_rule'"),
    ):
        definition_of("house_rul")
