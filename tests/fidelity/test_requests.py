from __future__ import annotations

import json

import pytest

from .requests import answers_in_requests

RESULT = '{"confirmation": "HTL-PAR-5"}'
CALL = {"agent_trace_id": "run", "result": RESULT}


@pytest.mark.parametrize(
    "told",
    [f"You know {RESULT}", json.dumps({"output": json.dumps(RESULT)}), "{'confirmation': 'HTL-PAR-5'}"],
    ids=["as it is", "JSON in JSON", "a repr"],
)
@pytest.mark.parametrize("role", ["user", "system", "developer"])
def test_result_is_found_in_what_the_run_was_asked(role: str, told: str) -> None:
    asked = {"agent_trace_id": "run", "role": role, "content": told}

    assert list(answers_in_requests([asked], [CALL], [])) == [[RESULT]]


@pytest.mark.parametrize(
    ("asked", "call", "written"),
    [
        ({"role": "tool"}, {}, []),
        ({}, {"agent_trace_id": "another"}, []),
        ({}, {}, [f"Look: {RESULT}"]),
        ({"content": "yes, and no"}, {"result": "no"}, []),
    ],
    ids=["where a tool says it", "of another run", "that the user wrote", "too short to tell"],
)
def test_result_may_stand(asked: dict[str, str], call: dict[str, str], written: list[str]) -> None:
    row = {"agent_trace_id": "run", "role": "user", "content": RESULT, **asked}

    assert not any(answers_in_requests([row], [{**CALL, **call}], written))
