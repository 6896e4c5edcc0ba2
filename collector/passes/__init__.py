"""Who judges, and where: lanes of evaluators, and the processes in which these compute."""
