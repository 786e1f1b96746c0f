"""A later version of Assent whose audit has one more column:

`python later_audit.py record|verify ADDRESS`. It makes the four changes that a new column needs before other
modules are imported: a field of the entry, version 3 of the hashed fields, and a column in both tables. Then
it runs the current code.
"""

import asyncio
import json
import sys
from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlalchemy import Column, Text

import assent.gate.audit
from assent.gate.audit import HASHED_FIELDS
from assent.stores.sql import tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry(assent.gate.audit.Entry):
    """An entry with the new field."""

    risk: str = ""


ADD_COLUMN = [f"ALTER TABLE {table} ADD COLUMN risk TEXT" for table in ("audit", "audit_outbox")]


def main(what: str, address: str) -> None:
    HASHED_FIELDS[3] = (*HASHED_FIELDS[2], "risk")
    assent.gate.audit.Entry = Entry  # type: ignore[misc]
    for table in (tables.audit, tables.audit_outbox):
        table.append_column(Column("risk", Text))
    print(json.dumps(asyncio.run(_verify_audit(address) if what == "verify" else _record_rows(address))))


async def _record_rows(address: str) -> str:
    """Add the column to a database of the current schema, and record two rows of version 3."""
    # Imported only now, so that these modules see the changes above.
    from tests.stores.audited import ENTRIES, record_entries, tamper_with_rows

    await tamper_with_rows(address, *ADD_COLUMN)
    return await record_entries(address, [replace(entry, risk="high") for entry in ENTRIES[:2]])


async def _verify_audit(address: str) -> dict[str, Any]:
    from assent.stores.admin.audit import verify_audit

    return asdict(await verify_audit(address))


if __name__ == "__main__":
    main(*sys.argv[1:])
