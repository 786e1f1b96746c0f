"""The app: all routes on one service, without the door, which every listener puts in front."""

from starlette.types import ASGIApp

from assent.surfaces.http.api.problems import UnexpectedErrors
from assent.surfaces.http.api.routing import Dispatcher, Router
from assent.surfaces.http.api.service import Service
from assent.surfaces.http.routes import (
    agents,
    approvals,
    audit,
    calls,
    chat,
    conversations,
    health,
    live,
    login,
    people,
    policy,
    rules,
)

ROUTERS: tuple[Router, ...] = (
    calls.router,
    calls.decisions,
    approvals.router,
    calls.proposals,
    rules.grants,
    rules.router,
    rules.settings,
    conversations.router,
    chat.router,
    agents.router,
    agents.definitions,
    audit.router,
    policy.switch,
    policy.router,
    policy.presets,
    login.router,
    login.oidc,
    people.router,
    people.credentials,
    health.router,
    health.pods,
    live.router,
)
"""All routes, in the order of the documents."""


def create_app(service: Service) -> ASGIApp:
    """The app of a service. It checks neither Host nor Origin nor credentials: put a `Door` in front."""
    return UnexpectedErrors(Dispatcher(ROUTERS, service))
