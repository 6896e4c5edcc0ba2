"""Whether arguments fit a tool's schema, and which of the offered tools a call means."""
