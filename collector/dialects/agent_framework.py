"""Microsoft Agent Framework: GenAI keys, with a few placeholders; workflows under keys of its own.

Source: agent-framework-core 1.23 (observability.py, _workflows)
"""

from __future__ import annotations

import re
from typing import Any

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys, read_step
from .shared.semconv_events import with_events

__all__ = ["DIALECT"]

_REPR = re.compile(r"\[?<[\w.]+ object at 0x[0-9a-f]+>.*", re.DOTALL)
_WORKFLOW = semconv.KEYS.before(Keys(agent_name=("workflow.name",)))


def read(span: Span) -> Step | None:
    step = read_step(span, "workflow", _WORKFLOW) if span.name == "workflow.run" else semconv.read(span)
    if step is None:
        return None
    # With the Responses API the conversation id is that of the previous answer, another one in every call.
    session = step.session_id if not (step.session_id or "").startswith("resp_") else None
    if step.kind == "tool":
        return replace(step, session_id=session, args=_arguments(step.args), result=_result(step.result))
    return replace(with_events(span, step), session_id=session)


def _arguments(args: Any) -> Any:
    """Return the arguments; a call without any is recorded as the text None."""
    return {} if args == "None" else args


def _result(result: str | None) -> str | None:
    """Return the result, unless it is the repr of an object; the message with the result has the content."""
    return None if result is not None and _REPR.fullmatch(result) else result


DIALECT = Dialect(
    "agent_framework",
    read,
    scopes=("agent_framework",),
    content="ENABLE_SENSITIVE_DATA=true",
    evidence=(Evidence("agent-framework-core", "1.23", "recording"),),
)
