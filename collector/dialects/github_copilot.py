"""GitHub Copilot in VS Code and as a command line: GenAI keys beside `copilot_chat.*` and `github.copilot.*`.

In VS Code `gen_ai.conversation.id` of a model call is the id of the request; the session is under a key of its own. The
command line puts a line with the time before what the user typed. `github.copilot.cost` counts premium requests, which
are not money. Without content it replaces the names of MCP tools by hashes.

Source: @github/copilot 1.0.102; microsoft/vscode-copilot-chat of March 2026 (src/platform/otel,
src/extension/intents/node/toolCallingLoop.ts, src/extension/prompt/node/chatMLFetcher.ts)
"""

from __future__ import annotations

import re

from tracegrade.evaluators.model import Message, TextPart

from ..spans.frozen import replace
from ..spans.span import Span
from ..spans.step import Step
from .shared import semconv
from .shared.dialect import Dialect, Evidence
from .shared.keys import Keys

__all__ = ["DIALECT"]

_KEYS = Keys(
    session_id=("copilot_chat.session_id", "copilot_chat.chat_session_id"),
    user_id=("user.id", "enduser.id", "enduser.pseudo.id"),
    time_to_first_token_ms=("copilot_chat.time_to_first_token",),
).before(semconv.KEYS)
_CONTEXT = re.compile(r"<current_datetime>[^<]*</current_datetime>\s*")


def read(span: Span) -> Step | None:
    step = semconv.read(span, _KEYS)
    if step is None or step.kind != "agent" or not step.input:
        return step
    return replace(step, input=tuple(map(_typed, step.input)))


def _typed(message: Message) -> Message:
    """Return the message without the line that the command line puts before it."""
    if message.role != "user":
        return message
    parts = tuple(
        TextPart(content=_CONTEXT.sub("", part.content, count=1)) if isinstance(part, TextPart) else part
        for part in message.parts
    )
    return message.model_copy(update={"parts": parts})


DIALECT = Dialect(
    "github_copilot",
    read,
    scopes=("github.copilot", "@github/copilot", "copilot-chat"),
    keys=("copilot_chat.*", "github.copilot.*"),
    content="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true COPILOT_OTEL_CAPTURE_CONTENT=true",
    evidence=(
        Evidence("@github/copilot", "1.0", "recording"),
        Evidence("microsoft/vscode-copilot-chat", "main of 2026-03", "source"),
    ),
)
