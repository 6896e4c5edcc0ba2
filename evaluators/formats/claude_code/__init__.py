"""Sessions of Claude Code: its logs below `~/.claude/projects`, and the output of `--output-format stream-json`."""
