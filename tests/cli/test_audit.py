"""`assent audit` lists, verifies, exports and archives decisions and answers."""

import csv
import io
import json
import sqlite3
import stat
import subprocess
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from assent.cli.audit import audit_row_line
from assent.gate.answer import Answer, Say
from assent.gate.audit import find_chain_breaks
from assent.wire.audit import link_from_json
from tests.cli.questions import (
    LOCAL_PERSON,
    answer_question,
    ask_question,
    begin_turn,
    open_gate_at,
    run_in_thread,
)
from tests.cli.running import ASSENT_PROGRAM, Command, CommandSandbox
from tests.gate.samples import DENIAL, ENTRY, sample_link
from tests.stores.promises.given import sample_entry

SECRET_WORD = "canary-7f3a9c"
REPORT_COLUMNS = [
    "id", "tool_call_id", "user_id", "agent_id", "chat_id", "tool_name", "decision", "with_override", "reason",
    "created_at",
]  # fmt: skip
SAMPLE_ANSWERS = (
    Answer(say=Say.ONCE),
    Answer(say=Say.ALWAYS, rules=("Bash(npm pack 1 *)",)),
    Answer(say=Say.DENY),
    Answer(say=Say.DENY, reason="=HYPERLINK(1)"),
)


async def answer_four_questions(sandbox: CommandSandbox) -> None:
    """Ask four questions, and give each a different answer."""
    async with open_gate_at(sandbox) as gate:
        turn = await begin_turn(gate)
        for number, said in enumerate(SAMPLE_ANSWERS):
            await answer_question(
                gate, await ask_question(turn, f"npm pack {number} {SECRET_WORD}", f"call-{number}"), said
            )


def change_rows_directly(sandbox: CommandSandbox, *statements: str) -> None:
    with closing(sqlite3.connect(sandbox.root / "assent.db")) as connection:
        for name in ("audit_is_not_altered", "audit_is_not_deleted"):
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        connection.commit()


# ---- verify ------------------------------------------------------------------------------------


async def test_verify_accepts_an_unchanged_audit(sandbox: CommandSandbox, command: Command) -> None:
    await answer_four_questions(sandbox)

    ran, as_json = command("audit", "verify"), command("audit", "verify", "--json")

    assert (ran.status, ran.err) == (0, "")
    assert ran.out == "ok    8 row(s) in 1 chain(s): no row was changed or is missing\n"
    assert (as_json.status, json.loads(as_json.out)) == (
        0,
        {
            "holds": True,
            "chains": 1,
            "rows": 8,
            "breaks": [],
            "unrecorded": [],
            "unclaimed": [],
            "closed_after_crash": 0,
            "archives_elsewhere": [],
        },
    )


@pytest.mark.proves("T-40")
async def test_verify_names_changed_and_removed_rows_and_exits_with_1(sandbox: CommandSandbox) -> None:
    await answer_four_questions(sandbox)
    change_rows_directly(
        sandbox, "UPDATE audit SET decision = 'approved' WHERE place = 6", "DELETE FROM audit WHERE place = 8"
    )

    ran = await run_in_thread(sandbox, "audit", "verify")
    as_json = await run_in_thread(sandbox, "audit", "verify", "--json")

    (writer,) = {one["writer"] for one in json.loads(as_json.out)["breaks"]}
    assert (ran.status, as_json.status, ran.err) == (1, 1, "")
    (missing,) = json.loads(as_json.out)["unrecorded"]
    assert ran.lines == [
        f"fail  audit of `{writer}`, row 6: the row was altered",
        f"fail  audit of `{writer}`, row 8: rows 8 to 8 are missing",
        f"fail  the answer to approval `{missing}` is in no row of the audit",
    ]


