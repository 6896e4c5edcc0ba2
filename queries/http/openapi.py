"""The OpenAPI document of a list of endpoints. Source: https://spec.openapis.org/oas/v3.1.1.html"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, TypeAlias

import orjson
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core.core_schema import WithDefaultSchema

from .access import Access
from .endpoint import JSON, Endpoint
from .problem import MEDIA_TYPE, Problem
from .request_input import NoFields

__all__ = ["make_document"]

Document: TypeAlias = dict[str, Any]

_REFERENCE: Final = "#/components/schemas/{model}"
_DESCRIPTION: Final = (
    "SQL over the traces of AI agents and their scores, annotations, datasets, experiments and admin commands. Times "
    "are UTC. Errors are problem documents (RFC 9457)."
)
_TOKEN: Final = {
    "type": "http",
    "scheme": "bearer",
    "description": "the value of the server's TRACEGRADE_TOKEN, if it has one",
}
_OTHERS: Final = {
    "name": "parameters",
    "in": "query",
    "description": "further parameters by name, as the list of reports names them",
    "style": "form",
    "explode": True,
    "schema": {"type": "object", "additionalProperties": {"type": "string"}},
}
_WITHOUT_ANSWER: Final = "204"


def make_document(endpoints: Sequence[Endpoint[Any]], *, version: str) -> Document:
    """Return the OpenAPI document of a server of this version."""
    schemas = _Schemas(endpoints)
    paths: dict[str, Document] = {}
    for each in endpoints:
        paths.setdefault(each.template, {})[each.method.lower()] = _describe(each, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tracegrade", "version": version, "description": _DESCRIPTION},
        "paths": paths,
        "components": {"schemas": schemas.components, "securitySchemes": {"token": _TOKEN}},
    }


class _Schemas:
    """The JSON schemas of all models that the endpoints take and answer with."""

    def __init__(self, endpoints: Iterable[Endpoint[Any]]) -> None:
        models: list[tuple[str, JsonSchemaMode, Any]] = [("problem", "serialization", Problem)]
        for each in endpoints:
            models += [(f"{_name(each)} {part}", mode, model) for part, mode, model in _list_models(each)]
        keyed = [(name, mode, TypeAdapter(model)) for name, mode, model in models]
        found, rest = TypeAdapter.json_schemas(keyed, ref_template=_REFERENCE, schema_generator=_FittingDefaults)
        self._schemas = {name: schema for (name, _), schema in found.items()}
        self.components: Document = rest.get("$defs", {})

    def find(self, each: Endpoint[Any], part: str) -> Document:
        """Return the schema of the `body` or `answer` of an endpoint."""
        return dict(self._schemas[f"{_name(each)} {part}"])

    @property
    def problem(self) -> Document:
        return dict(self._schemas["problem"])

    def find_fields(self, each: Endpoint[Any]) -> Document:
        """Return the schema of the query parameters of an endpoint, with its properties."""
        schema = self.find(each, "query")
        name = schema.get("$ref", "").rpartition("/")[2]
        return dict(self.components[name]) if name else schema


class _FittingDefaults(GenerateJsonSchema):
    """Leaves out defaults that stand for a value which is computed, since clients may not send them."""

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        found = super().default_schema(schema)
        if found.get("default") == "" and found.get("minLength"):
            del found["default"]
        return found


def _list_models(each: Endpoint[Any]) -> Iterator[tuple[str, JsonSchemaMode, Any]]:
    if each.query is not None:
        yield "query", "validation", each.query
    if each.method == "POST":
        model = each.body or NoFields
        yield "body", "validation", (model | list[model]) if each.list_limit else model  # type: ignore[valid-type]
    if each.answer is not None:
        yield "answer", "serialization", each.answer


def _name(each: Endpoint[Any]) -> str:
    return f"{each.method} {each.template}"


def _describe(each: Endpoint[Any], schemas: _Schemas) -> Document:
    operation: Document = {
        "operationId": getattr(each.handler, "__name__", _name(each)),
        "summary": each.summary,
        "parameters": [*_describe_path(each), *_describe_query(each, schemas)],
        "responses": {**_describe_answer(each, schemas), **_describe_problems(each, schemas)},
    }
    if each.access is Access.TOKEN:
        operation["security"] = [{"token": []}, {}]
    if each.method == "POST":
        content = {"schema": _limit_list(schemas.find(each, "body"), each.list_limit)}
        example = {"example": orjson.loads(each.example)} if each.example else {}
        operation["requestBody"] = {"required": True, "content": {JSON: content | example}}
    return operation


def _limit_list(schema: Document, limit: int) -> Document:
    """Return the schema of a body with the bounds of its list, if it may be one."""
    for form in schema.get("anyOf", ()) if limit else ():
        if form.get("type") == "array":
            form.update(minItems=1, maxItems=limit)
    return schema


def _describe_path(each: Endpoint[Any]) -> Iterator[Document]:
    for name in each.path_parameters:
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}


def _describe_query(each: Endpoint[Any], schemas: _Schemas) -> Iterator[Document]:
    if each.query is None:
        return
    fields = schemas.find_fields(each)
    for name, schema in fields.get("properties", {}).items():
        parameter = {"name": name, "in": "query", "required": name in fields.get("required", ())}
        text = {"description": schema["description"]} if "description" in schema else {}
        yield {**parameter, **text, "schema": _without_null(schema)}
    if fields.get("additionalProperties"):
        yield _OTHERS


def _without_null(schema: Mapping[str, Any]) -> Document:
    """Return the schema of a parameter that may be left out, but that cannot be null in a URL."""
    kept = {key: value for key, value in schema.items() if key != "description"}
    if kept.get("default", 0) is None:
        del kept["default"]
    forms = [form for form in kept.pop("anyOf", ()) if form.get("type") != "null"]
    if len(forms) == 1:
        return {**kept, **forms[0]}
    return {**kept, "anyOf": forms} if forms else kept


def _describe_answer(each: Endpoint[Any], schemas: _Schemas) -> Document:
    if not each.media_types:
        return {_WITHOUT_ANSWER: {"description": "done"}}
    json = schemas.find(each, "answer") if each.answer is not None else {}
    return {
        "200": {
            "description": each.summary,
            "content": {name: {"schema": json} if name == JSON else {} for name in each.media_types},
        }
    }


def _describe_problems(each: Endpoint[Any], schemas: _Schemas) -> Document:
    content = {MEDIA_TYPE: {"schema": schemas.problem}}
    return {
        str(status): {"description": HTTPStatus(status).phrase, "content": content} for status in _list_statuses(each)
    }


def _list_statuses(each: Endpoint[Any]) -> list[int]:
    """Return the statuses of the problems that an endpoint may answer with."""
    statuses = {405}
    if each.access is not Access.ANYONE:
        statuses |= {403}
    if each.access is Access.TOKEN:
        statuses |= {400, 401, 408, 503}
    if each.path_parameters or each.method != "GET":
        statuses |= {404, 409}
    if each.method == "POST":
        statuses |= {413, 415}
    return sorted(statuses | set(each.statuses))
