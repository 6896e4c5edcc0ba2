"""The evaluators of a configuration, in lanes, and their workers."""