@pytest.mark.proves("T-40", "R004-34")
async def test_the_database_itself_refuses_to_alter_or_remove_a_row(sandbox: CommandSandbox) -> None:
    await answer_four_questions(sandbox)

    with closing(sqlite3.connect(sandbox.root / "assent.db")) as connection:
        for statement in ("UPDATE audit SET written_at = 1", "DELETE FROM audit", "UPDATE audit SET id = id"):
            with pytest.raises(sqlite3.IntegrityError, match="the audit is append-only"):
                connection.execute(statement)


# ---- list --------------------------------------------------------------------------------------


async def test_the_newest_rows_are_listed_oldest_first(sandbox: CommandSandbox, command: Command) -> None:
    await answer_four_questions(sandbox)

    ran = command("audit", "list", "--limit", "2")

    assert (ran.status, ran.err) == (0, "")
    assert [line.split()[2:] for line in ran.lines] == [
        ["ask", "Bash", "clerk", LOCAL_PERSON.id, "mode"],
        ["denied_with_reason", "Bash", "clerk", LOCAL_PERSON.id, "=HYPERLINK(1)"],
    ]


ROWS_PER_FILTER = {
    (): 8,
    ("--agent", "clerk"): 8,
    ("--agent", "scout"): 0,
    ("--tool", "Bash"): 8,
    ("--user", "nobody"): 0,
    ("--decision", "approved"): 2,
    ("--decision", "ask"): 4,
    ("--since", "1h"): 8,
    ("--since", "2126-01-01"): 0,
    ("--view", "approvals"): 4,
    ("--view", "approvals", "--decision", "denied"): 1,
}


async def test_each_filter_option_selects_its_rows(sandbox: CommandSandbox, command: Command) -> None:
    await answer_four_questions(sandbox)

    ran = {words: command("audit", "list", *words) for words in ROWS_PER_FILTER}
    as_json = {words: command("audit", "list", "--json", *words) for words in ROWS_PER_FILTER}
    exported = {words: command("audit", "export", *words) for words in ROWS_PER_FILTER}

    assert {words: len(one.lines) for words, one in ran.items()} == ROWS_PER_FILTER
    assert {words: len(json.loads(one.out)) for words, one in as_json.items()} == ROWS_PER_FILTER
    assert {words: len(one.lines) for words, one in exported.items()} == ROWS_PER_FILTER
    assert ran["--agent", "scout"].err == "no matching rows\n"


@pytest.mark.proves("R004-31", "R004-33", "R004-35")
@pytest.mark.supports("R004-36")
async def test_the_view_of_approvals_has_the_columns_of_the_permission_report(
    sandbox: CommandSandbox, command: Command
) -> None:
    await answer_four_questions(sandbox)

    found = json.loads(command("audit", "list", "--view", "approvals", "--json").out)

    assert [[*one] for one in found] == [REPORT_COLUMNS] * 4
    assert [(one["decision"], one["with_override"], one["reason"]) for one in found] == [
        ("approved", False, None),
        ("approved", True, None),
        ("denied", False, None),
        ("denied_with_reason", False, "=HYPERLINK(1)"),
    ]
    assert {(one["user_id"], one["agent_id"], one["chat_id"], one["tool_name"]) for one in found} == {
        (LOCAL_PERSON.id, "clerk", "c1", "Bash")
    }
    assert [one["tool_call_id"] for one in found] == ["call-0", "call-1", "call-2", "call-3"]


async def test_an_invalid_option_value_is_an_error(sandbox: CommandSandbox, command: Command) -> None:
    await answer_four_questions(sandbox)
    told = {
        ("--since", "yesterday"): "--since `yesterday` must be a date, a time such as",
        ("--limit", "0"): "'--limit': 0 is not in the range",
        ("--view", "all"): "'all' is not one of",
    }

    ran = {words: command("audit", "list", *words) for words in told}

    assert {(one.status, one.out) for one in ran.values()} == {(2, "")}
    assert [words for words, sentence in told.items() if sentence not in ran[words].err] == []


