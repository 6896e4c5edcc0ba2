"""The worker process: assembles traces, runs evaluators, asks judges. It never opens the store: its input comes over a
pipe, and its results go back over the same pipe.

`python -m tracegrade.collector.worker FD` serves the pipe at that file descriptor.
"""
