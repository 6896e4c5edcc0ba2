"""The ways to ask a judge: an OpenAI-compatible server, litellm, a Python function."""
