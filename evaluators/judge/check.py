"""Whether a judge can be asked at all."""

from __future__ import annotations

from ..dialogue import Question
from .endpoint import Endpoint
from .failure import Busy, Failure
from .judge import Judge
from .price import is_priced
from .reply import Reply
from .request import Request
from .through_litellm import ThroughLitellm
from .way import Way, way_of

__all__ = ["check"]

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


async def check(name: str, judge: Judge) -> list[str]:
    """What is wrong with the judge called `name`, and who must act; nothing when all is well.

    Asks one small question, which a server may charge for.
    """
    way = way_of(judge)
    try:
        reply = await way.say(Request(judge, _QUESTION))
    except Busy as busy:
        return [f"judge {name!r} is busy ({busy}); what waits for it is asked later"]
    except Failure as failure:
        return [f"judge {name!r} cannot be asked: {failure}"]
    finally:
        await way.close()
    return [f"judge {name!r}: {note}" for note in (*_about_form(judge, way), *_about_money(judge, reply))]


def _about_form(judge: Judge, way: Way) -> list[str]:
    form = way.wording.manner.form if isinstance(way, (Endpoint, ThroughLitellm)) else "json_schema"
    if form == "json_schema":
        return []
    return [
        f"{judge.model} takes no JSON Schema; its answers are asked for as {form}, and more of them may be unusable"
    ]


def _about_money(judge: Judge, reply: Reply) -> list[str]:
    notes = []
    if judge.usd_per_day is not None and judge.way != "function" and not is_priced(judge):
        notes.append(
            f"the price of {judge.model} is not known, so usd_per_day does not bind it; "
            "write `prices`, or set tokens_per_day"
        )
    if judge.tokens_per_day is not None and reply.input_tokens is None:
        notes.append("it does not count its tokens, so tokens_per_day binds it within one pass only")
    return notes
