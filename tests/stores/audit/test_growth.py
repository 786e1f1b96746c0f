"""The audit can get a new column: rows from before and after are verified together."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from assent.stores.admin.audit import verify_audit
from assent.stores.postgres.database import is_postgres
from tests.stores import later_audit
from tests.stores.audited import record_entries, tamper_with_rows


@pytest.fixture
def address_with_later_schema(address: str) -> Iterator[str]:
    """A database of the current schema that gets a new column; a shared database loses it afterwards."""
    yield address
    if is_postgres(address):
        dropping = [f"ALTER TABLE {table} DROP COLUMN risk" for table in ("audit", "audit_outbox")]
        asyncio.run(tamper_with_rows(address, *dropping))


def run_later_version(what: str, address: str) -> Any:
    """Run a later version of Assent, which knows version 3 of the hashed fields, and return its output."""
    command = [sys.executable, later_audit.__file__, what, address]
    path = os.pathsep.join([os.getcwd(), *sys.path])
    ran = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path}
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.proves("T-40")
async def test_rows_from_before_and_after_a_new_column_are_verified_together(
    address_with_later_schema: str,
) -> None:
    await record_entries(address_with_later_schema)
    run_later_version("record", address_with_later_schema)

    found = run_later_version("verify", address_with_later_schema)

    assert (found["chains"], found["rows"], found["breaks"]) == (2, 12, [])


@pytest.mark.proves("T-40")
@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE audit SET hash_version = 2 WHERE hash_version = 3 AND place = 2",
        "UPDATE audit SET risk = 'low' WHERE hash_version = 3 AND place = 2",
        "UPDATE audit SET risk = 'low' WHERE hash_version = 2 AND place = 2",
        "UPDATE audit SET hash_version = 3 WHERE hash_version = 2 AND place = 2",
    ],
    ids=["version lowered", "new column", "new column of an old row", "version raised"],
)
async def test_a_row_with_an_altered_version_or_new_column_is_reported(
    address_with_later_schema: str, tampering: str
) -> None:
    old = await record_entries(address_with_later_schema)
    new = run_later_version("record", address_with_later_schema)
    await tamper_with_rows(address_with_later_schema, tampering)

    (found,) = run_later_version("verify", address_with_later_schema)["breaks"][:1]

    assert found["writer"] in (old, new)
    assert (found["number"], found["problem"]) == (2, "the row was altered")


async def test_an_unknown_version_is_reported_and_never_counts_as_intact(address: str) -> None:
    await record_entries(address)
    await tamper_with_rows(address, "UPDATE audit SET hash_version = 9 WHERE place = 10")

    (found,) = (await verify_audit(address)).breaks

    assert found.problem == "the row has version 9, which this version of Assent does not know"
