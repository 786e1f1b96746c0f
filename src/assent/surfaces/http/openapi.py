"""The OpenAPI document: what FastAPI finds in the routes, who may use each, and the problems they share."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic.json_schema import models_json_schema

from assent import __version__
from assent.surfaces.http.models.problem import Problem
from assent.surfaces.http.who import administrator, caller, member, person

TITLE = "Assent"
ABOUT = "The gate between AI agents and what they can do: calls are decided, people are asked and remembered."
FOR: Mapping[object, str] = {
    caller: "agents, services and people",
    member: "people and services",
    person: "people",
    administrator: "administrators",
}
"""Whom each gate lets through, in words."""
ANYBODY = "anybody"
_WHEN = {
    "400": "what was sent cannot be read as this request",
    "401": "nobody said who they are, or not in a way that holds",
    "403": "whoever asks lacks a right, or the request comes from elsewhere",
    "404": "it is not there, or not for whoever asks",
    "409": "somebody was first, or it is no longer what it was",
    "413": "it is too large",
    "415": "it is not JSON",
    "422": "it was read, and cannot be done as it stands",
    "429": "too much at one time: try again later",
    "500": "something went wrong on the server",
    "503": "the store cannot be used now, or the server is about to stop: try again after `Retry-After`",
}
LINKS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "calls_submit": (
        "/approval",
        ("calls_look", "calls_wait", "calls_report", "calls_withdraw", "approvals_look"),
    ),
    "approvals_find": ("/items/0/id", ("approvals_look", "approvals_answer", "approvals_put_off")),
    "conversations_begin": ("/id", ("conversations_look", "conversations_change")),
    "rules_write": ("/id", ("rules_revoke",)),
    "people_add": ("/id", ("people_link", "people_set_role", "people_roles", "people_disable")),
    "people_make_token": ("/id", ("people_end_token",)),
    "people_sessions": ("/items/0/id", ("people_end_session",)),
}
"""Where a reply holds the id that other operations are about."""
_REF = "#/components/schemas/"
Document = dict[str, Any]


def document_of(routers: Sequence[APIRouter]) -> Document:
    """The whole document."""
    app = FastAPI(generate_unique_id_function=operation_id)
    for router in routers:
        app.include_router(router)
    found = get_openapi(title=TITLE, version=__version__, description=ABOUT, routes=app.router.routes)
    schemas = found["components"]["schemas"]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    _, problem = models_json_schema([(Problem, "serialization")], ref_template=_REF + "{model}")
    schemas.update(problem["$defs"])
    found["components"]["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer"},
        "session": {"type": "apiKey", "in": "cookie", "name": "assent_session"},
    }
    found["components"]["responses"] = {_problem_name(status): _problem(status) for status in _WHEN}
    visitors = dict(_visitors(routers))
    for id_, operation in _operations(found):
        _add_problems(operation)
        _add_links(id_, operation)
        operation["x-assent-for"] = visitors[id_]
        if visitors[id_] != ANYBODY:
            operation["security"] = [{"token": []}, {"session": []}]
    return found


def operation_id(route: APIRoute) -> str:
    """A name for a route that generated clients can use."""
    return f"{route.tags[0]}_{route.name}"


def _visitors(routers: Sequence[APIRouter]) -> Iterator[tuple[str, str]]:
    """Whom each route is for."""
    for route in (one for router in routers for one in router.routes if isinstance(one, APIRoute)):
        gates = [FOR[one.call] for one in route.dependant.dependencies if one.call in FOR]
        yield operation_id(route), gates[0] if gates else ANYBODY


def _operations(document: Document) -> Iterator[tuple[str, Document]]:
    for methods in document["paths"].values():
        for operation in cast("dict[str, Document]", methods).values():
            yield operation["operationId"], operation


def _add_problems(operation: Document) -> None:
    operation["responses"].pop("422", None)
    for status in _WHEN:
        operation["responses"][status] = {"$ref": f"#/components/responses/{_problem_name(status)}"}


def _add_links(id_: str, operation: Document) -> None:
    where, targets = LINKS.get(id_, ("", ()))
    status = next(one for one in operation["responses"] if one.startswith("2"))
    for target in targets:
        link = {"operationId": target, "parameters": {"id": f"$response.body#{where}"}}
        operation["responses"][status].setdefault("links", {})[target] = link


def _problem(status: str) -> Document:
    content = {"application/problem+json": {"schema": {"$ref": f"{_REF}Problem"}}}
    return {"description": _WHEN[status], "content": content}


def _problem_name(status: str) -> str:
    return f"Problem{status}"
