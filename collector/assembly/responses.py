"""The response that a model call continues: providers that store responses receive its id instead of the history.

Sources: the attribute of https://github.com/open-telemetry/semantic-conventions-genai; xai-sdk 1.21.0 (chat.py);
`gen_ai.openai.request.` of forks of opentelemetry-instrumentation-openai-v2; the request as a whole of
openinference-instrumentation-openai 0.1.66 (_responses_api.py) and of logfire.
"""

from __future__ import annotations

from ..spans.span import Span
from ..spans.values import as_object

__all__ = ["find_previous_response_id"]

_KEYS = (
    "gen_ai.request.previous_response.id",
    "gen_ai.request.previous_response_id",
    "gen_ai.openai.request.previous_response_id",
)
_REQUESTS = ("llm.invocation_parameters", "request_data")
_ALL_KEYS = frozenset({*_KEYS, *_REQUESTS})
_FIELD = "previous_response_id"


def find_previous_response_id(span: Span) -> str | None:
    """Return the id of the response that the request of `span` names as the previous one; None where it names none."""
    if _ALL_KEYS.isdisjoint(span.attributes):
        return None
    response_id = span.text(*_KEYS)
    if response_id is not None:
        return response_id
    for key in _REQUESTS:
        request = span.attributes.get(key)
        if isinstance(request, (str, dict)) and _FIELD in request:
            value = (as_object(request) or {}).get(_FIELD)
            return value if isinstance(value, str) and value else None
    return None
