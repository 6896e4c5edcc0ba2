"""Style sheets, scripts and pictures of the pages, under names that change with their content."""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Mapping
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

__all__ = ["Assets"]

_FOLDER: Final = "/static"
_IMMUTABLE: Final = "public, max-age=31536000, immutable"


class Assets:
    """The files in `static/`, all in memory: they are small."""

    def __init__(self) -> None:
        folder = files("tracegrade.queries").joinpath("pages").joinpath("static")
        contents = {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.is_file()}
        self._hashes = {name: hashlib.sha256(content).hexdigest()[:12] for name, content in contents.items()}
        self._contents: Mapping[str, bytes] = contents

    def url(self, name: str) -> str:
        """Return the URL of a file."""
        return f"{_FOLDER}/{self._hashes[name]}/{name}"

    def make_route(self) -> Route:
        """Return the route that answers with the files, to everybody: they hold no data."""
        return Route(f"{_FOLDER}/{{hash}}/{{name}}", self._answer, methods=["GET"])

    async def _answer(self, request: Request) -> Response:
        name = request.path_params["name"]
        content = self._contents.get(name)
        if content is None:
            return PlainTextResponse("there is no such file", 404)
        # a page from before an update of the server asks for the former content, which is not to be kept as such
        is_same = request.path_params["hash"] == self._hashes[name]
        headers = {"cache-control": _IMMUTABLE if is_same else "no-cache", "x-content-type-options": "nosniff"}
        return Response(content, headers=headers, media_type=mimetypes.guess_type(name)[0])
