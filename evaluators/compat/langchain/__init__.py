"""LangChain's agentevals: is the trajectory that of the reference, or a good one to a judge?"""

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
