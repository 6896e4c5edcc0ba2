"""The interfaces of other systems that run agents, by which their users call Tracegrade."""
