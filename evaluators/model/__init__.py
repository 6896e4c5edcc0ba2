"""The types that all other packages use: runs, calls, messages, references and scores.

Values are frozen. `None` means *not recorded*; an empty tuple or string means *recorded, and empty*.
Names follow the OpenTelemetry GenAI semantic conventions
(https://github.com/open-telemetry/semantic-conventions-genai).
"""

from .guardrail import Guardrail
from .llm_call import LlmCall
from .message import GenericPart, Message, MessagePart, ReasoningPart, TextPart, ToolCallPart, ToolCallResponsePart
from .reference import ArgumentMode, ExpectedCall, Reference, ReferenceFault
from .run import AgentTrace, Completeness, TestCase
from .score import Score, ScoreStatus
from .tool import CallStatus, ToolCall, ToolDefinition
from .value import JsonObject

__all__ = [
    "AgentTrace",
    "ArgumentMode",
    "CallStatus",
    "Completeness",
    "ExpectedCall",
    "GenericPart",
    "Guardrail",
    "JsonObject",
    "LlmCall",
    "Message",
    "MessagePart",
    "ReasoningPart",
    "Reference",
    "ReferenceFault",
    "Score",
    "ScoreStatus",
    "TestCase",
    "TextPart",
    "ToolCall",
    "ToolCallPart",
    "ToolCallResponsePart",
    "ToolDefinition",
]
