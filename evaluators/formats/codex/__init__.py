"""Sessions of Codex: its rollouts below `~/.codex/sessions`, and the output of `codex exec --json`."""
