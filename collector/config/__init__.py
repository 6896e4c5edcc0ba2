"""Settings from command line, environment and configuration file, and the evaluators that they define."""
