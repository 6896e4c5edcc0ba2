"""Trajectories in ATIF, the Agent Trajectory Interchange Format, of all its versions.

Source: https://github.com/harbor-framework/harbor, rfcs/0001-trajectory-format.md, and its models in harbor 0.26.0.
"""
