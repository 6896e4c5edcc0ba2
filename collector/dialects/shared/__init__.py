"""Attribute keys and message formats that several instrumentations share."""
