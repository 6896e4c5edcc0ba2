"""Google ADK's eval sets (`.evalset.json`, `.test.json`), also as agentevals of agentevals-dev writes them.

Source: https://github.com/google/adk-python `src/google/adk/evaluation/eval_set.py` and its neighbours (2.13.0),
https://github.com/agentevals-dev/agentevals `docs/eval-set-format.md`
"""
