"""`assent db` upgrades, checks, backs up and restores databases, with clear errors."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from assent.errors import StoreError
from assent.stores.postgres.database import parse_address, without_password
from assent.stores.sqlite import connection as sqlite_connection
from tests.cli.questions import ask_question, ask_questions, begin_turn, open_gate_at, run_in_thread
from tests.cli.running import Command, CommandSandbox
from tests.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


def set_schema(sandbox: CommandSandbox, schema: str) -> None:
    with closing(sqlite3.connect(sandbox.root / "assent.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (schema,))
        connection.commit()


@contextmanager
def lock_database(sandbox: CommandSandbox) -> Iterator[None]:
    with closing(sqlite3.connect(sandbox.root / "assent.db")) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


# ---- status ------------------------------------------------------------------------------------


async def test_status_shows_the_schema_and_the_number_of_rows(
    sandbox: CommandSandbox, command: Command
) -> None:
    await ask_questions(sandbox, ["npm pack", "git push"])

    ran, found = command("db", "status"), json.loads(command("db", "status", "--json").out)

    assert (ran.status, ran.err) == (0, "")
    assert ran.lines[:3] == [
        "assent.db",
        "schema 1.9; this version requires 1.9: up to date",
        "        2 approvals (2 pending)",
    ]
    assert "kB, last written " in ran.lines[-1]
    assert (found["where"], found["schema"], found["wanted"]) == ("assent.db", "1.9", "1.9")
    assert (found["rows"]["approvals"], found["states"]) == (2, {"pending": 2})


async def test_status_neither_blocks_writers_nor_waits_for_them(sandbox: CommandSandbox) -> None:
    async with open_gate_at(sandbox) as gate:
        with lock_database(sandbox):
            ran = await run_in_thread(sandbox, "db", "status")
        approval = await ask_question(await begin_turn(gate))

    assert ran.status == 0
    assert approval.state == "pending"


# ---- upgrade -----------------------------------------------------------------------------------


async def test_upgrade_does_not_change_a_current_database(sandbox: CommandSandbox, command: Command) -> None:
    await ask_questions(sandbox, ["npm pack"])

    ran = command("db", "upgrade")

    assert (ran.status, ran.out, ran.err) == (0, "assent.db already has schema 1.9\n", "")
    assert sorted(path.name for path in sandbox.root.iterdir()) == ["assent.db"]


@pytest.mark.proves("R-14")
async def test_every_command_refuses_a_newer_schema_with_advice(
    sandbox: CommandSandbox, command: Command
) -> None:
    await ask_questions(sandbox, ["npm pack"])
    set_schema(sandbox, "2.7")
    told = (
        "assent: assent.db has schema 2.7, which is newer than this version's 1.9:"
        " use a newer Assent, or restore an older backup\n"
    )

    refused = [command("db", "upgrade"), command("pending"), command("audit", "list")]

    assert [(ran.status, ran.out, ran.err) for ran in refused] == [(2, "", told)] * 3
    assert "this version requires 1.9: use a newer Assent" in command("db", "status").out
    assert command("db", "check").status == 1


@pytest.mark.proves("R-14")
async def test_the_error_for_an_older_schema_says_how_to_upgrade(
    sandbox: CommandSandbox, command: Command
) -> None:
    await ask_questions(sandbox, ["npm pack"])
    set_schema(sandbox, "0.9")

    shown, refused, doctor = command("db", "status"), command("audit", "list"), command("doctor")

    assert shown.lines[1] == "schema 0.9; this version requires 1.9: run `assent db upgrade`"
    assert (refused.status, refused.err) == (
        2,
        "assent: assent.db has schema 0.9, and this version needs 1.9: run `assent db upgrade`\n",
    )
    assert doctor.status == 1
    assert "fail  database: assent.db has schema 0.9, and this version needs 1.9" in doctor.out


# ---- check -------------------------------------------------------------------------------------


async def test_check_finds_no_problem_in_a_sound_database(sandbox: CommandSandbox, command: Command) -> None:
    await ask_questions(sandbox, ["npm pack"])

    ran, as_json = command("db", "check"), command("db", "check", "--json")

    assert (ran.status, ran.out, ran.err) == (0, "ok    no problems in assent.db\n", "")
    assert json.loads(as_json.out) == {"where": "assent.db", "problems": []}


@pytest.mark.proves("T-42")
async def test_a_damaged_file_is_refused_with_advice(sandbox: CommandSandbox, command: Command) -> None:
    await ask_questions(sandbox, [f"npm pack {number}" for number in range(30)])
    path = sandbox.root / "assent.db"
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(bytes(data))

    checked, asked = command("db", "check"), command("pending")

    assert checked.status == 1
    assert checked.out.startswith("fail  ")
    assert (asked.status, asked.out) == (2, "")
    assert "assent.db: it is damaged" in asked.err
    assert "restore a backup" in asked.err
    assert path.read_bytes() == bytes(data)


@pytest.mark.proves("T-40")
async def test_check_reports_a_broken_hash_chain(sandbox: CommandSandbox, command: Command) -> None:
    await ask_questions(sandbox, ["npm pack"])
    with closing(sqlite3.connect(sandbox.root / "assent.db")) as connection:
        connection.execute("DROP TRIGGER audit_is_not_altered")
        connection.execute("UPDATE audit SET tool_name = 'x'")
        connection.commit()

    ran = command("db", "check")

    assert ran.status == 1
    assert ran.out.endswith("row 1: the row was altered\n")


async def test_a_file_that_is_not_a_database_is_refused(sandbox: CommandSandbox, command: Command) -> None:
    sandbox.write_file("assent.db", "dear diary, " * 1000).chmod(0o600)

    ran = command("pending")

    assert (ran.status, ran.err) == (
        2,
        "assent: cannot use assent.db: it is not an SQLite database; name another file\n",
    )


async def test_a_file_that_is_locked_too_long_is_an_error(
    sandbox: CommandSandbox, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_connection, "BUSY_TIMEOUT", 0.05)
    (approval,) = await ask_questions(sandbox, ["npm pack"])

    with lock_database(sandbox):
        ran = command("answer", approval.id, "once")
    after = command("answer", approval.id, "once")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == (
        "assent: cannot use assent.db: another process has held it for too long:"
        " try again, or end that process; nothing was changed\n"
    )
    assert after.status == 0


@pytest.mark.proves("R-10")
async def test_a_full_disk_is_an_error_and_the_process_continues_after_it(
    sandbox: CommandSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ask_questions(sandbox, [])
    path = sandbox.root / "assent.db"
    limit = f"PRAGMA max_page_count = {path.stat().st_size // 4096}"
    roomy = sqlite_connection._PRAGMAS
    monkeypatch.setattr(sqlite_connection, "_PRAGMAS", (*roomy, limit))

    async with open_gate_at(sandbox) as gate:
        turn = await begin_turn(gate)
        with pytest.raises(StoreError) as raised:
            await ask_question(turn, "npm pack " + "x" * 50_000)
        monkeypatch.setattr(sqlite_connection, "_PRAGMAS", roomy)
        approval = await ask_question(turn, "npm pack " + "x" * 50_000)

    assert str(raised.value) == (
        f"cannot use {path}: the disk is full: make room, then try again; nothing was changed"
    )
    assert approval.state == "pending"


async def test_a_file_that_other_users_can_write_is_refused_with_advice(
    sandbox: CommandSandbox, command: Command
) -> None:
    await ask_questions(sandbox, ["npm pack"])
    (sandbox.root / "assent.db").chmod(0o666)

    ran, doctor = command("pending"), command("doctor")

    assert ran.err == ("assent: cannot use assent.db: others may write to it; run `chmod 600 assent.db`\n")
    assert "fail  database: cannot use assent.db: others may write to it" in doctor.out
    assert doctor.status == 1


# ---- backup and restore ------------------------------------------------------------------------


async def test_a_backup_of_a_database_in_use_can_be_restored(sandbox: CommandSandbox) -> None:
    async with open_gate_at(sandbox) as gate:
        turn = await begin_turn(gate)
        approval = await ask_question(turn)
        saved = await run_in_thread(sandbox, "db", "backup", "copy.db")
        await ask_question(turn, "git push", "call-2")
    restored = await run_in_thread(sandbox, "db", "restore", "copy.db", "--database", "new.db")
    found = await run_in_thread(sandbox, "pending", "--json", "--database", "new.db")

    assert (saved.status, saved.err) == (0, "")
    assert saved.out.startswith("wrote copy.db (")
    assert (restored.status, restored.out) == (0, "restored copy.db to new.db\n")
    assert [one["id"] for one in json.loads(found.out)] == [approval.id]


async def test_backup_and_restore_never_overwrite_a_file(sandbox: CommandSandbox, command: Command) -> None:
    await ask_questions(sandbox, ["npm pack"])
    command("db", "backup", "copy.db")
    before = (sandbox.root / "assent.db").read_bytes()

    again, over, nothing = (
        command("db", "backup", "copy.db"),
        command("db", "restore", "copy.db", "--database", "assent.db"),
        command("db", "restore", "nowhere.db", "--database", "new.db"),
    )

    assert again.err == "assent: cannot back up to copy.db: it exists already; name a new file\n"
    assert over.err == "assent: cannot restore to assent.db: it exists already; move it away first\n"
    assert nothing.err == "assent: cannot restore nowhere.db: there is no such file\n"
    assert {again.status, over.status, nothing.status} == {2}
    assert (sandbox.root / "assent.db").read_bytes() == before


@pytest.mark.parametrize(
    "rest", [b"", b"SQLite format 3\0 and then nothing", b"{}\n", b'{"assent": "1.8"}\n']
)
def test_an_invalid_backup_restores_nothing(sandbox: CommandSandbox, command: Command, rest: bytes) -> None:
    (sandbox.root / "copy").write_bytes(rest)

    ran = command("db", "restore", "copy", "--database", "new.db")

    assert (ran.status, ran.out) == (2, "")
    assert "copy" in ran.err or "new.db" in ran.err
    assert [path.name for path in sandbox.root.iterdir()] == ["copy"]


# ---- PostgreSQL --------------------------------------------------------------------------------


async def test_a_postgres_database_is_upgraded_backed_up_and_restored_to_a_file(
    sandbox: CommandSandbox, command: Command, postgres_url: str
) -> None:
    where = without_password(parse_address(postgres_url))
    empty = command("db", "status", "--database", postgres_url)
    before = command("pending", "--database", postgres_url)
    upgraded = command("db", "upgrade", "--database", postgres_url)
    again = command("db", "upgrade", "--database", postgres_url)
    saved = command("db", "backup", "copy.jsonl", "--database", postgres_url)
    restored = command("db", "restore", "copy.jsonl", "--database", "new.db")
    checked = command("db", "check", "--database", "new.db")

    assert empty.lines == [where, "schema none; this version requires 1.9: run `assent db upgrade`"]
    assert (
        before.err
        == f"assent: {where} has no tables yet, and this version needs 1.9: run `assent db upgrade`\n"
    )
    assert upgraded.out == f"{where} now has schema 1.9\n"
    assert again.out == f"{where} already has schema 1.9\n"
    assert (saved.status, restored.status, checked.status) == (0, 0, 0)


def test_without_a_database_commands_fail_and_create_none(sandbox: CommandSandbox, command: Command) -> None:
    ran = [command("db", *words) for words in (("status",), ("check",), ("upgrade",), ("backup", "x"))]

    assert {one.status for one in ran} == {2}
    assert all("does not exist; name one with" in one.err for one in ran)
    assert list(Path(sandbox.root).iterdir()) == []
