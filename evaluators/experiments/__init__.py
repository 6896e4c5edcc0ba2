"""Datasets: inputs of agents, with the behaviour that is expected on each. Gates: whether scores are good enough."""
