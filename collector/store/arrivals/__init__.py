"""Writes spans and log records; reads those of traces for assembly."""
