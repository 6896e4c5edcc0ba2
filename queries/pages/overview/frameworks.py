"""How ten frameworks are set to send what their agents do, with the content of messages and calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["FRAMEWORKS", "Framework"]

_OPENINFERENCE: Final = ("OPENINFERENCE_HIDE_INPUTS=false", "OPENINFERENCE_HIDE_OUTPUTS=false")


@dataclass(frozen=True, slots=True, kw_only=True)
class Framework:
    """A framework: `dialect` is the one that reads its spans. `install` is a command, `environment` are variables that
    make it record content, `code` is what the program of the agent needs. `exports`: the code needs a provider of spans
    with an exporter as well."""

    name: str
    dialect: str
    install: str | None = None
    environment: tuple[str, ...] = ()
    code: str | None = None
    exports: bool = True


def _openinference(name: str, dialect: str, package: str, instrumentor: str) -> Framework:
    module = package.replace("-", "_")
    return Framework(
        name=name,
        dialect=dialect,
        install=f"pip install openinference-instrumentation-{package} opentelemetry-sdk opentelemetry-exporter-otlp",
        environment=_OPENINFERENCE,
        code=f"from openinference.instrumentation.{module} import {instrumentor}\n\n{instrumentor}().instrument()",
    )


FRAMEWORKS: Final = (
    _openinference("LangChain, LangGraph", "openinference", "langchain", "LangChainInstrumentor"),
    _openinference("OpenAI Agents SDK", "openinference", "openai-agents", "OpenAIAgentsInstrumentor"),
    _openinference("CrewAI", "crewai", "crewai", "CrewAIInstrumentor"),
    _openinference("LlamaIndex", "llama_index", "llama-index", "LlamaIndexInstrumentor"),
    Framework(
        name="Pydantic AI",
        dialect="pydantic_ai",
        install="pip install pydantic-ai opentelemetry-sdk opentelemetry-exporter-otlp",
        code=(
            "from pydantic_ai import Agent\n"
            "from pydantic_ai.models.instrumented import InstrumentationSettings\n\n"
            "Agent.instrument_all(InstrumentationSettings(include_content=True))"
        ),
    ),
    Framework(
        name="Google ADK",
        dialect="google_adk",
        install="pip install google-adk opentelemetry-exporter-otlp",
        environment=("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY",),
    ),
    Framework(
        name="Microsoft Agent Framework",
        dialect="agent_framework",
        install="pip install agent-framework opentelemetry-exporter-otlp",
        environment=("ENABLE_SENSITIVE_DATA=true",),
    ),
    Framework(
        name="Strands Agents",
        dialect="strands",
        install="pip install 'strands-agents[otel]'",
        code="from strands.telemetry import StrandsTelemetry\n\nStrandsTelemetry().setup_otlp_exporter()",
        exports=False,
    ),
    Framework(
        name="Vercel AI SDK",
        dialect="vercel_ai",
        install="npm install @vercel/otel @opentelemetry/api",
        code=(
            'import { registerOTel } from "@vercel/otel";\n\nregisterOTel({ serviceName: "my-agent" });\n\n'
            "await generateText({\n  model,\n  prompt,\n"
            "  experimental_telemetry: { isEnabled: true, recordInputs: true, recordOutputs: true },\n});"
        ),
        exports=False,
    ),
    Framework(
        name="Claude Code",
        dialect="claude_code",
        environment=(
            "CLAUDE_CODE_ENABLE_TELEMETRY=1",
            "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA=1",
            "OTEL_TRACES_EXPORTER=otlp",
            "OTEL_LOGS_EXPORTER=otlp",
            "OTEL_LOG_USER_PROMPTS=1",
            "OTEL_LOG_ASSISTANT_RESPONSES=1",
            "OTEL_LOG_TOOL_DETAILS=1",
            "OTEL_LOG_TOOL_CONTENT=1",
        ),
        exports=False,
    ),
)
