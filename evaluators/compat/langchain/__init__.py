"""LangChain's agentevals: does the trajectory match the reference, or does a judge find it good?"""

from .trajectory_accuracy import FewShotExample, TrajectoryAccuracy
from .trajectory_match import ArgsMatchMode, Override, TrajectoryMatch, TrajectoryMatchMode

__all__ = [
    "ArgsMatchMode",
    "FewShotExample",
    "Override",
    "TrajectoryAccuracy",
    "TrajectoryMatch",
    "TrajectoryMatchMode",
]
