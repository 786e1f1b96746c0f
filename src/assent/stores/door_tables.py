"""The tables of people, their roles and what they prove themselves with."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, Table, Text

from assent.stores.tables import metadata

people = Table(
    "people",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    # Where somebody signs in with a provider: its issuer and subject, joined.
    Column("identity", Text, unique=True),
    Column("administrator", Boolean, nullable=False),
    Column("added_by", Text, nullable=False),
    Column("added_at", BigInteger, nullable=False),
    Column("disabled_at", BigInteger),
    Column("disabled_by", Text),
)

roles = Table(
    "roles",
    metadata,
    Column("person_id", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("given_by", Text, nullable=False),
    Column("given_at", BigInteger, nullable=False),
)

credentials = Table(
    "credentials",
    metadata,
    Column("id", Text, primary_key=True),
    # Never the secret itself.
    Column("digest", Text, nullable=False, unique=True),
    Column("purpose", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("principal_id", Text, nullable=False),
    Column("on_behalf", Text, nullable=False),
    Column("label", Text, nullable=False),
    Column("made_by", Text, nullable=False),
    Column("made_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("ended_at", BigInteger),
    Column("ended_by", Text),
)
Index("credentials_principal", credentials.c.principal_id)

replies = Table(
    "replies",
    metadata,
    Column("principal_id", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("request_digest", Text, nullable=False),
    # Both empty while the first request with this key is still at work.
    Column("status", Integer),
    Column("body", Text),
    Column("began_at", BigInteger, nullable=False),
)
