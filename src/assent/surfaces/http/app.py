"""The app: every route on one service; the door stands before it, for each listener."""

from typing import Any

from fastapi import FastAPI
from fastapi.middleware.asyncexitstack import AsyncExitStackMiddleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.types import ASGIApp

from assent.surfaces.http import live, problems
from assent.surfaces.http.openapi import document_of
from assent.surfaces.http.plain import ShortWay
from assent.surfaces.http.routes import (
    agents,
    approvals,
    audit,
    calls,
    chat,
    conversations,
    decide,
    definitions,
    grants,
    health,
    login,
    oidc,
    people,
    pods,
    policy,
    presets,
    proposals,
    rules,
    settings,
    switch,
    tokens,
)
from assent.surfaces.http.service import Service

ROUTERS = (
    calls.router,
    decide.router,
    approvals.router,
    proposals.router,
    grants.router,
    rules.router,
    settings.router,
    conversations.router,
    chat.router,
    agents.router,
    definitions.router,
    audit.router,
    switch.router,
    policy.router,
    pods.router,
    presets.router,
    login.router,
    oidc.router,
    people.router,
    tokens.router,
    health.router,
    live.router,
)


class App(FastAPI):
    """A FastAPI app that describes itself as we do, and takes the short way where it can."""

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document, made once."""
        if self.openapi_schema is None:
            self.openapi_schema = document_of(ROUTERS)
        return self.openapi_schema

    def build_middleware_stack(self) -> ASGIApp:
        """Our own edge, and no layer of the framework that only repeats it."""
        below = ShortWay(self.routes, AsyncExitStackMiddleware(self.router))
        return problems.Guarded(ExceptionMiddleware(below, handlers=self.exception_handlers))


def create_app(service: Service) -> FastAPI:
    """The app of a service. Nothing in it looks at Host, Origin or secrets: put a `Door` before it."""
    # FastAPI's own pages fetch scripts from elsewhere; the document is part of the documentation instead.
    app = App(
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.service = service
    for router in ROUTERS:
        # Its routes themselves: in a router that is included FastAPI looks for the one that is meant twice.
        app.router.routes.extend(router.routes)
    problems.install(app, ROUTERS)
    return app
