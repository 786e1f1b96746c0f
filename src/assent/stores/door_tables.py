"""The tables of people, their roles and what they prove themselves with."""

from sqlalchemy import Boolean, Column, Index, Integer, Table, Text

from assent.stores.tables import key, maybe_text, maybe_time, metadata, text, time

people = Table(
    "people",
    metadata,
    key("id"),
    text("name"),
    # Where somebody signs in with a provider: its issuer and subject, joined.
    Column("identity", Text, unique=True),
    Column("administrator", Boolean, nullable=False),
    text("added_by"),
    time("added_at"),
    maybe_time("disabled_at"),
    maybe_text("disabled_by"),
)

roles = Table(
    "roles",
    metadata,
    key("person_id"),
    key("subject"),
    text("role"),
    text("given_by"),
    time("given_at"),
)

credentials = Table(
    "credentials",
    metadata,
    key("id"),
    # Never the secret itself.
    Column("digest", Text, nullable=False, unique=True),
    text("purpose"),
    text("kind"),
    text("principal_id"),
    text("on_behalf"),
    text("label"),
    text("made_by"),
    time("made_at"),
    maybe_time("expires_at"),
    maybe_time("ended_at"),
    maybe_text("ended_by"),
)
Index("credentials_principal", credentials.c.principal_id)

replies = Table(
    "replies",
    metadata,
    key("principal_id"),
    key("key"),
    text("request_digest"),
    # Both empty while the first request with this key is still at work.
    Column("status", Integer),
    maybe_text("body"),
    time("began_at"),
)