# ---- arguments of calls ------------------------------------------------------------------------


@pytest.mark.proves("T-39", "R004-32")
async def test_no_argument_of_a_call_is_printed_or_exported_by_default(
    sandbox: CommandSandbox, command: Command
) -> None:
    await answer_four_questions(sandbox)
    shown = [
        command("audit", "list"),
        command("audit", "list", "--json"),
        command("audit", "export"),
        command("audit", "export", "--format", "csv"),
        command("audit", "verify", "--json"),
        command("audit", "archive", "old.jsonl", "--before", "0m"),
        command("db", "status", "--json"),
        command("doctor", "--json"),
    ]

    assert [ran.status for ran in shown] == [0] * len(shown)
    assert [ran for ran in shown if SECRET_WORD in ran.out + ran.err] == []
    assert SECRET_WORD not in (sandbox.root / "old.jsonl").read_text()
    assert SECRET_WORD in command("pending", "--json").out + _stored_approvals(sandbox)


@pytest.mark.proves("T-49")
async def test_with_an_option_requested_and_executed_arguments_are_listed_and_exported(
    sandbox: CommandSandbox, command: Command
) -> None:
    async with open_gate_at(sandbox) as gate:
        question = await ask_question(await begin_turn(gate), "npm publish theirs", "call-1")
        await answer_question(gate, question, Answer(say=Say.ONCE, args={"command": "npm publish mine"}))
    called = {"asked": {"command": "npm publish theirs"}, "ran": {"command": "npm publish mine"}}

    listed = command("audit", "list", "--calls", "--decision", "approved")
    as_json = json.loads(command("audit", "list", "--calls", "--json", "--decision", "approved").out)
    exported = json.loads(command("audit", "export", "--calls", "--decision", "approved").out)

    assert "  edited" in listed.out
    assert listed.out.splitlines()[1:] == [
        '    asked {"command": "npm publish theirs"}',
        '    ran   {"command": "npm publish mine"}',
    ]
    assert [one["called"] for one in as_json] == [{**called, "clipped": False}]
    assert exported["called"] == {**called, "clipped": False}


def _stored_approvals(sandbox: CommandSandbox) -> str:
    """The approvals in the database as text; they contain the secret."""
    with closing(sqlite3.connect(sandbox.root / "assent.db")) as connection:
        return str(connection.execute("SELECT args FROM approvals").fetchall())


# ---- export ------------------------------------------------------------------------------------


async def test_the_chain_of_an_export_can_be_verified_elsewhere(
    sandbox: CommandSandbox, command: Command
) -> None:
    await answer_four_questions(sandbox)

    ran = command("audit", "export", "--output", "audit.jsonl")

    path = sandbox.root / "audit.jsonl"
    links = [link_from_json(json.loads(line)) for line in path.read_text().splitlines()]
    assert (ran.status, ran.out, ran.err) == (0, "", "wrote audit.jsonl\n")
    assert (len(links), list(find_chain_breaks(links))) == (8, [])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_a_csv_export_contains_no_spreadsheet_formulas(
    sandbox: CommandSandbox, command: Command
) -> None:
    await answer_four_questions(sandbox)

    ran = command("audit", "export", "--format", "csv", "--view", "approvals")

    header, *rows = csv.reader(io.StringIO(ran.out))
    assert header == REPORT_COLUMNS
    assert [row[8] for row in rows] == ["", "", "", "'=HYPERLINK(1)"]


async def test_an_export_never_overwrites_a_file(sandbox: CommandSandbox, command: Command) -> None:
    await answer_four_questions(sandbox)
    sandbox.write_file("audit.csv", "precious")

    ran = command("audit", "export", "--output", "audit.csv", "--format", "csv")

    assert (ran.status, ran.err) == (
        2,
        "assent: cannot export to audit.csv: it exists already; name a new file\n",
    )
    assert (sandbox.root / "audit.csv").read_text() == "precious"


