"""People, their roles and credentials as JSON."""

from typing import Annotated

from pydantic import Field, StringConstraints

from assent.gate.access import Kind, Role
from assent.gate.people import Purpose
from assent.surfaces.http.models.base import WHOLE, Received, RoleSubject, Sent

Name = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=128)]
NamedName = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]+$", max_length=128)]
TEN_YEARS = 3650 * 24 * 3600


class Login(Received):
    """The secret of a log-in link."""

    link: Annotated[str, StringConstraints(max_length=256)]


class Me(Sent):
    """Whoever asks."""

    id: str
    kind: Kind
    on_behalf: str
    administrator: bool
    roles: dict[str, Role]


class PersonIn(Received):
    """Somebody to let in."""

    id: NamedName
    name: Name = ""
    administrator: bool = False


class PersonShown(Sent):
    """Somebody who is known."""

    id: str
    name: str
    administrator: bool
    disabled_at: str | None
    added_at: str | None


class PeopleShown(Sent):
    """Everybody who is known."""

    items: list[PersonShown]


class RoleIn(Received):
    """What somebody is to a conversation or an agent; null for nothing."""

    subject: RoleSubject
    role: Annotated[Role, Field(strict=False)] | None


class RolesShown(Sent):
    """What somebody is to others' conversations and agents."""

    roles: dict[str, Role]


class LinkMade(Sent):
    """A log-in link; it is shown once."""

    link: str
    expires_at: str | None


class TokenIn(Received):
    """A token to make; one for an agent or a service works for the person who makes it, unless said."""

    kind: Annotated[Kind, Field(strict=False)]
    name: NamedName
    on_behalf: Name = ""
    label: Name = ""
    seconds: Annotated[int, Field(ge=1, le=TEN_YEARS), WHOLE] | None = None
    """How long it lives; left out, until it is ended."""


class CredentialShown(Sent):
    """What somebody proves themselves with, but for the secret."""

    id: str
    purpose: Purpose
    kind: Kind
    principal_id: str
    on_behalf: str
    label: str
    made_by: str
    made_at: str | None
    expires_at: str | None


class CredentialsShown(Sent):
    """Tokens or sessions that hold."""

    items: list[CredentialShown]


class TokenMade(CredentialShown):
    """A new token; its secret is shown now and never again."""

    secret: str
