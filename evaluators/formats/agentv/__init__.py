"""AgentV's files: runs, results and transcripts, and the eval files with what is expected of them."""

from .evaluator import read_evaluator
from .run import read_run
from .writing import write_run

__all__ = ["read_evaluator", "read_run", "write_run"]
