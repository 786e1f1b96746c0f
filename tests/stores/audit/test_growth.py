"""The audit can get another column: rows written before it and after it are verified together."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from assent.stores.admin.audit import verify
from assent.stores.postgres.database import is_postgres
from tests.stores import later_audit
from tests.stores.audited import audited, tampered


@pytest.fixture
def growing(address: str) -> Iterator[str]:
    """A database of today's schema that gets a column; one that tests share loses it afterwards."""
    yield address
    if is_postgres(address):
        dropping = [f"ALTER TABLE {table} DROP COLUMN risk" for table in ("audit", "audit_outbox")]
        asyncio.run(tampered(address, *dropping))


def later(what: str, address: str) -> Any:
    """What a later version of Assent, which knows version 2, prints."""
    command = [sys.executable, later_audit.__file__, what, address]
    path = os.pathsep.join([os.getcwd(), *sys.path])
    ran = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path}
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.proves("T-40")
async def test_rows_from_before_and_after_a_new_column_are_verified_together(growing: str) -> None:
    await audited(growing)
    later("record", growing)

    found = later("verify", growing)

    assert (found["chains"], found["rows"], found["breaks"]) == (2, 12, [])


@pytest.mark.proves("T-40")
@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE audit SET hash_version = 1 WHERE hash_version = 2 AND place = 2",
        "UPDATE audit SET risk = 'low' WHERE hash_version = 2 AND place = 2",
        "UPDATE audit SET risk = 'low' WHERE hash_version = 1 AND place = 2",
        "UPDATE audit SET hash_version = 2 WHERE hash_version = 1 AND place = 2",
    ],
    ids=["version lowered", "new column", "new column of an old row", "version raised"],
)
async def test_a_row_whose_version_or_new_column_was_altered_is_found(growing: str, tampering: str) -> None:
    old = await audited(growing)
    new = later("record", growing)
    await tampered(growing, tampering)

    (found,) = later("verify", growing)["breaks"][:1]

    assert found["writer"] in (old, new)
    assert (found["number"], found["problem"]) == (2, "the row was altered")


async def test_a_version_that_is_not_known_is_named_and_never_taken_for_whole(address: str) -> None:
    await audited(address)
    await tampered(address, "UPDATE audit SET hash_version = 9 WHERE place = 10")

    (found,) = (await verify(address)).breaks

    assert found.problem == "the row has version 9, which this version of Assent does not know"
