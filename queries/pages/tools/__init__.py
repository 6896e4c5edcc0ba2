"""The pages of tools: which is at fault, and why."""
