"""Recordings of real agents, and their replay."""
