"""A schema is usable, too old, too new or missing; each case has its own message."""

from pathlib import Path

import pytest
from sqlalchemy import text

from assent.errors import SchemaError
from assent.stores import migrations as schema
from assent.stores.migrations import HEAD, SchemaVersion, check_version, read_version
from assent.stores.sql.statement import CoreConnection
from tests.stores.database import transaction, writing_engine


@pytest.mark.proves("R-14")
@pytest.mark.parametrize(
    ("found", "usable", "newer"),
    [("1.6", False, False), (HEAD, True, False), ("1.99", True, False), ("2.1", False, True), ("0.9", False, False), ("", False, False),
     ("a7f3", False, False)],
)  # fmt: skip
def test_a_schema_is_usable_if_it_has_everything_or_more(found: str, usable: bool, newer: bool) -> None:
    assert (SchemaVersion(found).is_usable, SchemaVersion(found).is_newer) == (usable, newer)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ("", f"here.db has no tables yet, and this version needs {HEAD}: run `assent db upgrade`"),
        ("0.9", f"here.db has schema 0.9, and this version needs {HEAD}: run `assent db upgrade`"),
        ("2.1", f"here.db has schema 2.1, which is newer than this version's {HEAD}: use a newer Assent"),
    ],
)
def test_an_unusable_schema_is_refused_with_the_remedy(found: str, words: str) -> None:
    with pytest.raises(SchemaError) as raised:
        check_version(SchemaVersion(found), "here.db")

    assert str(raised.value).startswith(words)


def test_a_usable_schema_is_accepted() -> None:
    check_version(SchemaVersion(HEAD), "here.db")


def test_a_new_database_has_no_schema_and_an_upgrade_creates_the_current_one(tmp_path: Path) -> None:
    engine = writing_engine(tmp_path / "a.db")
    with engine.begin() as core:
        connection = CoreConnection(core)
        before = read_version(connection)
        schema.upgrade(connection)
        after = read_version(connection)
        schema.upgrade(connection)
    engine.dispose()

    assert (before.found, after.found) == ("", schema.HEAD)


@pytest.mark.proves("R-14")
def test_an_interrupted_upgrade_leaves_no_tables(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), transaction(tmp_path / "a.db"):
        raise KeyboardInterrupt
    engine = writing_engine(tmp_path / "a.db")

    with engine.begin() as core:
        assert read_version(CoreConnection(core)).is_empty
        assert core.execute(text("SELECT count(*) FROM sqlite_master")).scalar() == 0
    engine.dispose()
