"""A server of the Model Context Protocol, by which coding agents read the store."""
