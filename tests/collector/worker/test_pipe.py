"""The worker's end of the pipe."""

from __future__ import annotations

from multiprocessing import Pipe

import pytest

from tracegrade.collector.worker.message import receive_message, send_message
from tracegrade.collector.worker.pipe import RequestFailed, WorkerPipe


def test_request_after_the_end_of_a_job_fails_and_sends_nothing() -> None:
    server, worker = Pipe()
    pipe = WorkerPipe(worker)
    send_message(server, (1, "ask", {}))
    pipe.next_job()
    pipe.answer("done", {})
    assert receive_message(server) == ((1, "done", ""), {})
    with pytest.raises(RequestFailed, match="the job has ended"):
        pipe.request("goes_on", None)
    assert not server.poll()
