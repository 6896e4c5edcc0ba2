"""Will a model know from its name what the tool does?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, ClassVar, Final

from pydantic import Field

from ..definition.dialogue import Asking, Dialogue
from ..definition.registry import evaluator
from ..llm.base import make_question
from ..llm.evidence import evidence_of
from ..model import Score, ToolDefinition
from ..text.messages import counted
from .reliability import CheckResult, checked, form_of, rated, read_judged

__all__ = ["IMPLEMENTATION_DETAILS", "ToolNameReliability"]

JUDGED: Final = ("clarity", "name_order", "intent_over_implementation")
"""The checks that a judge makes, beside the rules."""

IMPLEMENTATION_DETAILS: Final = (
    "with_llm",
    "using_llm",
    "via_llm",
    "with_gpt*",
    "using_gpt*",
    "with_claude*",
    "using_claude*",
    "with_gemini*",
    "using_gemini*",
    "via_api",
    "using_api",
    "via_http*",
    "via_rest",
    "via_graphql",
    "via_grpc",
    "with_sdk",
    "using_sdk",
    "via_sdk",
    "using_sql",
    "from_s3",
    "via_s3",
    "from_bq",
    "using_bq",
    "from_bigquery",
    "using_bigquery",
)

_SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BORDER = re.compile(r"[\W_]+")

_Detail = Annotated[str, Field(pattern=r"^_?([a-z0-9]+\*?|\*)(_([a-z0-9]+\*?|\*))*$")]


@evaluator(
    "tool_name_reliability",
    version=1,
    source="Dokimos ToolNameReliabilityEvaluator; words also end at humps and hyphens, how at a border",
    reads=("name", "description"),
    skipped_when="never",
    threshold=0.8,
    scope="tool",
)
class ToolNameReliability(Asking):
    """Share of the checks that the name of a tool passes.

    `snakecase_format`: lower-case letters and digits, one underscore between words. `conciseness`: not too many
    words. `intent_over_implementation`: it says what the tool does, not how: none of `implementation_details` stands
    in it as whole words behind another one.

    With a judge two more count: `clarity`, the name alone tells what the tool does, and `name_order`, first what is
    done, then where and on what; and `intent_over_implementation` then needs the judge's consent as well.
    """

    prompts: ClassVar[tuple[str, ...]] = ("tool_name",)

    max_segments: int = Field(default=7, ge=1, description="the most words of a concise name")
    implementation_details: tuple[_Detail, ...] = Field(
        default=IMPLEMENTATION_DETAILS,
        description="words that tell how a tool works, such as with_llm; * stands for the rest of a word",
    )

    def __call__(self, tool: ToolDefinition) -> Score:
        return rated(tool.name, self.outcomes(tool))

    def ask(self, tool: ToolDefinition) -> Dialogue:
        evidence = evidence_of([("name", tool.name), ("description", tool.description)])
        [answer] = yield [make_question("tool_name", evidence, form_of(JUDGED))]
        rules = self.outcomes(tool)
        scores = read_judged(answer.value)
        if rules[JUDGED[-1]].status == "failed":
            scores[JUDGED[-1]] = rules[JUDGED[-1]]
        score = rated(tool.name, rules | scores)
        return score.model_copy(update={"details": score.details | evidence.details})

    def outcomes(self, tool: ToolDefinition) -> dict[str, CheckResult]:
        """Return how each rule went, by its name."""
        words = _words(tool.name)
        return {
            "snakecase_format": checked(None if _SNAKE_CASE.fullmatch(tool.name) else "it is not in snake_case"),
            "conciseness": checked(self._length_fault(words)),
            "intent_over_implementation": checked(self._intent_fault(words)),
        }

    def _length_fault(self, words: Sequence[str]) -> str | None:
        if len(words) <= self.max_segments:
            return None
        return f"it has {counted(len(words), 'word')}, at most {self.max_segments} are concise"

    def _intent_fault(self, words: Sequence[str]) -> str | None:
        match = _telling(self.implementation_details).search("_".join(words))
        return f"{match[1]!r} tells how, not what" if match else None


@lru_cache(maxsize=64)
def _telling(details: tuple[str, ...]) -> re.Pattern[str]:
    """Finds any of `details` as whole words behind another one."""
    words = "|".join(re.escape(detail.removeprefix("_")).replace(r"\*", "[^_]*") for detail in details)
    return re.compile(f"_({words})(?:_|$)" if words else r"(?!)")


def _words(name: str) -> list[str]:
    """Return the words of a name in whatever case it is written, in lower case."""
    return [word for word in _BORDER.split(_HUMP.sub("_", name).lower()) if word]
