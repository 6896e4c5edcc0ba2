"""The pages of experiments: an agent that was run on a dataset, and how two such results differ."""
