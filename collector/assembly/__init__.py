"""From the spans of one trace to the runs of its agents."""

from .assemble import assemble

__all__ = ["assemble"]
