"""A pytest of its own, on tests of an agent that is beside them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["Ended", "run_pytest"]

_AGENT: Final = '''
import json
from opentelemetry import trace

def run_agent(question, calls=("search",)):
    """An instrumented agent: calls these tools, whatever it is asked."""
    tracer = trace.get_tracer("agent")
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "travel"}
    with tracer.start_as_current_span("invoke_agent", attributes=agent):
        with tracer.start_as_current_span("chat m") as chat:
            chat.set_attribute("gen_ai.operation.name", "chat")
            message = {"role": "user", "parts": [{"type": "text", "content": question}]}
            chat.set_attribute("gen_ai.input.messages", json.dumps([message]))
        for name in calls:
            with tracer.start_as_current_span("execute_tool") as tool:
                tool.set_attribute("gen_ai.operation.name", "execute_tool")
                tool.set_attribute("gen_ai.tool.name", name)
                tool.set_attribute("gen_ai.tool.call.arguments", "{}")
                tool.set_attribute("gen_ai.tool.call.result", "done")
'''


@dataclass(frozen=True)
class Ended:
    """A pytest that has ended."""

    code: int
    text: str

    @property
    def summary(self) -> str:
        """The last line, without the time."""
        return self.text.strip().splitlines()[-1].strip("= ").partition(" in ")[0]


def run_pytest(folder: Path, tests: str, *options: str) -> Ended:
    """Runs pytest on `tests`, beside the agent."""
    (folder / "agent.py").write_text(_AGENT, encoding="utf-8")
    (folder / "test_agent.py").write_text(f"from agent import run_agent\n{tests}", encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:schemathesis", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return Ended(done.returncode, done.stdout + done.stderr)
