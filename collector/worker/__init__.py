"""The worker process: assembles traces, runs evaluators, asks judges.

It never opens the store: input and results are sent over a pipe. `python -m tracegrade.collector.worker FD` serves the
pipe with that file descriptor.
"""
