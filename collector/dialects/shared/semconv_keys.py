"""Attribute names of the GenAI semantic conventions, and the fields of a step that they hold.

Sentry wrote some of them under names of its own before it adopted those of the conventions. Applications that write the
spans themselves put content under `input` and `output`, and count cached tokens under several names.

Source: https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai), sentry-sdk 2.30 to 2.75
(sentry_sdk/consts.py)
"""

from __future__ import annotations

from .dialect import Remedy
from .keys import Keys

__all__ = [
    "DEFINITIONS",
    "DETAILS",
    "INPUT",
    "KEYS",
    "OPERATION",
    "OUTPUT",
    "PLATFORM_USERS",
    "REMEDIES",
    "SESSIONS",
    "SYSTEM",
]

OPERATION = "gen_ai.operation.name"
SYSTEM = "gen_ai.system_instructions"
INPUT = "gen_ai.input.messages"
OUTPUT = "gen_ai.output.messages"
DEFINITIONS = "gen_ai.tool.definitions"
DETAILS = "gen_ai.client.inference.operation.details"

_PLATFORM_SESSIONS = (
    "confident.trace.thread_id",
    "keywordsai.threads.thread_identifier",
    "langsmith.metadata.session_id",
    "langsmith.metadata.thread_id",
    "langwatch.thread.id",
    "mlflow.trace.session",
    "respan.threads.thread_identifier",
    "traceloop.association.properties.session_id",
    "traceroot.trace.session_id",
    "wandb.thread_id",
)
PLATFORM_USERS = (
    "confident.trace.user_id",
    "keywordsai.customer_params.customer_identifier",
    "langsmith.metadata.user_id",
    "langwatch.user.id",
    "mlflow.trace.user",
    "respan.customer_params.customer_identifier",
    "traceloop.association.properties.user_id",
    "traceroot.trace.user_id",
)
"""Attributes that platforms ask applications to set on spans of any instrumentation, beside the conventions."""

SESSIONS = ("langfuse.session.id", "session.id", "thread_id", *_PLATFORM_SESSIONS)
"""The sessions that an application sets itself; they precede those of its framework."""

