"""The pages of datasets: inputs of agents with what is expected of them, in versions."""
