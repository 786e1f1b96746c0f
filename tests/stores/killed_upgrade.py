"""Upgrades a database to a later schema, and is killed at each statement in turn, then not at all.

Run as a program: `ADDRESS VERSIONS STEP`. Each line of the output contains the statement of the kill and the
state of the database; each time a child process is killed, so that nothing is cleaned up.
"""

import asyncio
import json
import os
import signal
import sys
from itertools import count

from alembic.config import Config
from sqlalchemy import Engine, event

from assent.stores import migrations as schema
from assent.stores.admin import maintenance
from assent.stores.admin.connections import read_any_schema
from assent.stores.sql.statement import CoreConnection

LATER_SCHEMA = "1.99"


def main(address: str, versions: str, step: int) -> None:
    _add_migrations(versions)
    for statement in count(1, step):
        child = os.fork()
        if child == 0:
            _kill_at_statement(statement)
            asyncio.run(maintenance.upgrade_database(address))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        print(
            json.dumps(
                {"statement": statement, "killed": killed, **asyncio.run(_read_database_state(address))}
            ),
            flush=True,
        )
        if not killed:
            sys.exit(status)


def _add_migrations(versions: str) -> None:
    """Add the migrations of a later version."""
    today = schema.config

    def later_config(connection: CoreConnection) -> Config:
        made = today(connection)
        ours = os.path.join(made.get_main_option("script_location") or "", "versions")
        made.set_main_option("path_separator", "newline")
        made.set_main_option("version_locations", f"{ours}\n{versions}")
        return made

    schema.config = later_config
    schema.HEAD = LATER_SCHEMA


def _kill_at_statement(statement: int) -> None:
    numbers = count(1)

    def kill_process(*_: object) -> None:
        if next(numbers) == statement:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "after_cursor_execute", kill_process)
    event.listen(Engine, "commit", kill_process)


async def _read_database_state(address: str) -> dict[str, object]:
    def database_state(connection: CoreConnection) -> dict[str, object]:
        rows = connection.core.exec_driver_sql("SELECT id, note FROM approvals ORDER BY id").all()
        return {"schema": schema.read_version(connection).found, "rows": [list(row) for row in rows]}

    return await read_any_schema(address, database_state)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
