"""AgentV's eval files: their cases are evaluated on recorded runs, or on runs of an agent."""
