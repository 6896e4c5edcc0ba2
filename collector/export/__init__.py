"""Sends scores and judge calls to an OTLP endpoint."""
