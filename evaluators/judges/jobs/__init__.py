"""The jobs of a judge: dialogues of evaluators, answered from the cache or asked."""