async def test_an_export_ends_without_error_when_its_reader_stops(sandbox: CommandSandbox) -> None:
    async with open_gate_at(sandbox) as gate:
        for number in range(3000):
            gate.store.record(sample_entry(number))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(
        [ASSENT_PROGRAM, "audit", "export"], cwd=sandbox.root, env=sandbox.environment(), **pipes
    ) as reading:
        assert reading.stdout is not None
        assert reading.stderr is not None
        reading.stdout.readline()
        reading.stdout.close()

        assert (reading.stderr.read(), reading.wait(60)) == (b"", 141)


# ---- archive -----------------------------------------------------------------------------------


async def test_archived_rows_can_be_removed_and_the_audit_still_verifies(
    sandbox: CommandSandbox, command: Command
) -> None:
    await answer_four_questions(sandbox)

    ran = command("audit", "archive", "old.jsonl", "--before", "0m", "--remove")
    after, listed = command("audit", "verify"), command("audit", "list")

    assert (ran.status, ran.err) == (0, "")
    assert ran.lines == [
        "archived 8 row(s) of 1 chain(s) in old.jsonl",
        "removed 8 archived row(s) from the database",
    ]
    assert (after.status, after.out) == (
        0,
        "ok    0 row(s) in 1 chain(s): no row was changed or is missing\n",
    )
    assert listed.err == "no matching rows\n"


@pytest.mark.proves("T-40")
async def test_verify_fails_for_a_changed_archive_and_notes_a_missing_one(
    sandbox: CommandSandbox, command: Command
) -> None:
    await answer_four_questions(sandbox)
    command("audit", "archive", "old.jsonl", "--before", "0m", "--remove")
    path = sandbox.root / "old.jsonl"
    text = path.read_text()
    path.write_text(text.replace("denied_with_reason", "approved"))
    altered_one = command("audit", "verify")
    path.rename(sandbox.root / "moved.jsonl")
    elsewhere = command("audit", "verify")

    assert altered_one.status == 1
    assert f"row 8: in {path} the row was altered" in altered_one.out
    assert elsewhere.status == 0
    assert elsewhere.lines[0] == f"note  archive {path} does not exist, so it was not verified"


async def test_archive_says_so_if_no_row_is_old_enough(sandbox: CommandSandbox, command: Command) -> None:
    await answer_four_questions(sandbox)

    ran = command("audit", "archive", "old.jsonl", "--before", "30d")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "assent: there is nothing to archive in assent.db from before that time\n"
    assert not Path(sandbox.root / "old.jsonl").exists()


def test_every_command_names_the_missing_database(sandbox: CommandSandbox, command: Command) -> None:
    words = (("verify",), ("list",), ("export",), ("archive", "x", "--before", "1d"))

    ran = [command("audit", *more) for more in words]

    assert {one.status for one in ran} == {2}
    assert all("does not exist; name one with" in one.err for one in ran)


def test_the_line_of_a_verdict_and_of_an_answer_has_tool_agent_user_and_reason() -> None:
    verdict, answer = audit_row_line(sample_link()), audit_row_line(sample_link(DENIAL))

    assert verdict.split()[2:] == ["ask", "Bash", "clerk", "ana", "mode"]
    assert answer.split()[2:] == ["denied_with_reason", "Bash", "clerk", "ana", "not", "today"]


def test_the_line_of_an_always_answer_contains_always() -> None:
    always = replace(ENTRY, verdict="", decision="approved", with_override=True)

    assert audit_row_line(sample_link(always)).endswith("approved            Bash  clerk  ana  always")


@pytest.mark.proves("T-10")
@pytest.mark.supports("T-34")
def test_a_line_shows_hidden_characters() -> None:
    nasty = replace(DENIAL, tool="B\x1b[2J", agent="a\x9b", reason="x\r\n\u202e")

    assert audit_row_line(sample_link(nasty)).isprintable()
