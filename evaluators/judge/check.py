"""Whether a judge can be asked at all."""

from __future__ import annotations

from dataclasses import dataclass

from ..dialogue import Question
from .endpoint import Endpoint
from .failure import Busy, Failure
from .judge import Judge
from .price import cost_of, is_priced
from .reply import Reply
from .request import Request
from .through_litellm import ThroughLitellm
from .way import Way, way_of

__all__ = ["Checked", "check"]

_QUESTION = Question(
    instructions="This is a test of the connection. Answer with a JSON object whose field `ok` is true.",
    evidence="Are you there?",
    read=str,
    form={
        "type": "object",
        "properties": {"ok": {"type": "boolean"}},
        "required": ["ok"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What is wrong with a judge, and who must act; nothing when all is well. What it took to ask is None where nobody
    knows, as of one that did not answer."""

    faults: tuple[str, ...]
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


async def check(name: str, judge: Judge) -> Checked:
    """Asks the judge called `name` one small question, which a server may charge for."""
    way, request = way_of(judge), Request(judge, _QUESTION)
    try:
        reply = (await way.say(request)).estimated(input_tokens=request.input_tokens)
    except Busy as busy:
        return Checked(faults=(f"judge {name!r} is busy ({busy}); what waits for it is asked later",))
    except Failure as failure:
        return Checked(faults=(f"judge {name!r} cannot be asked: {failure}",))
    finally:
        await way.close()
    return Checked(
        faults=tuple(f"judge {name!r}: {note}" for note in (*_about_form(judge, way), *_about_money(judge, reply))),
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cost_usd=cost_of(judge, reply),
    )


def _about_form(judge: Judge, way: Way) -> list[str]:
    form = way.wording.manner.form if isinstance(way, (Endpoint, ThroughLitellm)) else "json_schema"
    if form == "json_schema":
        return []
    return [
        f"{judge.model} takes no JSON Schema; its answers are asked for as {form}, and more of them may be unusable"
    ]


def _about_money(judge: Judge, reply: Reply) -> list[str]:
    notes = []
    priced = is_priced(judge)
    if judge.usd_per_day is not None and judge.way != "function" and not priced:
        notes.append(
            f"the price of {judge.model} is not known, so usd_per_day does not bind it; "
            "write `prices`, or set tokens_per_day"
        )
    binding = {"usd_per_day": judge.usd_per_day if priced else None, "tokens_per_day": judge.tokens_per_day}
    limits = [name for name, limit in binding.items() if limit is not None]
    if limits and reply.is_estimated:
        notes.append(f"it does not count its tokens; they are estimated, and so is what {' and '.join(limits)} leaves")
    return notes
