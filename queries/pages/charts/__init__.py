"""Geometry of charts; templates draw it as SVG. Pure."""
