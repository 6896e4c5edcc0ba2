"""How a judge is reached: an OpenAI-compatible server, litellm, a Python function."""
