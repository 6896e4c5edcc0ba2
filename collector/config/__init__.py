"""Settings: command line, environment and configuration file, and the evaluators that they ask for."""