KEYS = Keys(
    agent_name=("gen_ai.agent.name",),
    agent_id=("gen_ai.agent.id",),
    agent_version=("gen_ai.agent.version",),
    session_id=(*SESSIONS, "gen_ai.conversation.id", "gen_ai.session.id", "gen_ai.thread.id", "honeyhive.session_id"),
    user_id=(
        "langfuse.user.id",
        "user.id",
        "enduser.id",
        "enduser.pseudo.id",
        "gen_ai.user",
        "gen_ai.user.id",
        "gen_ai.request.user",
        "posthog.distinct_id",
        *PLATFORM_USERS,
    ),
    run_id=("gen_ai.agent.call.id",),
    provider_name=("gen_ai.provider.name", "gen_ai.system"),
    request_model=("gen_ai.request.model",),
    response_model=("gen_ai.response.model",),
    response_id=("gen_ai.response.id",),
    prompt_name=("gen_ai.prompt.name", "langfuse.observation.prompt.name"),
    prompt_version=("gen_ai.prompt.version", "langfuse.observation.prompt.version", "llm.prompt_template.version"),
    reasoning_level=("gen_ai.request.reasoning.level", "gen_ai.request.reasoning_effort"),
    is_compacted=("gen_ai.conversation.compacted",),
    finish_reasons=("gen_ai.response.finish_reasons", "gen_ai.response.finish_reason"),
    time_to_first_token_s=("gen_ai.response.time_to_first_chunk",),
    input_tokens=("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens"),
    output_tokens=("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.usage.completion_tokens"),
    cached_input_tokens=(
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
        "gen_ai.usage.cached_input_tokens",
        "gen_ai.usage.details.cache_read_tokens",
        "gen_ai.usage.input_tokens.cached",
        "gen_ai.usage.input_tokens.cache_read",
        "gen_ai.usage.cache_read_tokens",
        "gen_ai.usage.input_cached_tokens",
        "gen_ai.usage.cached_tokens",
    ),
    cache_write_input_tokens=(
        "gen_ai.usage.cache_write.input_tokens",
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_write_input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
        "gen_ai.usage.details.cache_write_tokens",
        "gen_ai.usage.input_tokens.cache_write",
        "gen_ai.usage.cache_write_tokens",
        "gen_ai.usage.cache_creation_tokens",
        "gen_ai.usage.input_cache_creation",
    ),
    cache_write_1h_input_tokens=(
        "gen_ai.usage.cache_creation.ephemeral_1h_input_tokens",
        "gen_ai.usage.cache_creation.1h.input_tokens",
        "gen_ai.usage.cache_creation_1h_input_tokens",
        "gen_ai.usage.cache_write_1h.input_tokens",
        "gen_ai.usage.cache_write_1h_input_tokens",
        "gen_ai.usage.details.ephemeral_1h_input_tokens",
        "gen_ai.usage.ephemeral_1h_input_tokens",
    ),
    audio_input_tokens=("gen_ai.usage.audio.input_tokens", "gen_ai.usage.details.input_audio_tokens"),
    image_input_tokens=("gen_ai.usage.image.input_tokens", "gen_ai.usage.details.input_image_tokens"),
    video_input_tokens=("gen_ai.usage.video.input_tokens", "gen_ai.usage.details.input_video_tokens"),
    reasoning_tokens=(
        "gen_ai.usage.reasoning.output_tokens",
        "gen_ai.usage.reasoning_tokens",
        "gen_ai.usage.details.reasoning_tokens",
        "gen_ai.usage.output_tokens.reasoning",
        "gen_ai.usage.output_reasoning_tokens",
    ),
    audio_output_tokens=("gen_ai.usage.audio.output_tokens", "gen_ai.usage.details.output_audio_tokens"),
    image_output_tokens=("gen_ai.usage.image.output_tokens", "gen_ai.usage.details.output_image_tokens"),
    total_tokens=("gen_ai.usage.total_tokens", "llm.usage.total_tokens"),
    cost_usd=(
        "gen_ai.usage.cost",
        "gen_ai.usage.total_cost",
        "gen_ai.cost.total_cost",
        "gen_ai.cost.total",
        "gen_ai.usage.cost_usd",
    ),
    instructions=(SYSTEM,),
    input=(INPUT,),
    output=(OUTPUT,),
    input_value=("gen_ai.request.messages", "gen_ai.agent.input", "input.value", "input"),
    output_value=("gen_ai.agent.output", "output.value", "output"),
    definitions=(DEFINITIONS, "gen_ai.request.available_tools", "gen_ai.request.tools", "gen_ai.agent.tools"),
    tool_name=("gen_ai.tool.name",),
    call_id=("gen_ai.tool.call.id",),
    args=("gen_ai.tool.call.arguments", "gen_ai.tool.input", "gen_ai.tool.arguments", "input.value", "input"),
    result=(
        "gen_ai.tool.call.result",
        "gen_ai.tool.output",
        "gen_ai.tool.result",
        "gen_ai.tool.response",
        "output.value",
        "output",
    ),
    target=("gen_ai.transfer.target.name",),
)

_OPENAI_V2 = "opentelemetry.instrumentation.openai_v2"
_AS_EVENTS = (
    "turn on content: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, and export logs too "
    "(OTEL_LOGS_EXPORTER=otlp): this package sends content as log events. From version 2.4 on, "
    "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental with ..._CONTENT=SPAN_ONLY puts it into the spans"
)

REMEDIES = tuple(
    Remedy(gap, _OPENAI_V2, _AS_EVENTS)
    for gap in ("content_not_captured", "tool_arguments_not_captured", "tool_results_not_captured")
)
"""Settings of packages that follow the conventions but are configured otherwise than most.

Source: opentelemetry-instrumentation-openai-v2 2.1b0 to 2.4b0 (utils.py, `is_content_enabled`)
"""
