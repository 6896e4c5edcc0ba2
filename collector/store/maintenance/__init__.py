"""Checkpoints, snapshots, copies, and opening a store again."""
