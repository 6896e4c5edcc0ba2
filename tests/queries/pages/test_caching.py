"""What browsers keep: the files of pages for good, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.support.page_client import PageClient, serve_pages

FILE = re.compile(r'(?:href|src)="(/static/[^"]+)"')


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PageClient]:
    with serve_pages(tmp_path_factory.mktemp("store")) as url, PageClient(url) as client:
        yield client


def test_files_are_kept_under_names_that_change_with_their_content(reader: PageClient) -> None:
    files = FILE.findall(reader.get("/runs").text)
    assert len(files) >= 3
    for file in files:
        answer = reader.get(file)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert re.match(r"text/css|text/javascript|image/svg\+xml", answer.headers["content-type"])


def test_file_of_another_version_is_answered_but_not_kept(reader: PageClient) -> None:
    answer = reader.get("/static/0123456789ab/base.css")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-cache")
    assert reader.get("/static/0123456789ab/none.css").status_code == 404
    assert reader.get("/static/0123456789ab/..%2fbase.css").status_code == 404


@pytest.mark.parametrize("path", ["/runs", "/nowhere", "/login", "/api/v1/runs", "/api/v1/nothing", "/metrics"])
def test_no_content_is_kept(reader: PageClient, path: str) -> None:
    assert reader.get(path).headers["cache-control"] == "no-store"
