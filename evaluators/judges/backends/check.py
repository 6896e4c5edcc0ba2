"""Checks that a judge can be asked."""

from __future__ import annotations

from dataclasses import dataclass

from ...definition.dialogue import Question
from ...definition.imports import NotImported
from ..budget.price import binding, cost_of, unbound
from ..exchange.failure import Busy, Failure
from ..exchange.judge import Judge
from ..exchange.reply import Reply
from ..exchange.request import Request
from .backend import Backend, backend_of

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
    """The result of a check. `faults` say what is wrong with the judge and who must act; `notes` are only information.

    Tokens and US dollars of the request are None if they are not known, for example without an answer.
    """

    can_be_asked: bool
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


async def check(name: str, judge: Judge) -> Checked:
    """Ask the judge called `name` one small question, which a server may charge for, and return the result."""
    backend, request = backend_of(judge), Request(judge, _QUESTION)
    try:
        reply = (await backend.say(request)).estimated(request)
    except Busy as busy:
        return Checked(
            can_be_asked=False, faults=(f"judge {name!r} is busy ({busy}); what waits for it is asked later",)
        )
    except Failure as failure:
        return Checked(can_be_asked=False, faults=(f"judge {name!r} cannot be asked: {failure}",))
    except NotImported as why:
        return Checked(can_be_asked=False, notes=(f"judge {name!r} was not asked: {why}",))
    finally:
        await backend.close()
    return Checked(
        can_be_asked=True,
        faults=tuple(f"judge {name!r}: {fault}" for fault in filter(None, [unbound(judge)])),
        notes=tuple(f"judge {name!r}: {note}" for note in (*_about_form(judge, backend), *_about_money(judge, reply))),
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cost_usd=cost_of(judge, reply),
    )


def _about_form(judge: Judge, backend: Backend) -> list[str]:
    if backend.form in {None, "json_schema"}:
        return []
    how = f"its answers are asked for as {backend.form}, and more of them may be unusable"
    return [f"{judge.model} takes no JSON Schema; {how}"]


def _about_money(judge: Judge, reply: Reply) -> list[str]:
    limits, notes = binding(judge), []
    if limits == ["tokens_per_day"] and judge.usd_per_day is not None:
        notes.append(f"the price of {judge.called} is not known, so tokens_per_day binds it, and usd_per_day does not")
    if limits and reply.is_estimated:
        notes.append(f"it does not count its tokens; they are estimated, and so is what {' and '.join(limits)} leaves")
    return notes
